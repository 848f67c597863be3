"""Draws in ratings: how much they depend on strength is estimated."""

import math
import random
from collections import Counter
from collections.abc import Sequence

import pytest

from arena.ratings.rating import ELO, POWER, PRIOR_ELO, rate
from referee.result import SeatRow
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


def slope(matches: Sequence[tuple[SeatRow, ...]]) -> dict[str, float]:
    """Return the slope of the logarithm of the posterior at the ratings, by parameter."""
    ratings = rate(matches)
    at = {each.player: each.elo / ELO for each in ratings.players}
    at |= {"first": ratings.first_move / ELO, "tie": math.log(ratings.draw), "power": ratings.power}
    counts = Counter((one.player, other.player, one.place, other.place) for one, other in matches)

    def posterior(point: dict[str, float]) -> float:
        total = -(((point["power"] - POWER[0]) / POWER[1]) ** 2) / 2
        total -= (
            (ELO / PRIOR_ELO) ** 2 / 2 * sum(point[name] ** 2 for name in at if name != "power")
        )
        for (player, rival, *places), times in counts.items():
            own, its = point[player] + point["first"], point[rival]
            pool = math.log(math.exp(own) + math.exp(its))
            shared = point["tie"] + pool + point["power"] * ((own + its) / 2 - pool)
            weights = {(1, 2): own, (2, 1): its, (1, 1): shared}
            total += times * weights[places[0], places[1]]
            total -= times * math.log(sum(map(math.exp, weights.values())))
        return total

    by = 1e-4
    return {
        name: (posterior({**at, name: value + by}) - posterior({**at, name: value - by})) / (2 * by)
        for name, value in at.items()
    }


def test_the_posterior_of_the_model_is_greatest_at_the_ratings() -> None:
    dice = random.Random(9)
    strengths = dict(zip("abc", [-170.0, 0.0, 170.0], strict=True))

    found = slope([simulated(HALF, 2, dice, strengths) for _ in range(60)])

    assert found == pytest.approx(dict.fromkeys(found, 0), abs=0.001)


def test_the_posterior_is_greatest_at_ratings_of_results_unlike_the_model() -> None:
    """Steps by the expected curvature go too far there."""
    dice = random.Random(87)
    matches = []
    for _ in range(20):
        one, other = dice.sample("abcde", 2)
        places = dice.choice([(1, 2), (2, 1), (1, 1)])
        rows = [
            SeatRow(player, 0, place, "0", None, 0, 0, 0, 0)
            for player, place in zip((one, other), places, strict=True)
        ]
        matches += [tuple(rows)] * dice.choice([1, 1, 50])

    found = slope(matches)

    assert found == pytest.approx(dict.fromkeys(found, 0), abs=0.001)
