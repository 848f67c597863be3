"""Draws in ratings: how much they depend on strength is estimated."""

import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest

from arena.ratings.rating import ELO, POWER, PRIOR_ELO, rate
from tests.bench.coverage import Kind, simulated

HALF = Kind("", {2: 0.5}, is_cut=True, power=0.5)


@pytest.mark.parametrize("power", [0.0, 1.0])
def test_expected_scores_are_those_of_the_matches_whatever_draws_depend_on(power: float) -> None:
    kind = Kind("", {2: 1.0}, is_cut=True, power=power)
    dice = random.Random(11)
    matches = [simulated(kind, 2, dice, {"a": 200.0, "b": -200.0}) for _ in range(2000)]
    scores = [
        0.5 if one.place == other.place else 2.0 - one.place
        for one, other in matches
        if one.player == "a"
    ]

    expected = rate(matches).expected_score("a", "b")

    assert expected == pytest.approx(sum(scores) / len(scores), abs=0.02)


def greatest(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the greatest value of a function with one maximum between these bounds."""
    while high - low > 0.003:
        one, other = low + (high - low) / 3, high - (high - low) / 3
        if function(one) < function(other):
            low = one
        else:
            high = other
    return function((low + high) / 2)


def test_the_likelihood_is_greatest_at_the_ratings() -> None:
    """The posterior of the model decreases in every direction."""
    dice = random.Random(9)
    strengths = dict(zip("abc", [-170.0, 0.0, 170.0], strict=True))
    matches = [simulated(HALF, 2, dice, strengths) for _ in range(60)]
    ratings = rate(matches)
    at = {each.player: each.elo / ELO for each in ratings.players}
    at["first"] = ratings.first_move / ELO

    counts = Counter(
        (one.player, other.player, one.place, other.place) for one, other in matches
    ).items()

    def posterior(point: dict[str, float], tie: float, power: float) -> float:
        total = -((ELO / PRIOR_ELO) ** 2) * (sum(by * by for by in point.values()) + tie * tie) / 2
        total -= ((power - POWER[0]) / POWER[1]) ** 2 / 2
        for (player, rival, *places), times in counts:
            own, its = point[player] + point["first"], point[rival]
            pool = math.log(math.exp(own) + math.exp(its))
            shared = tie + pool + power * ((own + its) / 2 - pool)
            weights = {(1, 2): own, (2, 1): its, (1, 1): shared}
            total += times * weights[places[0], places[1]]
            total -= times * math.log(sum(map(math.exp, weights.values())))
        return total

    def highest(point: dict[str, float]) -> float:
        return greatest(
            lambda power: greatest(lambda tie: posterior(point, tie, power), -3, 3), -1, 2
        )

    for name, by in [(name, by) for name in at for by in (-0.02, 0.02)]:
        assert highest({**at, name: at[name] + by}) < highest(at)
    for one, other in combinations("abc", 2):
        assert at[one] < at[other]
