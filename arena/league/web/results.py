"""Matches of the season, read from arena.db for a page."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass

from arena.league.web.here import league
from arena.results.store import EventRow, MatchRow, Store
from referee.records.record import Record

MAX_NUMBER = 2**62
LATEST = 50
"""Number of the latest matches of a bot on its page."""


@dataclass(frozen=True)
class KeptMatch:
    """A match with its event and record."""

    event: EventRow
    row: MatchRow
    record: Record


@contextmanager
def _store() -> Iterator[Store | None]:
    """Yield the database; None before the first match."""
    path = league().arena_db
    if not path.exists():
        yield None
        return
    with closing(Store(path)) as store:
        yield store


def match_row(number: int) -> MatchRow | None:
    """Return a match by its number."""
    with _store() as store:
        return None if store is None or number > MAX_NUMBER else store.match(number)


def kept_match(number: int) -> KeptMatch | None:
    """Return a match by its number, with its record."""
    with _store() as store:
        row = None if store is None or number > MAX_NUMBER else store.match(number)
        event = None if store is None or row is None else store.event(row.event)
        if store is None or row is None or event is None:
            return None
        return KeptMatch(event, row, store.record(number))


def latest_matches(players: Sequence[str]) -> list[MatchRow]:
    """Return the latest matches of these players, the newest first."""
    marks = ", ".join("?" * len(players))
    query = (
        f"SELECT DISTINCT match FROM seat WHERE player IN ({marks})"  # noqa: S608 - marks only
        f" ORDER BY match DESC LIMIT {LATEST}"
    )
    with _store() as store:
        if store is None or not players:
            return []
        numbers = [number for (number,) in store.database.rows(query, tuple(players))]
        found = (store.match(number) for number in numbers)
        return [match for match in found if match is not None]
