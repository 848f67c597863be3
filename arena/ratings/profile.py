"""Profile likelihood: unequal ends of intervals, and probabilities of one-sided statements.

The ends of the interval of a difference are the values at which the log-likelihood, maximized over
everything else, is lower than its maximum by half the square of a normal value. One-sided results
have no upper end but by the prior, and their lower end is right where that from a standard error
is far too low (Hauck & Donner 1977). Each step improves the difference and everything else at once
(Venzon & Moolgavkar 1988).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from arena.ratings.comparisons import Comparisons
from arena.ratings.likelihood import Likelihood, Matrix, Vector, dot, limited, solve
from arena.ratings.scatter import Ratio, Scatter
from arena.ratings.student import to_normal

Contrast = Mapping[int, float]
"""A difference: weights of parameters, with a sum of 0 for players."""

STEPS = 60
CLOSE = 0.03
"""Length of the last step towards an end, in standard errors: the next would be far shorter."""
ALMOST = 0.006
"""Gain promised by the last step of everything else, in units of twice the likelihood."""
FEW = 16
"""Number of parameters up to which the curvature is computed anew in each step."""
SLOW = 0.25
"""Promise of a step, as a part of the one before, above which the curvature is computed anew."""
NEAR = 0.2
"""Promise of a step of everything else up to which the difference is changed in the same step."""
KEPT = 0.25
"""Least gain of a step that is made, as a part of its promise."""
PARTS = tuple(0.5**number for number in range(11))
"""Parts of a step of everything else that are tried."""
LONGEST = 4.0
"""Longest step towards an end, in standard errors."""
LEAST = 1e-6
"""Least loss and slope towards an end: rounding and slow steps may leave less, or below 0."""
CERTAIN = 1e-12
"""Least variance of a difference, that of an error of 0.0002 Elo: rounding hides less."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A difference with the ends of its 95 % interval, in units of the parameters."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class _Peak:
    """The maximum of a likelihood."""

    likelihood: Likelihood
    point: Vector
    value: float
    factor: Matrix
    """Factor of the curvature."""


class Profile:
    """The likelihood around its maximum."""

    def __init__(self, comparisons: Comparisons, likelihood: Likelihood, point: Vector) -> None:
        """Create it from the comparisons of `likelihood` and its maximum."""
        value, factor = likelihood.slope(point)[0], likelihood.factored(point)
        self._peak = _Peak(likelihood, point, value, factor)
        self._scatter = Scatter(comparisons, likelihood, point)

    def value(self, contrast: Contrast) -> float:
        """Return a difference at the maximum."""
        return math.fsum(by * self._peak.point[at] for at, by in contrast.items())

    def estimate(self, contrast: Contrast) -> Estimate:
        """Return a difference with its interval."""
        ratio = self.ratio(contrast)
        reach = ratio.reach * math.sqrt(ratio.value)
        value = self.value(contrast)
        error = math.sqrt(_variance(contrast, _shares(self._peak.factor, contrast)))
        low, high = (
            value + unit * _Walk(self._peak, _divided(contrast, unit)).to_root(reach)
            for unit in (-error, error)
        )
        return Estimate(value, low, high)

    def likelihood_above(self, contrast: Contrast) -> float:
        """Return the probability that a difference is above 0, from the signed root."""
        value = self.value(contrast)
        ratio = self.ratio(contrast)
        loss = _Walk(self._peak, contrast).root_at(-value)
        root = math.copysign(loss, value) / math.sqrt(ratio.value)
        return 0.5 * (1 + math.erf(to_normal(root, ratio.freedom) / math.sqrt(2)))

    def ratio(self, contrast: Contrast) -> Ratio:
        """Return the ratio by which results scatter more than the likelihood assumes."""
        influence = _shares(self._peak.factor, contrast)
        parts = {at: by * influence[at] for at, by in contrast.items()}
        assumed = math.fsum(parts.values())
        assumed -= self._peak.likelihood.precision * dot(influence, influence)
        return self._scatter.ratio([*influence, 0.0], assumed, parts)


class _Walk:
    """A walk along a difference, with everything else as likely as possible."""

    def __init__(self, peak: _Peak, contrast: Contrast) -> None:
        self._peak = peak
        self._contrast = contrast
        self._point = list(peak.point)
        self._turn(peak.factor)
        self._gain = math.inf

    def to_root(self, wanted: float) -> float:
        """Return the distance at which the root of twice the loss is `wanted`.

        The difference is in units of its standard error.
        """
        away = wanted
        self._move([away * by for by in self._ahead])
        before, beyond = 0.0, math.inf  # distances on either side of the end
        for _ in range(STEPS):
            loss, slope, rest = self._look(NEAR)
            root = math.sqrt(max(loss, LEAST))
            if root < wanted:
                before = away
            else:
                beyond = away
            step = min((wanted - root) * root / max(slope, LEAST), LONGEST)
            if not before < away + step < beyond:  # else it would go to and fro
                step = min((before + beyond) / 2, before + LONGEST) - away
            away += step
            self._move([by + step * ahead for by, ahead in zip(rest, self._ahead, strict=True)])
            if abs(step) < CLOSE and self._gain < ALMOST:
                break
        return away

    def root_at(self, away: float) -> float:
        """Return the root of twice the loss at a distance from the maximum."""
        self._move([away * by for by in self._ahead])
        loss, *_ = self._look(ALMOST)
        return math.sqrt(max(loss, 0.0))

    def _look(self, near: float) -> tuple[float, float, Vector]:
        """Return twice the loss, its half slope, and a step of everything else, to be made.

        Steps that promise more than `near` are made before.
        """
        value, slope = self._slope()
        for _ in range(STEPS):
            rest, gain = self._rest(slope)
            if gain > SLOW * self._gain or len(slope) <= FEW:
                self._turn(self._peak.likelihood.factored(self._point))
                rest, gain = self._rest(slope)
            self._gain = gain
            if gain < near:
                break
            value, slope = self._climb(value, rest)
        loss = 2 * (self._peak.value - value) - self._gain
        return loss, -dot(slope, self._ahead), rest

    def _climb(self, value: float, rest: Vector) -> tuple[float, Vector]:
        """Make a step of everything else, or the part of it that gains; return `_slope`."""
        start = self._point
        for part in PARTS:
            self._point = list(start)
            self._move([part * by for by in rest])
            now, slope = self._slope()
            if now >= value + part * KEPT * self._gain:
                break
        return now, slope

    def _slope(self) -> tuple[float, Vector]:
        value, slope = self._peak.likelihood.slope(self._point)
        slope.pop()
        return value, slope

    def _rest(self, slope: Vector) -> tuple[Vector, float]:
        """Return a step of everything else, and twice the gain that it promises."""
        step = solve(self._factor, slope)
        along = _along(self._contrast, step)
        rest = limited([by - along * ahead for by, ahead in zip(step, self._ahead, strict=True)])
        return rest, dot(slope, rest)

    def _move(self, step: Vector) -> None:
        for at, by in enumerate(step):
            self._point[at] += by

    def _turn(self, factor: Matrix) -> None:
        self._factor = factor
        shares = _shares(factor, self._contrast)
        variance = _variance(self._contrast, shares)
        self._ahead = [share / variance for share in shares]


def _along(contrast: Contrast, vector: Vector) -> float:
    """Return a difference of the numbers of a vector."""
    return sum([by * vector[at] for at, by in contrast.items()])


def _variance(contrast: Contrast, shares: Vector) -> float:
    return max(_along(contrast, shares), CERTAIN)


def _shares(factor: Matrix, contrast: Contrast) -> Vector:
    """Return the covariance of all parameters with a difference, from the factor of a curvature."""
    return solve(factor, [contrast.get(at, 0.0) for at in range(len(factor))])


def _divided(contrast: Contrast, unit: float) -> Contrast:
    """Return a difference in another unit."""
    return {at: by / unit for at, by in contrast.items()}
