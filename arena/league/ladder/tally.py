"""The counts of a season from which its versions are rated, added up as matches end.

A unit is the matches of a meeting: one in each rotation of the seats, so that no seat is an
advantage. Its matches compare every two seats (`arena.ratings.comparisons`). Only the counts of
each pairing are kept, and the latest units one by one, which show how far results scatter. A unit
of which a match is void is not rated, or is completed first.

    tally.add([match, turned_match])
    tally.add_pairing("alice-3", "greedy", times=400, score=310.5)
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena.ratings.comparisons import compared_seats
from arena.results.standings import RatedMatch

RECENT = 4000
"""Number of units kept one by one."""

Pair = tuple[str, str]
"""Two versions in sorted order."""


class Score(NamedTuple):
    """Comparisons of two versions, and the sum of the scores of the first."""

    times: float
    score: float


Unit = Mapping[Pair, Score]
"""The comparisons of a unit."""


class Tally:
    """Counts of a season."""

    def __init__(self) -> None:
        self._pairings: dict[Pair, Score] = {}
        self.matches: Counter[str] = Counter()
        """Number of rated matches of each version."""
        self.recent: deque[Unit] = deque(maxlen=RECENT)
        """The latest units, the latest last."""

    def add(self, unit: Iterable[RatedMatch]) -> None:
        """Add the matches of a meeting."""
        matches = list(unit)
        self._count(matches, 1)
        if compared := unit_of(matches):
            self.recent.append(compared)

    def remove(self, unit: Iterable[RatedMatch]) -> None:
        """Take a unit back that was added and has become void."""
        matches = list(unit)
        self._count(matches, -1)
        compared = unit_of(matches)
        if compared in self.recent:
            self.recent.remove(compared)

    def add_pairing(self, one: str, other: str, *, times: float, score: float) -> None:
        """Add counts of the past: comparisons of two versions, and the score of the first."""
        pair = (one, other) if one < other else (other, one)
        mine = score if one < other else times - score
        before = self._pairings.get(pair, Score(0.0, 0.0))
        after = Score(before.times + times, before.score + mine)
        if after.times > 0:
            self._pairings[pair] = after
        else:
            self._pairings.pop(pair, None)

    def pairings(self) -> Iterator[tuple[Pair, Score]]:
        """Yield the counts of each pairing in sorted order."""
        yield from sorted(self._pairings.items())

    def to_values(self) -> dict[str, Any]:
        """Return the counts as values of JSON."""
        return {
            "pairings": [[*pair, *score] for pair, score in self.pairings()],
            "matches": dict(self.matches),
            "recent": [[[*pair, *score] for pair, score in unit.items()] for unit in self.recent],
        }

    @classmethod
    def of_values(cls, values: Mapping[str, Any]) -> "Tally":
        """Return the counts of such values."""
        tally = cls()
        tally._pairings = dict(map(_pairing_of, values["pairings"]))
        tally.matches = Counter(values["matches"])
        tally.recent.extend(dict(map(_pairing_of, unit)) for unit in values["recent"])
        return tally

    def between(self, one: str, other: str) -> Score:
        """Return the comparisons of two versions, and the score of the first."""
        found = self._pairings.get((min(one, other), max(one, other)), Score(0.0, 0.0))
        return found if one < other else Score(found.times, found.times - found.score)

    def _count(self, matches: Iterable[RatedMatch], sign: int) -> None:
        for match in matches:
            for (one, other), (times, score) in unit_of([match]).items():
                self.add_pairing(one, other, times=sign * times, score=sign * score)
            for seat in () if match.is_unplayed else match.seats:
                self.matches[seat.player] += sign


def unit_of(matches: Iterable[RatedMatch]) -> Unit:
    """Return the comparisons of matches."""
    found: dict[Pair, Score] = {}
    for match in matches:
        for one, other, score in () if match.is_unplayed else compared_seats(match.seats):
            mine, its = match.seats[one].player, match.seats[other].player
            if mine == its:
                continue
            pair, won = ((mine, its), score) if mine < its else ((its, mine), 1 - score)
            before = found.get(pair, Score(0.0, 0.0))
            found[pair] = Score(before.times + 1, before.score + won)
    return found


def _pairing_of(values: Sequence[Any]) -> tuple[Pair, Score]:
    one, other, times, score = values
    return (one, other), Score(times, score)
