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
from typing import NamedTuple

from arena.errors import UsageError
from arena.ratings.pentanomial import NORMALIZED, expected_score, fit_mean, fit_normalized
from arena.reading.choices import EloModel

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
"""Least weight of the other hypothesis in the estimate of the mean, in pairs."""
PRIOR_SPREADS = 20
"""Weight of the other hypothesis in pairs, for each squared spread in distances between the
hypotheses: about three times the pairs that the test needs, so that it bets nearly as if the other
hypothesis were true. Measured for spreads of 4, 8 and 16 distances: 27, 0 and 15 % more pairs than
Wald's test with a known spread; 25, 35 and 46 % without this weight."""
PRIOR_SQUARE = 1.0
"""Prior sum of squares about the mean, in squared reaches; it keeps the first bets small."""
LEAST_SHARE = 0.01
"""Share of the stake that is never bet: within the reach no bet loses more than the others."""
MOST_ELO = 1000.0
"""Limit of a hypothesis in Elo; larger ones are indistinguishable from certain wins."""
MOST_NORMALIZED = 200.0
"""Limit of a hypothesis in normalized Elo; between equal bots about the same in Elo."""


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
    """Test of NEW's strength relative to BASE by wins: `elo1` against `elo0`.

    By the model `logistic` these are Elo, which fix the expected score; by `normalized` they are
    normalized Elo, which fix the score in standard deviations of a match, so that the number of
    pairs does not depend on the share of draws.
    """

    elo0: float = -50.0
    elo1: float = 0.0
    bounds: Bounds = Bounds()
    model: EloModel = "logistic"

    def __post_init__(self) -> None:
        """Raise UsageError for hypotheses that no result can separate."""
        most = MOST_ELO if self.model == "logistic" else MOST_NORMALIZED
        if not -most <= self.elo0 < self.elo1 <= most:
            raise UsageError(
                f"elo0 must be below elo1, both within {most:g} Elo of 0:"
                f" {self.elo0:g} and {self.elo1:g} can never be decided"
            )

    def llr(self, pairs: Sequence[int]) -> float:
        """Return the LLR of the numbers of pairs in each bin of PAIR_SCORES.

        The multinomial GSPRT of Van den Bergh's note "A practical introduction to the GSPRT".
        """
        if not sum(pairs):
            return 0.0
        parts = observed(pairs)
        jumps = zip(parts, self.jumps(parts), strict=True)
        return sum(count or EMPTY for count in pairs) * math.fsum(
            part * jump for part, jump in jumps
        )

    def jumps(self, parts: Sequence[float]) -> list[float]:
        """Return the evidence of a pair in each bin, for the observed parts of the bins."""
        low, high = (self._fit(parts, elo) for elo in (self.elo0, self.elo1))
        return [math.log(above / below) for below, above in zip(low, high, strict=True)]

    def scores(self, variance: float) -> tuple[float, float]:
        """Return the expected scores of both hypotheses, for a variance of the score of a pair."""
        if self.model == "logistic":
            return expected_score(self.elo0), expected_score(self.elo1)
        unit = math.sqrt(2 * variance) / NORMALIZED
        return 0.5 + self.elo0 * unit, 0.5 + self.elo1 * unit

    def decide(self, pairs: Sequence[int]) -> GateOutcome:
        """Return the decision after the pairs, given as for `llr`."""
        return self.bounds.decide(self.llr(pairs), sum(pairs), LEAST_PAIRS)

    def _fit(self, parts: Sequence[float], elo: float) -> list[float]:
        if self.model == "normalized":
            return fit_normalized(parts, elo)
        return fit_mean(parts, expected_score(elo))


def observed(pairs: Sequence[int]) -> list[float]:
    """Return the parts of the bins, none of them 0."""
    counts = [count or EMPTY for count in pairs]
    total = sum(counts)
    return [count / total for count in counts]


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


class Growth(NamedTuple):
    """Growth of the two stakes of a test of scores by one pair."""

    passing: float
    """Logarithm of the factor of the stake against the lower mean."""
    failing: float
    is_beyond: bool
    """Whether a stake lost more than it could: the error rates then do not hold for certain."""


@dataclass(frozen=True, slots=True)
class ScoreTest:
    """Test of NEW's mean score relative to BASE by paired scores: `high` against `low`.

    For scored and one-seat games: the datum is the difference of the two scores on one board. Two
    bets are made on each, before it is known: one against the mean `low`, one against `high`. If
    the mean is `low`, no strategy lets the first stake grow on average, so it rarely becomes large:
    that needs no assumption on the distribution, however skewed, as long as no difference loses
    more than the stake: none within REACH distances below `low` does, and few beyond where scores
    spread widely, since bets are small then. The same holds for `high` (Waudby-Smith and Ramdas
    2024, "Estimating means of bounded random variables by betting").
    """

    low: float
    high: float
    bounds: ScoreBounds = ScoreBounds()

    def __post_init__(self) -> None:
        """Raise UsageError for hypotheses that no result can separate."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise UsageError(
                f"the lower difference must be below the upper one:"
                f" {self.low:.15g} and {self.high:.15g} can never be decided"
            )

    def growth(self, pairs: int, total: float, squares: float, difference: float) -> "Growth":
        """Return the growth of both stakes by a pair; earlier differences determine the bets."""
        reach = REACH * (self.high - self.low)
        about_mean = max(squares - total * total / pairs, 0.0) / reach**2 if pairs else 0.0
        ahead = (total - pairs * self.low) / reach
        behind = (pairs * self.high - total) / reach
        passing = _bet(pairs, ahead, about_mean, (difference - self.low) / reach)
        failing = _bet(pairs, behind, about_mean, (self.high - difference) / reach)
        return Growth(
            passing=math.log(max(passing, LEAST_SHARE)),
            failing=math.log(max(failing, LEAST_SHARE)),
            is_beyond=min(passing, failing) < LEAST_SHARE,
        )

    def llr(self, passing: float, failing: float) -> float:
        """Return the stronger evidence: the logarithm of a stake, negative for failing."""
        return passing if passing >= max(failing, 0.0) else -max(failing, 0.0)

    def decide(self, pairs: int, passing: float, failing: float) -> GateOutcome:
        """Return the decision after the pairs."""
        return self.bounds.decide(self.llr(passing, failing), pairs, LEAST_DIFFERENCES)


def _bet(pairs: int, total: float, about_mean: float, lead: float) -> float:
    """Return the factor by which one stake grows, all in reaches from the refuted mean.

    The staked share is the best one (Kelly) for the estimated mean and variance, short of all: the
    stake must not become 0, and a lower limit of it would be a gain that the refuted mean allows.
    """
    variance = (PRIOR_SQUARE + about_mean) / (pairs + 1)
    weight = max(PRIOR_PAIRS, PRIOR_SPREADS * variance * REACH**2)
    mean = max((weight / REACH + total) / (weight + pairs), 0.5 / REACH)
    share = min(mean / (variance + mean * mean), 1 - LEAST_SHARE)
    return 1 + share * lead
