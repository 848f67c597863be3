"""The Elo of a NEW after a sequential test, without the bias of stopping when it looks clearest.

The plain estimate errs away from the middle of the two hypotheses: a test passes early if NEW was
lucky. Here outcomes are put in order, from failing soonest over ending undecided with a low and a
high score to passing soonest. The estimate is the strength at which an outcome as high as this one
is as likely as not, and the interval ends where it has a probability of 2.5 % or 97.5 %: it is
unbiased in the median, and it covers (Siegmund, "Sequential Analysis", 1985, chapter 3; fishtest
does the same). The sum of the scores is taken as a Brownian motion between barriers.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from arena.ratings.brownian import OVERSHOOT, Motion
from arena.ratings.pentanomial import PRIOR, expected_score, fit_mean, moments
from arena.ratings.sprt import LEAST_PAIRS, EloTest, GateOutcome

NUDGE = 1e-4
"""Step of the mean score from which a slope is taken."""
LEAST_SLOPE = 1e-3
TAIL = 0.025
"""Probability outside of the interval, on each side."""
MOST_ELO = 1600.0
"""Strength in Elo at which an interval is open."""
HALVINGS = 24


class StoppedElo(NamedTuple):
    """The lead of NEW in Elo, with the ends of its 95 % interval; an end may be infinite."""

    elo: float
    low: float
    high: float

    @property
    def text(self) -> str:
        """The lead with the distances of the ends of its interval, like `+35 -28 +31`."""
        ends = ("∞" if math.isinf(end) else f"{abs(end - self.elo):.0f}" for end in self[1:])
        return f"{round(self.elo):+d} -{next(ends)} +{next(ends)}"


def stopped_elo(test: EloTest | None, bins: Sequence[int], outcome: GateOutcome) -> StoppedElo:
    """Return the Elo of NEW from its pairs in each bin, at least one, and the end of its test.

    Without a test the number of pairs did not depend on the wins.
    """
    ended = _Ended(test or EloTest(), bins, outcome, is_fixed=test is None)
    elo, low, high = (_strength(ended.as_high, share) for share in (0.5, TAIL, 1 - TAIL))
    return StoppedElo(max(-MOST_ELO, min(elo, MOST_ELO)), low, high)


class _Ended:
    """An outcome of a test, and how likely one at least as high is for a NEW of some strength."""

    def __init__(
        self, test: EloTest, bins: Sequence[int], outcome: GateOutcome, *, is_fixed: bool
    ) -> None:
        counts = [count + PRIOR for count in bins]
        self._parts = [count / sum(counts) for count in counts]
        self._outcome = outcome
        self._pairs = sum(bins)
        # no test ends before its least number of pairs, so nothing was stopped early then
        self._is_fixed = is_fixed or self._pairs <= LEAST_PAIRS
        mean, variance = moments(self._parts)
        low, high = test.scores(variance)
        self._middle = (low + high) / 2
        """The score at which the evidence neither grows nor falls."""
        self._lead = mean - self._middle
        self._lower, self._upper = (
            bound * variance / (high - low) for bound in (test.bounds.lower, test.bounds.upper)
        )
        """Barriers of the sum of leads, for evidence in proportion to the lead."""
        is_open = outcome not in (GateOutcome.PASSED, GateOutcome.FAILED)
        if is_open and not self._lower < self._lead * self._pairs < self._upper:
            self._is_fixed = True  # evidence of such clear results never grew to a barrier
        self._tilt = self._lead - self._lead_of_tangent(test, mean)

    def as_high(self, elo: float) -> float:
        """Return the probability of an outcome at least as high."""
        mean = expected_score(elo)
        deviation = math.sqrt(moments(fit_mean(self._parts, mean)).variance)
        pairs, drift = self._pairs, (mean - self._middle) / deviation
        place = self._lead * pairs / deviation
        if self._is_fixed:
            return math.erfc((place - drift * pairs) / math.sqrt(2 * pairs)) / 2
        tilt = self._tilt / deviation
        lower, upper = self._lower / deviation - OVERSHOOT, self._upper / deviation + OVERSHOOT
        if self._outcome is GateOutcome.PASSED:
            return Motion(lower, place - tilt * pairs, drift - tilt).ends_above_by(pairs)
        if self._outcome is GateOutcome.FAILED:
            return 1 - Motion(place - tilt * pairs, upper, drift - tilt).ends_below_by(pairs)
        motion = Motion(lower, upper, drift)
        return motion.ends_above_by(pairs) + motion.stays_above(place, pairs)

    def _lead_of_tangent(self, test: EloTest, mean: float) -> float:
        """Return the lead from which the evidence would have grown in proportion to the lead.

        The evidence of clear results grows by less, so that the barrier of the sum of leads falls
        from pair to pair; it is taken as the line that touches it at this outcome.
        """
        nudge = math.copysign(NUDGE, 0.5 - mean)  # not beyond the largest score
        here, beside = (self._evidence(test, score) for score in (mean, mean + nudge))
        slope = (beside - here) / nudge
        return here / math.copysign(max(abs(slope), LEAST_SLOPE), slope)

    def _evidence(self, test: EloTest, mean: float) -> float:
        """Return the evidence of a pair for results with a mean score."""
        fitted = fit_mean(self._parts, mean)
        return math.fsum(p * jump for p, jump in zip(fitted, test.jumps(fitted), strict=True))


def _strength(as_high: Callable[[float], float], share: float) -> float:
    """Return the Elo at which a rising probability has a value; infinite beyond MOST_ELO."""
    low, high = -MOST_ELO, MOST_ELO
    if as_high(low) >= share:
        return -math.inf
    if as_high(high) <= share:
        return math.inf
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if as_high(middle) > share else (middle, high)
    return (low + high) / 2
