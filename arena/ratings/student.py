"""Student's distribution: widths of intervals from few values."""

import math

_FIRST = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)
"""Half-widths for 1 to 5 degrees of freedom."""
NORMAL = 1.959964
"""Half-width of the 95 % interval of a normal distribution, in standard errors."""


def half_width(freedom: int) -> float:
    """Return half the width of a 95 % interval, in standard errors estimated from the values.

    `freedom` is the number of values less one. Above the table the first terms of Fisher's series
    are used, which err by less than 0.6 %.
    """
    if freedom <= len(_FIRST):
        return _FIRST[freedom - 1]
    first = (NORMAL**3 + NORMAL) / 4
    second = (5 * NORMAL**5 + 16 * NORMAL**3 + 3 * NORMAL) / 96
    return NORMAL + first / freedom + second / freedom**2


def to_normal(value: float, freedom: float) -> float:
    """Return the normal value with the same probability as one of Student's distribution.

    Wallace (1959); for 3 degrees of freedom or more the probability errs by less than 0.002.
    """
    part = (8 * freedom + 1) / (8 * freedom + 3)
    return math.copysign(part * math.sqrt(freedom * math.log1p(value**2 / freedom)), value)


def from_normal(value: float, freedom: float) -> float:
    """Return the value of Student's distribution with the same probability as a normal one."""
    part = (8 * freedom + 3) / (8 * freedom + 1)
    return math.copysign(math.sqrt(freedom * math.expm1((part * value) ** 2 / freedom)), value)
