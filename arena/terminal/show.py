"""Results as text: events, standings, matches and positions."""

import json
import shlex
import sys
from collections.abc import Iterable
from decimal import Decimal
from textwrap import indent

from arena import text
from arena.errors import UsageError
from arena.formats.ended import format_text, has_score_rule
from arena.machine.host_noise import HostNoise
from arena.ratings.rating import rate_outcomes
from arena.ratings.text import elo_cells
from arena.reports.notes import notes_of
from arena.results.remarks import values_text
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow, Store
from arena.terminal.story import opening_text
from arena.terminal.tables import crosstable_text, standings_text
from arena.terminal.tones import tone_of
from protocol.wording import did_you_mean, quoted, visible
from referee.job import ScoreRule
from referee.record import Fault, Record, SeatReport


def events_text(store: Store, *, has_quick: bool = False) -> str:
    """List the events of the database, oldest first; those of `arena match` with `has_quick`."""
    rows = []
    events = store.events()
    shown = [event for event in events if has_quick or not event.config.get("is_quick")]
    for event in shown:
        played = store.count(event.id)
        created = event.created[:16].replace("T", " ")
        bots = ", ".join(event.entrants)
        rows.append([str(event.id), event.name, created, str(event.seed), str(played), bots])
    header = ["event", "name", "begun (UTC)", "seed", "matches", "bots"]
    width = text.width_of(sys.stdout)
    lines = text.narrowed(header, rows, left=6, spare=("seed", "matches"), width=width)
    if hidden := len(events) - len(shown):
        lines += f"\nand {text.plural(hidden, 'run')} of `arena match`; --all lists them"
    return lines


def event_text(store: Store, event: EventRow, table: Table) -> str:
    """Return standings, crosstable, warnings, withdrawals and void attempts of an event."""
    elo = elo_cells(event, rate_outcomes(table.outcomes))
    parts = [f"{event.name} (event {event.id}, seed {event.seed})"]
    if by_format := format_text(store, event):
        parts.append(by_format)
    width = text.width_of(sys.stdout)
    tone = tone_of()
    parts.append(standings_text(table, elo=elo, width=width, tone=tone))
    if table.duels:
        against = crosstable_text(table, width, tone)
        parts.append(f"wins-draws-losses of row against column:\n{against}")
    noise = HostNoise(table)
    if near := noise.near_limit_text():
        parts.append(near)
    parts += [f"warning: {warning}" for warning in noise.warnings(event.config.get("time", {}))]
    if withdrawn := store.withdrawals(event.id):
        lines = [f"  {player}: {reason}" for player, reason in withdrawn.items()]
        parts.append("\n".join(["withdrawn, the rest of its matches forfeited unplayed:", *lines]))
    if voids := store.voids(event.id):
        lines = [f"  {void.key}, attempt {void.attempt}: {void.reason}" for void in voids]
        parts.append("\n".join(["void attempts, not counted:", *lines]))
    parts += [f"{title}:\n{indent(note, '  ')}" for title, note in notes_of(store, event)]
    return "\n\n".join(parts)


def matches_text(store: Store, event: EventRow) -> str:
    """List the finished matches of an event, one per line, and then those set aside."""
    has_points = has_score_rule(event)
    parts = [_matches_table(store.matches(event.id), has_points=has_points)]
    if earlier := list(store.earlier_matches(event.id)):
        listed = _matches_table(earlier, has_points=has_points)
        parts.append(f"set aside, not counted:\n{listed}")
    return "\n\n".join(parts)


def _matches_table(matches: Iterable[MatchRow], *, has_points: bool) -> str:
    rows = [
        [
            str(match.id),
            " - ".join(seat.player for seat in match.seats),
            *([" ".join(str(seat.points) for seat in match.seats)] if has_points else []),
            " ".join(text.score(Decimal(seat.score)) for seat in match.seats),
            match.termination,
            str(match.plies),
            match.reason,
        ]
        for match in matches
    ]
    points = ["points"] if has_points else []
    header = ["match", "players by seat", *points, "scores", "termination", "plies", "reason"]
    spare = [column for column in ("scores", "plies") if column in header]
    width = text.width_of(sys.stdout)
    return text.narrowed(header, rows, left=len(header), spare=spare, width=width, tone=tone_of())


def match_text(match: MatchRow, record: Record, option: str = "") -> str:
    """Return the details of one match; `option` selects its database in a command."""
    verdict = record.verdict
    options = json.dumps(record.job.options)
    opening = opening_text(record.job)
    head = [
        f"match {match.id}: {' - '.join(seat.player for seat in match.seats)}",
        f"game {record.job.game} {options}, key {match.key}, seed {record.job.seed}",
        *([f"opening {opening}"] if opening else []),
        f"{verdict.termination} after {match.plies} plies: {verdict.reason}",
    ]
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
            text.seconds(seat.cpu_ns),
            text.seconds(seat.wall_ns),
            text.seconds(seat.charged_ns),
            text.seconds(seat.grace_ns),
            str(seat.near_limit),
        ]
        for number, seat in enumerate(match.seats)
    ]
    parts = ["\n".join(head), _seats_table(header, rows)]
    if valued := [
        f"  seat {seat} ({player.name}): {values}"
        for seat, player in enumerate(record.seats)
        if (values := values_text(record.calls, seat))
    ]:
        parts.append("\n".join(["value of the position, as each bot saw its own:", *valued]))
    parts += [_fault_text(fault, record.seats[fault.seat]) for fault in verdict.faults]
    honest = [seat for number, seat in enumerate(record.seats) if number not in verdict.offenders]
    if printed := [seat.name for seat in honest if seat.output_tail.strip()]:
        name = shlex.quote(printed[0])
        parts.append(
            f"printed something: {', '.join(printed)}; read it with:"
            f" arena show --match {match.id} --output {name}{option}"
        )
    parts.append(f"replay it with: arena replay {match.id}{option}")
    return "\n\n".join(parts)


def _seats_table(header: list[str], rows: list[list[str]]) -> str:
    spare = [column for column in ("near", "grace", "start", "wall", "place") if column in header]
    width = text.width_of(sys.stdout)
    return text.narrowed(header, rows, left=2, spare=spare, width=width, tone=tone_of())


def output_text(match: MatchRow, record: Record, player: str) -> str:
    """Return the end of a bot's output in a match; raises UsageError for an unknown player."""
    seats = [seat for seat in record.seats if seat.name == player]
    if not seats:
        names = [seat.name for seat in record.seats]
        raise UsageError(
            f"--output {quoted(player)}: no such player in match {match.id};"
            f" {did_you_mean(player, names)}"
        )
    tail = seats[0].output_tail
    if not tail:
        return f"{player} printed nothing in match {match.id}"
    cut = seats[0].output_bytes - len(tail.encode())
    head = [f"... {cut} bytes before this are not kept"] if cut > 0 else []
    return "\n".join([*head, visible(tail).rstrip("\n")])


def _start_text(seat: SeatReport) -> str:
    """Return the CPU time of a process started for the match before its first init, or "-"."""
    return "-" if seat.start_cpu_ns is None else text.seconds(seat.start_cpu_ns)


def _fault_text(fault: Fault, seat: SeatReport) -> str:
    who = f"seat {fault.seat} ({seat.name})"
    lines = [
        f"{who} at fault: {fault.termination}, call {fault.call}, ply {fault.ply}",
        f"  {fault.detail}",
    ]
    if seat.exit:
        lines.append(f"  the process had ended: {seat.exit}")
    if tail := seat.output_tail.strip():
        lines += ["  its last output:", *(f"    {line}" for line in tail.splitlines()[-20:])]
    return "\n".join(lines)
