"""Sequential tests: play pairs of matches until NEW is accepted or rejected.

A pair is two matches from the same opening or on the same board with the seats swapped; the pair is
the unit, because its two matches are not independent. Wald's test (1945) compares two hypotheses
and stops once the logarithm of the ratio of their likelihoods (LLR) leaves the bounds

    log(beta / (1 - alpha))    and    log((1 - beta) / alpha),

where alpha is the probability of passing for a NEW at the lower hypothesis, and beta the
probability of failing at the upper hypothesis. Neither hypothesis fixes the whole distribution of
the pairs, so tests of wins use the maximum likelihood under each hypothesis (GSPRT). Scores have no
five bins, and their distribution may be skewed, so tests of scores bet against each hypothesis.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.errors import UsageError

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Possible scores of NEW in a pair, as a fraction of the maximum: five bins (pentanomial)."""
EMPTY = 0.001
"""Number of pairs counted for an empty bin, so that one-sided results have a likelihood."""
LEAST_PAIRS = 10
"""Minimum of pairs for a decision; fewer estimate the distribution poorly."""
LEAST_DIFFERENCES = 30
"""Minimum of score differences for a decision."""
REACH = 10
"""Distances between the hypotheses that a difference may lie beyond one of them.

Within this reach the error rates hold for every distribution. A larger reach costs time: with equal
scores on every board a gate passes after about 3 pairs for each unit.
"""
PRIOR_PAIRS = 100
"""Weight of the other hypothesis in the estimate of the mean, in pairs."""
PRIOR_SQUARE = 0.5
"""Prior sum of squares about the mean, in squared reaches; it keeps the first bets small."""
LEAST_SHARE = 0.01
"""Share of the stake that is never bet: within the reach no bet loses more than the others."""
MOST_ELO = 1000.0
"""Limit of a hypothesis in Elo; larger ones are indistinguishable from certain wins."""
ROUNDS = 200
CLOSE = 1e-12


class GateOutcome(StrEnum):
    """Outcome of a gate; its sequential test alone decides between the first two."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    """All pairs were played without a decision of the test."""
    FAULTS = "faults"
    """NEW had more faults than allowed."""
    OPEN = "open"
    """Pairs are missing."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Error rates and bounds of a sequential test."""

    alpha: float = 0.05
    """Probability of passing at the lower hypothesis."""
    beta: float = 0.05
    """Probability of failing at the upper hypothesis."""

    def __post_init__(self) -> None:
        """Raise UsageError for rates outside 0 to 0.5."""
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise UsageError(f"{name} must be between 0 and 0.5, not {rate:g}")

    @property
    def lower(self) -> float:
        """LLR at which NEW fails."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """LLR at which NEW passes."""
        return math.log((1 - self.beta) / self.alpha)

    def decide(self, llr: float, pairs: int, least: int) -> GateOutcome:
        """Return the decision after a number of pairs; OPEN below `least` pairs."""
        if pairs < least or self.lower < llr < self.upper:
            return GateOutcome.OPEN
        return GateOutcome.PASSED if llr >= self.upper else GateOutcome.FAILED


@dataclass(frozen=True, slots=True)
class EloTest:
    """Test of NEW's strength relative to BASE by wins: `elo1` against `elo0`, in Elo."""

    elo0: float = -50.0
    elo1: float = 0.0
    bounds: Bounds = Bounds()

    def __post_init__(self) -> None:
        """Raise UsageError for hypotheses that no result can separate."""
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise UsageError(
                f"elo0 must be below elo1, both within {MOST_ELO:g} Elo of 0:"
                f" {self.elo0:g} and {self.elo1:g} can never be decided"
            )

    def llr(self, pairs: Sequence[int]) -> float:
        """Return the LLR of the numbers of pairs in each bin of PAIR_SCORES.

        The multinomial GSPRT of Van den Bergh's note "A practical introduction to the GSPRT".
        """
        if not sum(pairs):
            return 0.0
        counts = [count or EMPTY for count in pairs]
        total = sum(counts)
        parts = [count / total for count in counts]
        fitted = [_tilts(parts, expected_score(elo)) for elo in (self.elo0, self.elo1)]
        return total * math.fsum(
            part * math.log(below / above)
            for part, below, above in zip(parts, *fitted, strict=True)
        )

    def decide(self, pairs: Sequence[int]) -> GateOutcome:
        """Return the decision after the pairs, given as for `llr`."""
        return self.bounds.decide(self.llr(pairs), sum(pairs), LEAST_PAIRS)


@dataclass(frozen=True, slots=True)
class ScoreBounds(Bounds):
    """Bounds of a test by bets: a stake grows to 1 / alpha with a probability of alpha (Ville)."""

    @property
    def lower(self) -> float:
        """Evidence, as a negative number, at which NEW fails."""
        return math.log(self.beta)

    @property
    def upper(self) -> float:
        """Evidence at which NEW passes."""
        return -math.log(self.alpha)


@dataclass(frozen=True, slots=True)
class ScoreTest:
    """Test of NEW's mean score relative to BASE by paired scores: `high` against `low`.

    For scored and one-seat games: the datum is the difference of the two scores on one board. Two
    bets are made on each, before it is known: one against the mean `low`, one against `high`. If
    the mean is `low`, no strategy lets the first stake grow on average, so it rarely becomes large:
    that needs no assumption on the distribution, however skewed, as long as no difference is more
    than REACH distances below `low`. The same holds for `high` (Waudby-Smith and Ramdas 2024,
    "Estimating means of bounded random variables by betting").
    """

    low: float
    high: float
    bounds: ScoreBounds = ScoreBounds()

    def __post_init__(self) -> None:
        """Raise UsageError for hypotheses that no result can separate."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise UsageError(
                f"the lower difference must be below the upper one:"
                f" {self.low:g} and {self.high:g} can never be decided"
            )

    def growth(
        self, pairs: int, total: float, squares: float, difference: float
    ) -> tuple[float, float]:
        """Return the logarithms of both stakes' growth; earlier differences determine the bets."""
        reach = REACH * (self.high - self.low)
        about_mean = max(squares - total * total / pairs, 0.0) / reach**2 if pairs else 0.0
        ahead = (total - pairs * self.low) / reach
        behind = (pairs * self.high - total) / reach
        return (
            _bet(pairs, ahead, about_mean, (difference - self.low) / reach),
            _bet(pairs, behind, about_mean, (self.high - difference) / reach),
        )

    def is_within_reach(self, difference: float) -> bool:
        """Whether the error rates hold for distributions with such a difference."""
        reach = REACH * (self.high - self.low)
        return self.low - reach <= difference <= self.high + reach

    def llr(self, passing: float, failing: float) -> float:
        """Return the stronger evidence: the logarithm of a stake, negative for failing."""
        return passing if passing >= max(failing, 0.0) else -max(failing, 0.0)

    def decide(self, pairs: int, passing: float, failing: float) -> GateOutcome:
        """Return the decision after the pairs."""
        return self.bounds.decide(self.llr(passing, failing), pairs, LEAST_DIFFERENCES)


def _bet(pairs: int, total: float, about_mean: float, lead: float) -> float:
    """Return the logarithm of the growth of one stake, all in reaches from the refuted mean.

    The staked share is the best one (Kelly) for the estimated mean and variance, short of all: the
    stake must not become 0, and a lower limit of it would be a gain that the refuted mean allows.
    """
    mean = (PRIOR_PAIRS / REACH + total) / (PRIOR_PAIRS + pairs)
    mean = max(mean, 0.5 / REACH)
    variance = (PRIOR_SQUARE + about_mean) / (pairs + 1)
    share = min(mean / (variance + mean * mean), 1 - LEAST_SHARE)
    return math.log(max(1 + share * lead, LEAST_SHARE))


def expected_score(elo: float) -> float:
    """Return the expected fraction of the points for a lead in Elo."""
    return 1 / (1 + math.pow(10, -elo / 400))


def pair_bin(score: float) -> int:
    """Return the bin of a pair from NEW's score of two points; a draw gives a half."""
    return round(2 * score)


def _tilts(parts: Sequence[float], mean: float) -> list[float]:
    """Return the divisors of `parts` for the likeliest distribution with the given mean.

    The distribution is `part / (1 + theta * (score - mean))` (Van den Bergh, proposition 1.1), with
    the only theta between the poles that gives this mean: the root of a falling function, found by
    Newton's method, or by bisection if a step would leave the interval of the root.
    """
    offs = [score - mean for score in PAIR_SCORES]
    low, high = -1 / offs[-1], -1 / offs[0]
    theta = 0.0
    for _ in range(ROUNDS):
        shares = [off / (1 + theta * off) for off in offs]
        value = sum(part * share for part, share in zip(parts, shares, strict=True))
        fall = sum(part * share * share for part, share in zip(parts, shares, strict=True))
        step = value / fall
        if abs(step) < CLOSE:
            break
        low, high = (theta, high) if value > 0 else (low, theta)
        moved = theta + step
        theta = moved if low < moved < high else (low + high) / 2
    return [1 + theta * off for off in offs]
