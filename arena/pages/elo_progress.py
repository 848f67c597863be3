"""The Elo of each bot after each part of an event."""

from collections import Counter
from collections.abc import Iterable

from arena.ratings.comparisons import compare
from arena.ratings.rating import Strengths
from arena.results.standings import RatedMatch

PARTS = 12
"""Limit of the parts of equal length, before the last one."""


class EloProgress:
    """The ratings during an event; those of earlier parts are kept while matches are added."""

    def __init__(self, matches: Iterable[RatedMatch] = ()) -> None:
        """Begin with these matches, in the order in which they ended."""
        self._matches = list(matches)
        self._rated: dict[int, dict[str, float]] = {}
        """The rounded Elo of each bot by the number of matches before; empty without a rating."""

    def add(self, match: RatedMatch) -> None:
        """Add the next match."""
        self._matches.append(match)

    def to_json(self) -> dict[str, list[float | None]]:
        """Return the Elo after each part by bot; None before its first match."""
        counts: Counter[RatedMatch] = Counter()
        before, rated = 0, {}
        for end in self._ends():
            if end not in self._rated:
                counts.update(self._matches[before:end])
                before = end
                self._rated[end] = _elos(counts)
            rated[end] = self._rated[end]
        self._rated = rated
        names = sorted({seat.player for match in set(self._matches) for seat in match.seats})
        parts = [part for part in rated.values() if part]
        return {name: [part.get(name) for part in parts] for name in names}

    def _ends(self) -> list[int]:
        """Return the number of matches up to the end of each part."""
        count, length = len(self._matches), 1
        while count > PARTS * length:
            length *= 2
        return sorted({*range(length, count + 1, length), count} - {0})


def _elos(counts: Counter[RatedMatch]) -> dict[str, float]:
    found = Strengths(compare(counts))
    if found.groups != 1:
        return {}
    return {player: round(elo, 1) for player, elo in found.elos().items()}
