"""Voids of a machine's results: all pairs with a match that it has played since a time.

A pair is void as a whole. Its matches are set aside, as after a change of an event, and never
played again: their versions meet others. An order is kept in the site's database and carried out by
the director, the only writer of matches; one that does not run carries it out at its next start.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from arena.cluster.orders import DIRECTOR
from arena.results.store import MatchRow, Store

_UNITS = (
    "SELECT DISTINCT board FROM match LEFT JOIN worker ON worker.match = match.id"
    " WHERE event = ?1 AND aside = 0 AND finished >= ?2"
    " AND coalesce(worker.name, ?3) = ?4"
)
_THERE = (
    "SELECT coalesce(worker.name, ?3), count(*), max(finished) FROM match"
    " LEFT JOIN worker ON worker.match = match.id WHERE event = ?1 AND aside = 0"
    " AND finished >= ?2 GROUP BY 1 ORDER BY 1"
)


@dataclass
class VoidPreview:
    """What a void changes."""

    matches: list[MatchRow]
    """Matches that it sets aside, those of other machines in the same pairs too."""
    versions: Counter[str] = field(default_factory=Counter)
    """Number of these matches of each version."""


def preview(store: Store, event: int, machine: str, since: datetime) -> VoidPreview:
    """Return what a void of a machine's results changes now."""
    matches = _matches(store, event, machine, since)
    versions = Counter(seat.player for match in matches for seat in match.seats)
    return VoidPreview(matches, versions)


def machines_since(store: Store, event: int, since: datetime) -> list[tuple[str, int, str]]:
    """Return each machine with the number of its matches since a time, and the last one's end."""
    return list(store.database.rows(_THERE, _values(event, since)))


def set_aside(store: Store, event: int, machine: str, since: datetime) -> list[MatchRow]:
    """Set the matches of a machine aside, in whole pairs, and return them."""
    with store.database.transaction() as db:
        matches = _matches(store, event, machine, since)
        (last,) = store.database.row("SELECT max(aside) FROM match WHERE event = ?", (event,))
        db.executemany(
            "UPDATE match SET aside = ? WHERE id = ?",
            [((last or 0) + 1, match.id) for match in matches],
        )
    return matches


def _matches(store: Store, event: int, machine: str, since: datetime) -> list[MatchRow]:
    values = (*_values(event, since), machine)
    query = (
        "SELECT id FROM match WHERE event = ?1 AND aside = 0"  # noqa: S608 - constants
        f" AND board IN ({_UNITS}) ORDER BY id"
    )
    numbers = [number for (number,) in store.database.rows(query, values)]
    found = (store.match(number) for number in numbers)
    return [match for match in found if match is not None]


def _values(event: int, since: datetime) -> tuple[int, str, str]:
    return event, since.astimezone(UTC).isoformat(timespec="milliseconds"), DIRECTOR
