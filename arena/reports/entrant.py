"""A page of Markdown about one player of an event: place, opponents, matches, times, faults."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from arena.errors import UsageError
from arena.ratings.notable import SEAT_COLUMNS, seat_cells
from arena.reading.names import one_form
from arena.reports.escaping import DETAIL, cut, markdown, paragraph, table_parts, xml_text
from arena.reports.notes import updates_text
from arena.reports.report import FaultNote, faults_of
from arena.results.standings import Standing, Table
from arena.results.store import EventRow, MatchRow, Store
from arena.text import cpu_time, plural, score, seconds
from protocol.vocabulary import Termination
from protocol.wording import did_you_mean, quoted
from referee.records.record import Record
from referee.records.result import SeatRow

SHOWN_FAULTS = 20
"""Matches whose faults are shown in full: a bot may print 8 KB in each of thousands."""
EXPLANATIONS = {
    Termination.NO_SHOW: "The bot did not start, or sent no valid hello in time.",
    Termination.MALFORMED: "The bot sent something that is no valid message of the protocol.",
    Termination.OVERSIZE: "The bot sent a message above the size limit.",
    Termination.ILLEGAL_MOVE: "The bot sent a move that the rules do not allow in this position.",
    Termination.FALSE_CLAIM: "The bot claimed something that is not so, or made no required claim.",
    Termination.TIMEOUT: "The bot used more time than a limit allows.",
    Termination.CRASH: "The process of the bot ended, or closed its connection, during the match.",
    Termination.MEMORY: "The processes of the bot used more memory than the limit allows.",
}
"""Meaning of each fault for the author of a bot."""


@dataclass(frozen=True)
class Appearance:
    """A match of the player, seen from its seat."""

    match: MatchRow
    seat: SeatRow
    longest_ns: int
    """CPU time of its longest move, or wall time where that is charged."""


def names_of(store: Store, event: EventRow) -> list[str]:
    """Return the names of all players of an event, those that did not play last."""
    return list(dict.fromkeys([*event.entrants, *store.broken(event.id)]))


def entrant_text(store: Store, event: EventRow, table: Table, name: str) -> str:
    """Return the page of a player; raises UsageError if the event has no such player."""
    name = one_form(name)
    broken = store.broken(event.id)
    known = names_of(store, event)
    if name not in known:
        raise UsageError(f"--for {quoted(name)}: no such bot; {did_you_mean(name, known)}")
    parts = [f"# {markdown(name)} in {markdown(event.name)}\n"]
    parts += [f"{paragraph(_place(table, name))}\n", f"{paragraph(_where(store, event))}\n"]
    if reason := store.withdrawals(event.id).get(name):
        text = f"Withdrawn after {reason}: the rest of its matches is forfeited unplayed."
        parts.append(f"{paragraph(text)}\n")
    if name in broken:
        parts.append(f"## Reason it did not play\n\n{_box(broken[name])}")
    if appearances := list(_appearances(store, event, name)):
        parts += [_opponents(table, name), _times(event, appearances), _matches(appearances)]
    parts += _faults(store, [each.match for each in appearances], name)
    if updates := updates_text(store, event):
        parts.append(f"## Changes while the event ran\n\n{_box(updates)}")
    if earlier := _earlier(store, event, name):
        parts.append(earlier)
    return "\n".join(parts)


def _place(table: Table, name: str) -> str:
    ranked = table.ranked()
    found = [(rank, row) for rank, row in ranked if row.player == name]
    if not found or not found[0][1].matches:
        return "It has played no match."
    rank, row = found[0]
    return f"Place {rank} of {len(ranked)}: {_sums(row)}."


def _sums(row: Standing) -> str:
    lost = plural(row.losses, "loss")
    unplayed = f", {row.unplayed} of them unplayed" if row.unplayed else ""
    return (
        f"score {score(row.score)}, {plural(row.wins, 'win')}, {plural(row.draws, 'draw')}, {lost}"
        f" in {plural(row.matches, 'match')}{unplayed}; {plural(row.faults, 'fault')}"
    )


def _where(store: Store, event: EventRow) -> str:
    game = event.config.get("game", {}).get("name", "")
    return f"Event {event.id} of {event.created[:10]} in {store.path}, game {game}."


def _appearances(store: Store, event: EventRow, name: str) -> Iterator[Appearance]:
    is_wall = event.config.get("time", {}).get("clock") == "wall"
    for match in store.matches(event.id):
        for number, seat in enumerate(match.seats):
            if seat.player == name:
                record = store.record(match.id)
                yield Appearance(match, seat, _longest_ns(record, number, is_wall=is_wall))


def _longest_ns(record: Record, seat: int, *, is_wall: bool) -> int:
    moves = [call for call in record.calls if call.seat == seat and call.call == "move"]
    return max((call.wall_ns if is_wall else call.cpu_ns for call in moves), default=0)


def _opponents(table: Table, name: str) -> str:
    rows = [
        [other, str(duel.wins), str(duel.draws), str(duel.losses), score(duel.score)]
        for (player, other), duel in table.duels.items()
        if player == name
    ]
    if not rows:
        return ""
    return "## Against each opponent\n" + _table(["bot", "+", "=", "-", "score"], sorted(rows))


def _times(event: EventRow, appearances: Sequence[Appearance]) -> str:
    limits = event.config.get("time", {})
    played = [each for each in appearances if not each.seat.is_unplayed]
    if not played:
        return ""
    longest = max(played, key=lambda each: each.longest_ns)
    cpu_ns = sum(each.seat.cpu_ns for each in played)
    is_exact = all(each.seat.is_clock_exact for each in played)
    clock = "wall clock" if limits.get("clock") == "wall" else "CPU"
    rows = [
        ["CPU time, all matches", cpu_time(cpu_ns, is_exact=is_exact)],
        ["wall time, all matches", seconds(sum(each.seat.wall_ns for each in played))],
        [f"longest move ({clock})", f"{seconds(longest.longest_ns)}, match {longest.match.id}"],
        ["limit of a move", str(limits.get("per_move", "none"))],
        ["replies above 90 % of a limit", str(sum(each.seat.near_limit for each in played))],
    ]
    return "## Times\n" + _table(["", ""], rows)


def _matches(appearances: Iterable[Appearance]) -> str:
    rows = [
        [
            str(each.match.id),
            *seat_cells(each.match, each.seat),
            seconds(each.longest_ns),
            each.match.reason,
        ]
        for each in appearances
    ]
    header = ["match", *SEAT_COLUMNS, "longest move", "reason"]
    return "## Matches\n" + _table(header, rows)


def _faults(store: Store, matches: Sequence[MatchRow], name: str) -> Iterator[str]:
    faulty = [
        match
        for match in matches
        if any(seat.is_at_fault for seat in match.seats if seat.player == name)
    ]
    if faulty:
        yield "## Faults\n"
    for fault in faults_of(store, faulty[:SHOWN_FAULTS]):
        if fault.bot == name:
            yield _fault(fault)
    if (more := len(faulty) - SHOWN_FAULTS) > 0:
        yield f"The faults of {plural(more, 'more match')} are in the table above only.\n"


def _fault(fault: FaultNote) -> str:
    head = f"match {fault.match}: {fault.termination}, call {fault.call}, ply {fault.ply}"
    meaning = EXPLANATIONS.get(Termination(fault.termination), "")
    return f"### {markdown(head)}\n\n{meaning}\n\n{_box(fault.text())}"


def _earlier(store: Store, event: EventRow, name: str) -> str:
    """Return the results of the earlier versions of a player; empty without one."""
    earlier = Table(())
    for match in store.earlier_matches(event.id):
        earlier.add(match.seats)
    versions = [
        [row.player, _sums(row)]
        for row in earlier.rows.values()
        if row.player.rpartition("@")[0] == name
    ]
    if not versions:
        return ""
    note = "Their matches are kept and do not count.\n"
    return f"## Earlier versions\n\n{note}" + _table(["version", "results"], sorted(versions))


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(table_parts(header, rows))


def _box(text: str) -> str:
    return f"<pre>{xml_text(cut(text, DETAIL))}</pre>\n"
