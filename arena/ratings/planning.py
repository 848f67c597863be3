"""How many matches a question needs: of a fixed number of matches, and of a sequential test.

Everything is computed for equal or nearly equal bots, so that the numbers can be known before the
first match. `draws` is the share of drawn matches: draws carry less noise, so they need fewer.
"""

import math
from dataclasses import dataclass

from arena.config.gate import GateSection
from arena.ratings.brownian import with_overshoot
from arena.ratings.pentanomial import elo_of_score, expected_score
from arena.ratings.sprt import LEAST_PAIRS, Bounds, EloTest

SURE = 1.959964
"""Half-width of a 95 % interval of a normal distribution, in standard errors."""
POWER = 1.281552
"""Distance in standard errors that 90 % of a normal distribution exceed."""
SLOPE = 1600 / math.log(10)
"""Elo for each unit of the expected score, between equal bots."""


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a gate is expected to do for a NEW of some strength."""

    score: float
    """Expected score of NEW."""
    pairs: float
    """Mean number of pairs, at most those of the cap and not below the least of a test."""
    passed: float
    """Probability of passing before the cap."""
    failed: float

    @property
    def undecided(self) -> float:
        """Probability of no decision before the cap."""
        return max(0.0, 1 - self.passed - self.failed)

    @property
    def elo(self) -> float:
        """Strength of NEW in Elo."""
        return elo_of_score(self.score)


def gate_expectations(rule: GateSection, draws: float = 0.0) -> tuple[Expectation, ...]:
    """Return the expectations at the lower hypothesis, in the middle and at the upper one.

    The evidence is taken as a Brownian motion (`brownian.py`); for a test of scores the spread of
    the scores would have to be known, so there are no expectations.
    """
    if rule.is_by_scores:
        return ()
    test = EloTest(rule.low, rule.high, Bounds(rule.alpha, rule.beta), rule.model)
    low, high = test.scores(_variance(0.5, draws))
    middle = (low + high) / 2
    deviation = math.sqrt(_variance(middle, draws))
    scale = deviation / (high - low)
    lower, upper = test.bounds.lower * scale, test.bounds.upper * scale
    found = []
    for score in (low, middle, high):
        motion = with_overshoot(lower, upper, (score - middle) / deviation)
        passed, failed = motion.ends_above_by(rule.pairs), motion.ends_below_by(rule.pairs)
        pairs = motion.mean_pairs(rule.pairs, LEAST_PAIRS)
        found.append(Expectation(score, pairs, passed, failed))
    return tuple(found)


def matches_for_error(error: float, bots: int = 2, draws: float = 0.0) -> float:
    """Return the matches of each pair of bots after which a difference is known to ±`error` Elo.

    In a round robin of k equal bots with m matches a pair, the variance of a difference is
    2 / (k m) times that of one match in squared Elo: its information matrix has m on each pair.
    """
    variance = SLOPE**2 * 2 * _variance(0.5, draws)
    return 2 * variance * (SURE / error) ** 2 / bots


def matches_for_difference(elo: float, draws: float = 0.0) -> float:
    """Return the fixed number of matches of two bots that shows a difference in 9 of 10 events.

    The 95 % interval then excludes 0 with a probability of 90 %.
    """
    lead = expected_score(elo) - 0.5
    return 2 * _variance(0.5 + lead, draws) * ((SURE + POWER) / lead) ** 2


def _variance(score: float, draws: float) -> float:
    """Return the variance of the score of a pair of independent matches with a share of draws."""
    likely = min(draws, 2 * min(score, 1 - score))
    return (score * (1 - score) - likely / 4) / 2
