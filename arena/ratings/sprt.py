"""Sequential tests: play pairs of matches until it is clear whether NEW is good enough.

A pair is two matches from the same opening or on the same board with the seats swapped; the pair is
the unit, because its two matches are not independent. Wald's test (1945) compares two hypotheses,
and stops as soon as the logarithm of the ratio of their likelihoods (LLR) leaves the bounds

    log(beta / (1 - alpha))    and    log((1 - beta) / alpha),

where alpha is how often a NEW as bad as the lower hypothesis may pass, and beta how often one as
good as the upper hypothesis may fail. Neither hypothesis fixes the whole distribution of the pairs,
so for wins the likelihood of each is the greatest that it allows (GSPRT), and for scores a normal
one with the variance of the sample.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from arena.errors import UsageError

PAIR_SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""What NEW can take from a pair, as a part of all there is: five bins, hence pentanomial."""
EMPTY = 0.001
"""An empty bin counts as so many pairs, so that one-sided results have a likelihood too."""
LEAST_PAIRS = 10
"""Nothing is decided before: the greatest likelihood knows too little of the distribution."""
LEAST_DIFFERENCES = 30
"""The same for differences of scores: the mean of fewer may be far from normal."""
PRIOR_SQUARES = 100
"""Added to the squares of the differences about their mean, in squared distances of the hypotheses.

Few differences that happen to be close do not decide, and differences that are all the same have
a variance. These would be decided after 25 pairs, so it delays nothing beyond LEAST_DIFFERENCES.
"""
MOST_ELO = 1000.0
"""Hypotheses further out cannot be told from certain wins."""
ROUNDS = 200
CLOSE = 1e-12


class Decision(StrEnum):
    """What a sequential test has come to."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Bounds:
    """The error rates of a sequential test, and with them its bounds."""

    alpha: float = 0.05
    """How often a NEW of the lower hypothesis may pass."""
    beta: float = 0.05
    """How often a NEW of the upper hypothesis may fail."""

    def __post_init__(self) -> None:
        """Raise UsageError for rates that are no better than a coin."""
        for name, rate in (("alpha", self.alpha), ("beta", self.beta)):
            if not 0 < rate < 0.5:
                raise UsageError(f"{name} is above 0 and below 0.5, not {rate:g}")

    @property
    def lower(self) -> float:
        """The LLR at which NEW has failed."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """The LLR at which NEW has passed."""
        return math.log((1 - self.beta) / self.alpha)

    def decide(self, llr: float, pairs: int, least: int) -> Decision:
        """Return the decision after so many pairs; fewer than `least` decide nothing."""
        if pairs < least or self.lower < llr < self.upper:
            return Decision.UNDECIDED
        return Decision.PASSED if llr >= self.upper else Decision.FAILED


@dataclass(frozen=True, slots=True)
class EloTest:
    """Whether NEW is as strong as `elo1` or as weak as `elo0`, in Elo over BASE, by its wins."""

    elo0: float = -50.0
    elo1: float = 0.0
    bounds: Bounds = Bounds()

    def __post_init__(self) -> None:
        """Raise UsageError for hypotheses that nothing can tell apart."""
        if not -MOST_ELO <= self.elo0 < self.elo1 <= MOST_ELO:
            raise UsageError(
                f"elo0 is below elo1, both within {MOST_ELO:g} Elo of 0:"
                f" {self.elo0:g} and {self.elo1:g} can never be decided"
            )

    def llr(self, pairs: Sequence[int]) -> float:
        """Return the LLR of how many pairs fell into each bin of PAIR_SCORES.

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

    def decide(self, pairs: Sequence[int]) -> Decision:
        """Return the decision after the pairs, given as for `llr`."""
        return self.bounds.decide(self.llr(pairs), sum(pairs), LEAST_PAIRS)


@dataclass(frozen=True, slots=True)
class ScoreTest:
    """Whether NEW scores `high` more a match than BASE or only `low` more, by paired scores.

    For scored and one-seat games: the datum is the difference of the two scores on one board. The
    differences are taken as normal, with the variance of the sample about its own mean. A variance
    about each hypothesis would grow with the difference, and a huge one would never be decided.
    """

    low: float
    high: float
    bounds: Bounds = Bounds()

    def __post_init__(self) -> None:
        """Raise UsageError for hypotheses that nothing can tell apart."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise UsageError(
                f"the lower difference is below the upper one:"
                f" {self.low:g} and {self.high:g} can never be decided"
            )

    def llr(self, pairs: int, total: float, squares: float) -> float:
        """Return the LLR of so many differences from their sum and the sum of their squares.

        It grows with the number of pairs and with how far their mean is from the middle between the
        hypotheses, and falls with their variance.
        """
        if pairs < 2:
            return 0.0
        mean = total / pairs
        distance = self.high - self.low
        about_mean = max(squares - mean * total, 0.0) + PRIOR_SQUARES * distance**2
        ahead = mean - (self.low + self.high) / 2
        return pairs * (pairs - 1) * distance * ahead / about_mean

    def decide(self, pairs: int, total: float, squares: float) -> Decision:
        """Return the decision after the differences, given as for `llr`."""
        return self.bounds.decide(self.llr(pairs, total, squares), pairs, LEAST_DIFFERENCES)


def expected_score(elo: float) -> float:
    """Return the part of the points that a lead of so many Elo is expected to take."""
    return 1 / (1 + math.pow(10, -elo / 400))


def pair_bin(score: float) -> int:
    """Return the bin of a pair in which NEW took `score` of two points, a draw being a half."""
    return round(2 * score)


def _tilts(parts: Sequence[float], mean: float) -> list[float]:
    """Return by what to divide `parts` for the likeliest distribution with the given mean.

    It is `part / (1 + theta * (score - mean))` (Van den Bergh, proposition 1.1), with the one theta
    between the poles for which the means agree: the root of a falling function, found by Newton's
    method, or by halving where a step would leave what is known to hold the root.
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
