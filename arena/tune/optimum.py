"""Where the best value of a parameter is, by all pairs of a search.

Near its best value the strength is about a parabola of the parameter. The expected result of a pair
is then b * (x - y) - q * (x^2 - y^2) / 2, where x and y are the values of the two sides: the values
of the other parameters are varied independently and add noise. b and q come from least squares; the
best value is b / q.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from arena.tune.spsa import Probe

ERRORS: Final = 3.0
"""Half-width of the interval in standard errors.

The search visits the values that its own results point to, so the usual 1.96 of 95 % is too small:
the ratio behaves as in a test for a unit root (D. A. Dickey and W. A. Fuller, "Distribution of the
estimators for autoregressive time series with a unit root", Journal of the American Statistical
Association 74, 1979), whose 5 % point is 2.86.
"""
LEAST_PAIRS: Final = 10
SAME: Final = 1e-9
PARTS: Final = 1000
"""Number of parts of a range whose ends are looked at."""


@dataclass(frozen=True)
class Interval:
    """Values between which the best one is, with a probability of 95 % or more."""

    low: float
    high: float


def optimum_of(
    played: Sequence[tuple[Probe, float | None]], place: int, low: float, high: float
) -> Interval | None:
    """Return where the best value of a parameter is between its bounds; None if nobody knows.

    A value may be the best if the slope of the strength there, b - q * x, is within `ERRORS`
    standard errors of 0, at an end of the range also if the strength may rise towards it (E. C.
    Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society B 16,
    1954).
    """
    # values as parts of the range, around its middle
    half, middle = (high - low) / 2, (high + low) / 2
    line = _fitted(
        [
            (
                (probe.plus[place] - probe.minus[place]) / half,
                ((probe.plus[place] + probe.minus[place]) / 2 - middle) / half,
                result,
            )
            for probe, result in played
            if result is not None
        ]
    )
    if line is None:
        return None
    values = sorted({*(2 * part / PARTS - 1 for part in range(PARTS + 1)), line.root()})
    found = [value for value in values if line.may_be_best(value)]
    if not found or (found[0], found[-1]) == (-1, 1):
        return None
    return Interval(middle + half * found[0], middle + half * found[-1])


@dataclass(frozen=True)
class _Line:
    """The slope b - q * x of the strength, with the errors of b and q, which depend on each other.

    Values of x are from -1 to 1.
    """

    b: float
    q: float
    variances: tuple[float, float, float]
    """Of b, of q, and their covariance."""

    def root(self) -> float:
        """Return the value with slope 0, or the nearest end of the range."""
        root = self.b / self.q if self.q > 0 else math.copysign(1, self.b)
        return min(max(root, -1.0), 1.0)

    def may_be_best(self, x: float) -> bool:
        """Whether the strength may have its maximum there."""
        of_b, of_q, both = self.variances
        slope = self.b - self.q * x
        error = ERRORS * math.sqrt(max(0.0, of_b + x * x * of_q - 2 * x * both))
        return (slope <= error or x == 1) and (slope >= -error or x == -1)


def _fitted(rows: Sequence[tuple[float, float, float]]) -> _Line | None:
    """Return the line by least squares for rows of x - y, (x + y) / 2 and the result."""
    uu = math.fsum(gap * gap for gap, _, _ in rows)
    uv = -math.fsum(gap * gap * mid for gap, mid, _ in rows)
    vv = math.fsum((gap * mid) ** 2 for gap, mid, _ in rows)
    ud = math.fsum(gap * result for gap, _, result in rows)
    vd = -math.fsum(gap * mid * result for gap, mid, result in rows)
    determinant = uu * vv - uv * uv
    if len(rows) < LEAST_PAIRS or determinant <= SAME * uu * vv:
        return None
    b, q = (vv * ud - uv * vd) / determinant, (uu * vd - uv * ud) / determinant
    rest = math.fsum((result - gap * (b - q * mid)) ** 2 for gap, mid, result in rows)
    scale = rest / (len(rows) - 2) / determinant
    return _Line(b, q, (scale * vv, scale * uu, -scale * uv))
