"""Finished matches as an update of an event needs them, without their records and times."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from arena.results.database import Database
from arena.results.one_line import one_line
from referee.records.result import SeatRow


class MatchHead(NamedTuple):
    """A finished match, counting or set aside."""

    id: int
    key: str
    board: int
    variant: str
    essence: str
    """Hash of its rules, bots and seeds."""
    is_counting: bool
    seats: tuple[SeatRow, ...]
    """The results without times, under the names in the schedule, also of earlier versions."""
    contents: tuple[str, ...]
    """Content hashes of the bots, by seat."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the players in the schedule, by seat."""
        return names_in(self.key)


def names_in(key: str) -> tuple[str, ...]:
    """Return the names of the players of a match, by seat."""
    return _split(key.partition("/")[0])


@lru_cache(maxsize=1024)
def _split(names: str) -> tuple[str, ...]:
    """Return the names; an event may have millions of matches, and equal ones share theirs."""
    return one_line(names.split(","))


def match_heads(db: Database, event: int) -> Iterator[MatchHead]:
    """Yield all matches of an event in the order they were finished."""
    contents = dict(db.rows("SELECT id, content FROM version WHERE event = ?", (event,)))
    matches = db.rows(
        "SELECT id, key, board, variant, essence, aside = 0 FROM match WHERE event = ? ORDER BY id",
        (event,),
    )
    seats = db.rows(
        "SELECT match.id, points, place, score, fault, unplayed, version FROM match"
        " JOIN seat ON seat.match = match.id WHERE event = ? ORDER BY match.id, seat",
        (event,),
    )
    same: dict[Any, Any] = {}  # many matches end alike, and share what is equal
    for (number, key, *about), (_, group) in zip(
        matches, groupby(seats, itemgetter(0)), strict=True
    ):
        own = list(group)
        results = tuple(
            SeatRow(name, points, place, score, fault, 0, 0, 0, 0, is_unplayed=bool(unplayed))
            for name, (_, points, place, score, fault, unplayed, _) in zip(
                names_in(key), own, strict=True
            )
        )
        versions = tuple(contents[row[-1]] for row in own)
        shared = (same.setdefault(each, each) for each in (results, versions))
        yield MatchHead._make((number, key, *about, *shared))
