"""Export of an event for other programs: records as JSON lines, seats as CSV."""

import csv
import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, TextIO

from arena.errors import StoreError, UsageError
from arena.formats.event_results import table_of
from arena.ratings.text import compared, rated
from arena.reports.escaping import csv_cell
from arena.reports.notes import short_reason
from arena.results.secrecy import SEEDS, is_secret
from arena.results.store import EventRow, MatchRow, Store
from arena.text import whole_score
from referee.job import SECOND_NS
from referee.records.checking import check_record
from referee.records.record import Record
from referee.records.replay import ReplayError
from referee.rules import Game

_SEATS = (
    "event,match,key,board,variant,termination,reason,plies,finished,seat,player,points,place,score"
    ",fault,wall_ns,cpu_ns,charged_ns,grace_ns,unplayed,is_clock_exact"
)


def export_jsonl(store: Store, event: int, out: TextIO) -> None:
    """Write the full record of every match, one JSON object per line; without secret seeds."""
    row = store.event(event)
    hidden = SEEDS if row is not None and is_secret(row) else ()
    for match in store.matches(event):
        print(store.record_line(match.id, hidden), file=out)


def export_csv(store: Store, event: int, out: TextIO) -> None:
    """Write one row per seat of every match. No text cell starts like a formula."""
    writer = csv.writer(out, lineterminator="\n")
    print(_SEATS, file=out)
    for match in store.matches(event):
        facts = [match.event, match.id, match.key, match.board, match.variant, match.termination]
        facts += [match.reason, match.plies, match.finished]
        for number, seat in enumerate(match.seats):
            times = [seat.wall_ns, seat.cpu_ns, seat.charged_ns, seat.grace_ns]
            # the score is a number, and may be negative
            result = [seat.points, seat.place, Decimal(seat.score), seat.fault or ""]
            flags = [int(seat.is_unplayed), int(seat.is_clock_exact)]
            row = [*facts, number, seat.player, *result, *times, *flags]
            writer.writerow([csv_cell(cell) if isinstance(cell, str) else cell for cell in row])


_MOVES = "event,match,key,ply,seat,player,move,wall_ns,cpu_ns,charged_ns,note,value,plan,data"


def export_moves(store: Store, event: int, out: TextIO) -> None:
    """Write one row per move of every match; plan and data as JSON."""
    writer = csv.writer(out, lineterminator="\n")
    print(_MOVES, file=out)
    for match in store.matches(event):
        for call in store.record(match.id).calls:
            if call.notation is not None:
                player = "" if call.seat is None else match.seats[call.seat].player
                texts = [match.key, call.notation, call.note or ""]
                key, move, note = map(csv_cell, texts)
                facts = [event, match.id, key, call.ply, call.seat, csv_cell(player), move]
                value = "" if call.value is None else call.value
                remarks = [
                    csv_cell(json.dumps(each)) if each else "" for each in (call.plan, call.data)
                ]
                times = [call.wall_ns, call.cpu_ns, call.charged_ns]
                writer.writerow([*facts, *times, note, value, *remarks])


_STANDINGS = (
    "rank,bot,score,elo,elo_low,elo_high,points,wins,draws,losses,matches,unplayed,adjudicated,faults"
    ",cpu_s,wall_s,cpu_per_match_s,is_clock_exact,reason"
)


def export_standings(store: Store, event: EventRow, out: TextIO) -> None:
    """Write one row per bot, best first, absent ones last with the reason. Times are in seconds."""
    reasons = _reasons(store, event)
    table = table_of(store, event)
    elo = {each.player: each for each in compared(event, rated(event, table.outcomes))}
    writer = csv.writer(out, lineterminator="\n")
    print(_STANDINGS, file=out)
    for rank, row in table.ranked():
        rating = elo.get(row.player)
        counts = [row.points, row.wins, row.draws, row.losses, row.matches]
        counts += [row.unplayed, row.adjudicated]
        times = [row.cpu_ns, row.wall_ns, row.cpu_ns // max(1, row.matches - row.unplayed)]
        writer.writerow(
            [
                *(rank, csv_cell(row.player), whole_score(row.score)),
                *(map(round, rating.elo) if rating else ("", "", "")),
                *counts,
                row.faults,
                *(f"{time / SECOND_NS:.3f}" for time in times),
                int(row.is_clock_exact),
                csv_cell(reasons.get(row.player, "")),
            ]
        )
    empty = [""] * (_STANDINGS.count(",") - 2)
    for name in sorted({*store.broken(event.id)} - {*table.players}):
        writer.writerow(["", csv_cell(name), *empty, csv_cell(reasons[name])])


def _reasons(store: Store, event: EventRow) -> dict[str, str]:
    """Return in one line why players did not play, or not all of their matches."""
    withdrawn = store.withdrawals(event.id)
    reasons = {name: f"withdrawn after {reason}" for name, reason in withdrawn.items()}
    broken = store.broken(event.id)
    return reasons | {name: short_reason(detail) for name, detail in broken.items()}


def checked_matches(
    store: Store, event: EventRow, option: str, games: Sequence[type[Game[Any, Any]]]
) -> Iterator[tuple[MatchRow, Record]]:
    """Yield the matches of an event, checked against the rules.

    Raises:
        UsageError: the event is not of one of these games.
        StoreError: a record contradicts the rules.

    """
    names = [game.name for game in games]
    for match in store.matches(event.id):
        record = store.record(match.id)
        if record.job.game not in names:
            raise UsageError(
                f"{option} writes matches of {' and '.join(names)},"
                f" and this event is of {record.job.game}"
            )
        try:
            check_record(record)
        except ReplayError as error:
            raise StoreError(f"{store.path}: match {match.id} is damaged: {error}") from None
        yield match, record
