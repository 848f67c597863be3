"""A selection of the matches of an event as text: of one bot, with faults, or notable ones."""

from collections.abc import Iterable, Sequence

from arena import text
from arena.bot_output import error_line
from arena.errors import UsageError
from arena.ratings.notable import SEAT_COLUMNS, notable_matches, seat_cells
from arena.reading.names import one_form
from arena.reports.escaping import cut
from arena.results.store import EventRow, MatchRow, Store
from arena.terminal.tables import fitted, outcome_line
from arena.terminal.tones import tone_of
from protocol.vocabulary import Termination
from protocol.wording import did_you_mean, escaped, quoted
from referee.records.record import Fault, Record
from referee.records.result import SeatRow

_SPARE = ("CPU", "seat", "plies", "score", "reason")
"""Columns to drop from a narrow terminal, in this order."""

MAX_LAST_WORDS = 120
"""Limit of the characters of a line of output in a list."""


def matches_of(store: Store, event: EventRow, bot: str | None) -> list[MatchRow]:
    """Return the counting matches of an event or of all versions of a bot; raises UsageError."""
    matches = list(store.matches(event.id))
    if bot is None:
        return matches
    bot = one_form(bot)
    everything = [*matches, *store.earlier_matches(event.id)]
    found = [match for match in everything if _seats_of(match, bot)]
    broken = store.broken(event.id)
    if not found and bot in broken:
        raise UsageError(f"--bot {quoted(bot)}: it has played no match\n{broken[bot]}")
    if not found and bot not in event.entrants:
        played = (seat.player for match in everything for seat in match.seats)
        known = dict.fromkeys([*event.entrants, *broken, *played])
        raise UsageError(f"--bot {quoted(bot)}: no such bot; {did_you_mean(bot, list(known))}")
    return found


def bot_text(matches: Iterable[MatchRow], bot: str) -> str:
    """List the matches of a bot, one per line, seen from its seat."""
    rows = [
        [str(match.id), seat.player, *seat_cells(match, seat), match.reason]
        for match in matches
        for seat in _seats_of(match, bot)
    ]
    header = ["match", "bot", *SEAT_COLUMNS, "reason"]
    return fitted(header, rows, left=len(header), spare=_SPARE)


def faults_text(store: Store, matches: Iterable[MatchRow], bot: str | None) -> str:
    """List the faults of matches, one per line, or those of `bot` alone."""
    rows = []
    for match in matches:
        at_fault = [seat for seat in match.seats if seat.is_at_fault]
        if any(bot is None or _is_of(seat.player, bot) for seat in at_fault):
            rows += _fault_rows(match, store.record(match.id), bot)
    if not rows:
        return "no faults"
    header = ["match", "bot", "fault", "call", "ply", "detail"]
    return text.table(header, rows, left=len(header), tone=tone_of())


def notable_text(matches: Sequence[MatchRow], rated: Iterable[MatchRow]) -> str:
    """Return the notable matches by kind, one per line."""
    parts = [
        "\n".join(
            [f"{title}:", *(f"  {outcome_line(match)} ({remark})" for match, remark in noted)]
        )
        for title, noted in notable_matches(matches, rated)
    ]
    return "\n\n".join(parts) or f"nothing notable in {text.plural(len(matches), 'match')}"


def _fault_rows(match: MatchRow, record: Record, bot: str | None) -> list[list[str]]:
    return [
        [
            str(match.id),
            match.seats[fault.seat].player,
            fault.termination,
            fault.call,
            str(fault.ply),
            escaped(fault.detail.partition("\n")[0] + _last_words(fault, record)),
        ]
        for fault in record.verdict.faults
        if bot is None or _is_of(match.seats[fault.seat].player, bot)
    ]


def _last_words(fault: Fault, record: Record) -> str:
    """Return the error in the output of a bot that ended; otherwise nothing."""
    if fault.termination not in (Termination.CRASH, Termination.NO_SHOW):
        return ""
    line = error_line(record.seats[fault.seat].output_tail)
    return f": {cut(line, MAX_LAST_WORDS)}" if line else ""


def _seats_of(match: MatchRow, bot: str) -> list[SeatRow]:
    return [seat for seat in match.seats if _is_of(seat.player, bot)]


def _is_of(player: str, bot: str) -> bool:
    """Whether a player is the bot or an earlier version of it."""
    name, _, version = player.rpartition("@")
    return player == bot or (name == bot and version.isdecimal())
