"""Distributions of the score of a pair over five bins, and the likeliest one under a hypothesis.

A pair is two matches from one opening with the seats swapped: NEW gets 0, a half, 1, one and a half
or 2 points. Bins are given as their numbers of pairs, or as parts of 1.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Possible scores of NEW in a pair, as a fraction of the maximum: five bins (pentanomial)."""
NORMALIZED = 800 / math.log(10)
"""Normalized Elo of a mean one standard deviation of a match above the half: 347.4."""
PRIOR = 0.05
"""Pseudo-count of every bin, a quarter of a pair in total, so that the variance is never 0."""
SURE = 1.96
"""Half-width of a 95 % confidence interval in standard errors."""
ROUNDS = 200
CLOSE = 1e-13
SAME = 1e-12
EVEN = (1 / len(PAIR_SCORES),) * len(PAIR_SCORES)
"""First guess of a distribution: steps from observed parts, if nearly all are alike, may fail."""
FITS = 30
"""Limit of the steps to a distribution with a given normalized Elo; it takes 5 to 10."""


class Moments(NamedTuple):
    """Mean and variance of the score of a pair, both as fractions of the maximum."""

    mean: float
    variance: float


def moments(bins: Sequence[float]) -> Moments:
    """Return the moments of a distribution, given by counts or by parts of 1."""
    total = sum(bins)
    mean = sum(part * score for part, score in zip(bins, PAIR_SCORES, strict=True)) / total
    squares = sum(part * (score - mean) ** 2 for part, score in zip(bins, PAIR_SCORES, strict=True))
    return Moments(mean, squares / total)


def expected_score(elo: float) -> float:
    """Return the expected fraction of the points for a lead in Elo."""
    return 1 / (1 + math.pow(10, -elo / 400))


def elo_of_score(score: float) -> float:
    """Return the lead in Elo of an expected fraction of the points, between 0 and 1."""
    return -400 * math.log10(1 / score - 1)


def normalized_elo(mean: float, variance: float) -> float:
    """Return the normalized Elo of the moments of a pair, as fishtest and fastchess define it.

    It is the mean's distance from a half in standard deviations of one match, times 800 / ln 10
    (Van den Bergh, "Normalized Elo"), so equal to Elo for small leads without draws. The variance
    of a match is twice that of a pair's mean.
    """
    return NORMALIZED * (mean - 0.5) / math.sqrt(2 * variance)


def normalized_elo_of(bins: Sequence[int]) -> tuple[float, float]:
    """Return the normalized Elo of the pairs in each bin, and its 95 % error.

    The error is that of a mean divided by its own standard deviation, to the first order: with
    skewed results both vary together.
    """
    counts = [count + PRIOR for count in bins]
    pairs = sum(counts)
    mean, variance = moments(counts)
    lead = (mean - 0.5) / math.sqrt(variance)
    skew, tails = (
        sum(n * (score - mean) ** power for n, score in zip(counts, PAIR_SCORES, strict=True))
        / (pairs * variance ** (power / 2))
        for power in (3, 4)
    )
    spread = (1 - lead * skew + lead * lead * (tails - 1) / 4) / pairs
    return normalized_elo(mean, variance), SURE * NORMALIZED * math.sqrt(max(0, spread) / 2)


def pair_bin(score: float) -> int:
    """Return the bin of a pair from NEW's score of two points; a draw gives a half."""
    return round(2 * score)


def fit_mean(parts: Sequence[float], mean: float) -> list[float]:
    """Return the likeliest distribution with the given mean; `parts` are the observed ones.

    Van den Bergh, "A practical introduction to the GSPRT", proposition 1.1.
    """
    return _tilted(parts, [score - mean for score in PAIR_SCORES])


def fit_normalized(parts: Sequence[float], elo: float) -> list[float]:
    """Return the likeliest distribution with the given normalized Elo.

    The condition is mean - 1/2 = t * deviation. It is made linear about the last distribution, with
    the derivative of the deviation, and solved again until nothing changes (Van den Bergh,
    "Normalized Elo in practice", section 4.1).
    """
    t = elo / NORMALIZED * math.sqrt(2)
    fitted = list(EVEN)
    for _ in range(FITS):
        mean, variance = moments(fitted)
        deviation = math.sqrt(variance)
        values = [
            score - 0.5 - t * deviation * (1 + ((mean - score) / deviation) ** 2) / 2
            for score in PAIR_SCORES
        ]
        before, fitted = fitted, _tilted(parts, values)
        if max(abs(one - other) for one, other in zip(before, fitted, strict=True)) < SAME:
            break
    return fitted


def _tilted(parts: Sequence[float], values: Sequence[float]) -> list[float]:
    """Return the likeliest distribution in which `values`, of both signs, have the mean 0.

    It is `part / (1 + theta * value)` with the only theta between the poles that gives this mean:
    the root of a falling function, found by Newton's method, or by bisection if a step would leave
    the interval of the root.
    """
    low, high = -1 / max(values), -1 / min(values)
    theta = 0.0
    for _ in range(ROUNDS):
        shares = [value / (1 + theta * value) for value in values]
        mean = sum(part * share for part, share in zip(parts, shares, strict=True))
        fall = sum(part * share * share for part, share in zip(parts, shares, strict=True))
        if abs(mean) < CLOSE:  # not a small step: beside a pole all steps are small
            break
        low, high = (theta, high) if mean > 0 else (low, theta)
        moved = theta + mean / fall
        theta = moved if low < moved < high else (low + high) / 2
    return [part / (1 + theta * value) for part, value in zip(parts, values, strict=True)]
