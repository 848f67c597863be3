"""Scatter of results compared with independent wins and losses, for errors that hold.

The likelihood takes all comparisons as independent, each won or lost. Draws scatter less. The
matches on one board depend on each other: an opening that favours a seat makes the total of both
orders scatter less, one that suits a bot makes it scatter more. And the comparisons of a match of
several seats depend on each other. The variance of an estimate is therefore that of the likelihood
times the ratio of the observed scatter to the assumed one, which is the sandwich estimate of the
variance with matches and boards as clusters (Huber 1967; Liang & Zeger 1986). The log-likelihood is
divided by the same ratio (Chandler & Bate 2007), so that intervals keep their unequal ends.

A ratio from few clusters is uncertain, and one-sided results say nothing about it. So that of the
matches is averaged with 1, and that of the boards with that of the matches: each as if TRUST more
clusters had shown it. The remaining uncertainty gives the degrees of freedom of Student's
distribution (Satterthwaite 1946), in place of the normal one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from arena.ratings.comparisons import Cluster, Comparisons
from arena.ratings.likelihood import Cell, Expected, Likelihood, Matrix, Vector, dot
from arena.ratings.student import NORMAL, from_normal

TRUST = 2.0
"""Weight of the value that a ratio is averaged with, in clusters."""
LEAST_FREEDOM = 3.0
LEAST = 1e-6
"""Least number of clusters, to divide by."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """Variance of an estimate, as a multiple of that by the likelihood."""

    value: float
    variance: float = 0.0
    """Its own variance."""

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the estimate's distribution."""
        if self.variance <= 0:
            return 1e6
        return max(2 * self.value**2 / self.variance, LEAST_FREEDOM)

    @property
    def reach(self) -> float:
        """Half the width of a 95 % interval, in standard errors."""
        return from_normal(NORMAL, self.freedom)


class _Clusters:
    """The scatter of clusters."""

    def __init__(
        self, clusters: Sequence[Cluster], cells: Mapping[Cell, Expected], size: int
    ) -> None:
        self.scatter: Matrix = [[0.0] * size for _ in range(size)]
        information = [0.0] * size
        squares = [0.0] * size
        for cluster in clusters:
            slopes: dict[int, float] = {}
            weights: dict[int, float] = {}
            fourth: dict[int, float] = {}
            for cell, (times, score) in cluster.scores.items():
                share, by_gap, by_seat = cells[cell]
                chance = share * (1 - share)
                more, weight = score - times * share, times * chance
                rest = weight * (1 - 6 * chance)
                for at, by in (
                    (cell.one, by_gap),
                    (cell.other, -by_gap),
                    (cell.seat, by_seat),
                    (cell.later, -by_seat),
                ):
                    slopes[at] = slopes.get(at, 0.0) + more * by
                    weights[at] = weights.get(at, 0.0) + weight * by * by
                    fourth[at] = fourth.get(at, 0.0) + rest * by**4
            for at, slope in slopes.items():
                row = self.scatter[at]
                part = cluster.times * slope
                for other, other_slope in slopes.items():
                    row[other] += part * other_slope
            for at, weight in weights.items():
                information[at] += cluster.times * weight
                squares[at] += cluster.times * (weight * weight + max(fourth[at], 0.0) / 2)
        self.number = [
            part * part / square if square else 0.0
            for part, square in zip(information, squares, strict=True)
        ]
        """Effective number of clusters by parameter."""

    def number_of(self, parts: Mapping[int, float]) -> float:
        """Return the effective number of clusters of an estimate: a harmonic mean."""
        whole = sum(abs(part) for part in parts.values())
        return whole / sum(abs(part) / max(self.number[at], LEAST) for at, part in parts.items())

    def ratio(self, influence: Vector, assumed: float, number: float, usual: Ratio) -> Ratio:
        """Return the ratio for an estimate with this influence of each parameter's slope."""
        found = dot(influence, [dot(row, influence) for row in self.scatter]) / assumed
        freedom = max(number - 1, 0.0)
        whole = freedom + TRUST
        value = (number * found + TRUST * usual.value) / whole
        own = 2 * (number * found) ** 2 / max(freedom, number / 2) if number else 0.0
        return Ratio(value, (own + TRUST**2 * usual.variance) / whole**2)


class Scatter:
    """Scatter of the results of comparisons around their expectations at the maximum."""

    def __init__(
        self, comparisons: Comparisons, likelihood: Likelihood, point: Sequence[float]
    ) -> None:
        cells = {cell: each for cell, _, each in likelihood.cells(point)}
        size = len(point)
        self._matches = _Clusters(comparisons.by_match, cells, size)
        self._boards = (
            _Clusters(comparisons.by_board, cells, size) if comparisons.boards > 1 else None
        )

    def ratio(self, influence: Vector, assumed: float, parts: Mapping[int, float]) -> Ratio:
        """Return the ratio for an estimate.

        `assumed` is its variance by the likelihood without the prior, `parts` what each parameter
        has in it: a parameter with few clusters makes the ratio uncertain by its part.
        """
        usual = self._matches.ratio(influence, assumed, self._matches.number_of(parts), Ratio(1.0))
        if self._boards is None:
            return usual
        return self._boards.ratio(influence, assumed, self._boards.number_of(parts), usual)
