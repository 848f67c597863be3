"""One match as text: its result, the costs of its seats, and the output of a bot."""

import json
import shlex
from decimal import Decimal

from arena import text
from arena.bot_output import last_lines, refusals
from arena.errors import UsageError
from arena.reading.names import one_form
from arena.results.printed import NOT_KEPT
from arena.results.remarks import values_text
from arena.results.store import MatchRow
from arena.terminal.story import opening_name, opening_text
from arena.terminal.tables import fitted
from arena.text import plural
from protocol.wording import did_you_mean, quoted, visible
from referee.foreign import NOT_REFEREED
from referee.job import ScoreRule
from referee.records.record import Fault, ForeignReport, Printed, Record, SeatReport

_SPARE = ("near", "grace", "start", "wall", "place")
"""Columns to drop from a narrow terminal, in this order."""


def match_text(match: MatchRow, record: Record, option: str = "", *, has_seed: bool = True) -> str:
    """Return the details of one match; `option` selects its database in a command."""
    verdict = record.verdict
    options = json.dumps(record.job.options)
    opening = "; ".join(filter(None, (opening_text(record.job), opening_name(record))))
    seed = f", seed {record.job.seed}" if has_seed else ""
    head = [
        f"match {match.id}: {' - '.join(seat.player for seat in match.seats)}",
        f"game {record.job.game} {options}, key {match.key}{seed}",
        *([f"opening {opening}"] if opening else []),
        *(
            f"{player.name} with {', '.join(f'{name} {value}' for name, value in player.settings)}"
            for player in record.job.players
            if player.settings
        ),
        f"{verdict.termination} after {plural(match.plies, 'ply')}: {verdict.reason}",
        f"ended at {match.finished[:16].replace('T', ' ')} UTC",
    ]
    parts = ["\n".join(head), _seats_text(match, record)]
    if valued := [
        f"  seat {seat} ({player.name}): {values}"
        for seat, player in enumerate(record.seats)
        if (values := values_text(record.calls, seat))
    ]:
        parts.append("\n".join(["value of the position, as each bot saw its own:", *valued]))
    if lines := [
        f"  {text.seconds(seat.wall_ns - seat.charged_ns)} of {seat.name},"
        f" {seat.in_force.get('line', 'remote')}"
        for seat, player in zip(record.seats, record.job.players, strict=True)
        if player.is_remote
    ]:
        parts.append(
            "\n".join(["taken off the wall time for the line and a late referee:", *lines])
        )
    parts += [_fault_text(fault, record.seats[fault.seat]) for fault in verdict.faults]
    honest = [seat for number, seat in enumerate(record.seats) if number not in verdict.offenders]
    if printed := [seat.name for seat in honest if seat.output_tail.strip()]:
        name = shlex.quote(printed[0])
        parts.append(
            f"printed something: {', '.join(printed)}; read it with:"
            f" arena show --match {match.id} --output {name}{option}"
        )
    if record.foreign is not None:
        parts.append(_foreign_text(record.foreign))
    else:
        parts.append(f"replay it with: arena replay {match.id}{option}")
    return "\n\n".join(parts)


def output_text(match: MatchRow, record: Record, player: str) -> str:
    """Return the kept output of a bot in a match; raises UsageError for an unknown player."""
    seats = [seat for seat in record.seats if seat.name == one_form(player)]
    if not seats:
        names = [seat.name for seat in record.seats]
        raise UsageError(
            f"--output {quoted(player)}: no such player in match {match.id};"
            f" {did_you_mean(player, names)}"
        )
    report = seats[0]
    if report.printed:
        return "".join(map(_printed_text, report.printed)).rstrip("\n")
    tail = report.output_tail
    if not tail:
        return f"{player} printed nothing in match {match.id}"
    cut = report.output_bytes - len(tail.encode(errors="surrogatepass"))
    head = [NOT_KEPT.format(cut)] if cut > 0 else []
    return "\n".join([*head, visible(tail).rstrip("\n")])


def _printed_text(part: Printed) -> str:
    gap = f"\n{NOT_KEPT.format(part.dropped)}\n" if part.dropped else ""
    return f"{gap}{visible(part.text)}"


def _seats_text(match: MatchRow, record: Record) -> str:
    """Return a table of the seats with their results and times."""
    times = ["start", "CPU", "wall", "charged", "grace", "near"]
    has_points = record.job.score != ScoreRule()
    header = ["seat", "player", *(["points"] if has_points else []), "place", "score", *times]
    rows = [
        [
            str(number),
            seat.player,
            *([str(seat.points)] if has_points else []),
            str(seat.place),
            text.score(Decimal(seat.score)),
            _start_text(record.seats[number]),
            text.cpu_time(seat.cpu_ns, is_exact=seat.is_clock_exact),
            text.seconds(seat.wall_ns),
            text.seconds(seat.charged_ns),
            text.seconds(seat.grace_ns),
            str(seat.near_limit),
        ]
        for number, seat in enumerate(match.seats)
    ]
    return fitted(header, rows, left=2, spare=_SPARE)


def _start_text(seat: SeatReport) -> str:
    if seat.start_cpu_ns is None:
        return "-"
    return text.cpu_time(seat.start_cpu_ns, is_exact=seat.is_clock_exact)


def _foreign_text(kept: ForeignReport) -> str:
    parts = [f"{NOT_REFEREED}: the runner took {text.seconds(kept.wall_ns)}"]
    for title, said in (("its replay", kept.replay), ("its other output", kept.output_tail)):
        if said.strip():
            parts.append("\n".join([f"{title}:", *(f"  {line}" for line in said.splitlines())]))
    return "\n\n".join(parts)


def _fault_text(fault: Fault, seat: SeatReport) -> str:
    who = f"seat {fault.seat} ({seat.name})"
    lines = [
        f"{who} at fault: {fault.termination}, call {fault.call}, ply {fault.ply}",
        f"  {fault.detail}",
    ]
    if seat.exit:
        lines.append(f"  the process had ended: {seat.exit}")
    hints = [f"  {hint}" for hint in refusals(seat.output_tail)]
    return "\n".join([*lines, *hints, *last_lines(seat.output_tail)])
