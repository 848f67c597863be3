"""How far the results of units scatter, compared with independent wins and losses.

Draws scatter less, boards that favour a seat less, and boards that suit a bot more; the comparisons
of a match of several seats depend on each other. What each unit adds to a version's score beyond
the expected one is squared, and compared with the variance that its comparisons would have.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

TRUST = 10.0
"""Weight of independent results, in variances of a comparison of a clear favourite with another."""
LEAST = 0.05


class Pairing(NamedTuple):
    """Two versions by number, the first the higher one, and their comparisons."""

    one: int
    other: int
    times: float
    score: float


class Units:
    """The latest units of a season."""

    def __init__(self, units: Iterable[Sequence[Pairing]]) -> None:
        self._alone: dict[tuple[int, int], list[float]] = {}
        """Sums of times, times ** 2, times * score and score ** 2 of the units of a pairing."""
        self._several: list[Sequence[Pairing]] = []
        for unit in units:
            if len(unit) != 1:
                self._several.append(unit)
                continue
            ((one, other, times, score),) = unit
            sums = self._alone.setdefault((one, other), [0.0] * 4)
            for at, by in enumerate((times, times * times, times * score, score * score)):
                sums[at] += by

    def scatter(self, point: Sequence[float], pairing: float) -> float:
        """Return the variance as a multiple of the independent one.

        `pairing` is the variance of a pairing's effect, which is no scatter.
        """
        found = assumed = TRUST
        for (one, other), (times, squares, mixed, scores) in self._alone.items():
            p = 1 / (1 + math.exp(point[other] - point[one]))
            assumed += 2 * times * p * (1 - p)
            found += 2 * (scores - 2 * p * mixed + p * p * squares)
            found -= 2 * pairing * squares * (p * (1 - p)) ** 2
        for unit in self._several:
            more: dict[int, float] = {}
            for one, other, times, score in unit:
                p = 1 / (1 + math.exp(point[other] - point[one]))
                more[one] = more.get(one, 0.0) + score - times * p
                more[other] = more.get(other, 0.0) - score + times * p
                assumed += 2 * times * p * (1 - p)
                found -= 2 * pairing * (times * p * (1 - p)) ** 2
            found += sum(above * above for above in more.values())
        return max(found / assumed, LEAST)
