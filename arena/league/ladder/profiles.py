"""Ends of intervals from the profile of one version's likelihood, the others being fixed."""

import math
from collections.abc import Sequence

from arena.ratings.student import NORMAL

SKEWED = 0.02
"""Part of an interval by which its halves differ, from which they are computed apart."""
CLOSE = 1e-4
"""Size of the last step, in units of strength."""
STEPS = 20
FARTHEST = 100.0
"""Limit of a distance, in units of strength: flat likelihoods have ends too far to compute."""


def ends(
    at: float,
    prior: tuple[float, float],
    rivals: Sequence[tuple[float, float, float]],
    variance: float,
) -> tuple[float, float]:
    """Return the distances to the ends; rivals are strength, weighted comparisons and score."""
    reach = NORMAL * math.sqrt(variance)
    curve, bend = prior[1], 0.0
    for rival, times, _ in rivals:
        p = 1 / (1 + math.exp(rival - at))
        curve += times * p * (1 - p)
        bend += times * p * (1 - p) * (1 - 2 * p)
    if reach * abs(bend) < 3 * SKEWED * curve:
        return reach, reach
    allowed = NORMAL**2 * variance * curve
    below = _end(at, prior, rivals, (-reach, allowed))
    return -below, _end(at, prior, rivals, (reach, allowed))


def _end(
    at: float,
    prior: tuple[float, float],
    rivals: Sequence[tuple[float, float, float]],
    search: tuple[float, float],
) -> float:
    """Return the distance at which twice the log-likelihood is less by `search[1]`.

    The search begins at `search[0]`. The loss is convex, so Newton's method comes from beyond.
    """
    by, allowed = search
    mean, pull = prior
    exp, log1p = math.exp, math.log1p
    gaps = [(at - rival, times) for rival, times, _ in rivals]
    # minus the log of the probability to lose is the gap + log1p(odds)
    known = sum(times * (gap + log1p(exp(-gap))) for gap, times in gaps)
    score = sum(score for _, _, score in rivals)
    for _ in range(STEPS):
        loss, slope = -known - score * by, -score
        for gap, times in gaps:
            odds = exp(-gap - by)
            loss += times * (gap + by + log1p(odds))
            slope += times / (1 + odds)
        loss = 2 * loss + pull * ((at + by - mean) ** 2 - (at - mean) ** 2)
        slope = 2 * (slope + pull * (at + by - mean))
        if slope == 0 or (slope > 0) != (by > 0):
            return by
        step = (loss - allowed) / slope
        by = max(min(by - step, FARTHEST), -FARTHEST)
        if abs(step) < CLOSE:
            break
    return by
