"""Widths of 95 % intervals from few values: Student's distribution."""

_FIRST = (12.7062, 4.3027, 3.1824, 2.7764, 2.5706)
"""Half-widths for 1 to 5 degrees of freedom."""
_NORMAL = 1.959964
"""Half-width of the 95 % interval of a normal distribution, in standard errors."""


def half_width(freedom: int) -> float:
    """Return half the width of a 95 % interval, in standard errors estimated from the values.

    `freedom` is the number of values less one. Above the table the first terms of Fisher's series
    are used, which err by less than 0.6 %.
    """
    if freedom <= len(_FIRST):
        return _FIRST[freedom - 1]
    first = (_NORMAL**3 + _NORMAL) / 4
    second = (5 * _NORMAL**5 + 16 * _NORMAL**3 + 3 * _NORMAL) / 96
    return _NORMAL + first / freedom + second / freedom**2
