"""Intervals against independent optimizers and the exact posterior: one-sided and mixed results."""

import importlib
import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from statistics import NormalDist

import pytest
from counted import results, sat

from arena.ratings.comparisons import compare
from arena.ratings.rating import ELO, PRIOR_ELO, Elo, Ratings, rate_outcomes
from arena.ratings.student import to_normal
from arena.ratings.text import percent
from arena.results.standings import RatedMatch

NORMAL = 1.959964


def log_posterior(outcomes: Counter[RatedMatch]) -> Callable[[list[float]], float]:
    """Return the model as its docstring has it: strengths by name, then the second seat's value."""
    names = sorted({seat.player for outcome in outcomes for seat in outcome.seats})

    def value(point: list[float]) -> float:
        total = -sum(each**2 for each in point) / 2 / (PRIOR_ELO / ELO) ** 2
        for outcome, times in outcomes.items():
            one, other = outcome.seats
            gap = point[names.index(one.player)] - point[names.index(other.player)]
            c = math.cosh(point[-1])
            b = c * (1 - math.exp(gap))
            odds = (-b + math.sqrt(b * b + 4 * math.exp(gap))) / 2 * math.exp(-point[-1])
            score = 0.5 if one.place == other.place else float(one.place < other.place)
            total += times * (score * math.log(odds) - math.log(1 + odds))
        return total

    return value


def mixed(seed: int) -> Counter[RatedMatch]:
    """Return an event of four in which one player loses all its matches."""
    dice = random.Random(seed)
    outcomes: Counter[RatedMatch] = Counter()
    for one, other in [*permutations("abcd", 2)] * 3:
        lost = 1 if "d" in (one, other) else dice.choice([1, 1, 2, 0])
        strong = lost == 2 or other == "d"
        places = (1, 1) if lost == 0 else (1, 2) if strong else (2, 1)
        outcomes[sat(one, other, places)] += 1
    return outcomes


@pytest.mark.parametrize("seed", [1, 2])
def test_the_walk_along_the_likelihood_ends_where_another_optimizer_does(seed: int) -> None:
    scipy = importlib.import_module("scipy.optimize")
    outcomes = mixed(seed)
    value = log_posterior(outcomes)
    ratings = Ratings(compare(outcomes))
    names, peak = sorted("abcd"), ratings.strengths.point
    assert value([float(each) for each in peak[:-1]]) == pytest.approx(
        -scipy.minimize(lambda point: -value(list(point)), [0.0] * 5, tol=1e-12).fun, abs=1e-6
    )
    for one, other in (("a", "b"), ("c", "d")):
        elo = ratings.difference(one, other).elo
        ratio = ratings.scatter(one, other)
        for end in (elo.low, elo.high):

            def fixed(point: list[float], end: float = end, pair: str = one + other) -> float:
                whole = list(point)
                whole[names.index(pair[0])] = whole[names.index(pair[1])] + end / ELO
                return -value(whole)

            found = scipy.minimize(
                fixed,
                peak[:-1],
                tol=1e-12,
                method="Nelder-Mead",
                options={"maxiter": 20000, "xatol": 1e-7, "fatol": 1e-9},
            )
            loss = value([float(each) for each in peak[:-1]]) + found.fun
            assert math.sqrt(2 * loss / ratio.value) == pytest.approx(ratio.reach, rel=0.01)


def profile_of(outcomes: Counter[RatedMatch], gap: float) -> float:
    """Return the highest posterior of "a" and "b" with this difference, whatever the seats are."""
    value = log_posterior(outcomes)
    return max(value([gap / 2, -gap / 2, number / 50]) for number in range(-400, 401))


FEW_SEATINGS = {
    "one draw and one win": {("a", "b", (1, 2)): 1, ("b", "a", (1, 1)): 1},
    "six matches": {
        ("a", "b", (2, 1)): 1,
        ("b", "a", (1, 2)): 2,
        ("a", "b", (1, 2)): 2,
        ("a", "b", (1, 1)): 1,
    },
    "one seating alone": {("a", "b", (1, 2)): 200},
    "the second seat alone": {("a", "b", (2, 1)): 200},
    "draws alone": {("a", "b", (1, 1)): 100, ("b", "a", (1, 1)): 100},
}
"""Results that leave the value of the first move uncertain."""


@pytest.mark.parametrize("matches", FEW_SEATINGS.values(), ids=FEW_SEATINGS)
def test_the_walk_ends_in_order_where_the_value_of_the_seats_is_uncertain(
    matches: dict[tuple[str, str, tuple[int, int]], int],
) -> None:
    outcomes = Counter({sat(*match): times for match, times in matches.items()})

    ratings = rate_outcomes(outcomes)
    found, ratio = ratings.difference("a", "b"), ratings.scatter("a", "b")

    peak = profile_of(outcomes, found.elo.value / ELO)
    assert all(profile_of(outcomes, gap / 2) < peak + 0.01 for gap in range(-16, 17))
    for end in (found.elo.low, found.elo.high):
        loss = peak - profile_of(outcomes, end / ELO)
        assert math.sqrt(2 * loss / ratio.value) == pytest.approx(ratio.reach, rel=0.05)
    even = math.sqrt(2 * max(peak - profile_of(outcomes, 0.0), 0.0) / ratio.value)
    stronger = NormalDist().cdf(to_normal(math.copysign(even, found.elo.value), ratio.freedom))
    assert found.superiority == pytest.approx(stronger, abs=0.02)


@pytest.mark.parametrize(
    "matches",
    [
        {("b", "a", (1, 2)): 304, ("a", "b", (1, 1)): 68_121, ("a", "b", (2, 1)): 91_607},
        {("a", "b", (1, 2)): 10**6, ("b", "a", (1, 2)): 10**6},
    ],
)
def test_ends_are_in_order_where_rounding_hides_what_is_uncertain(
    matches: dict[tuple[str, str, tuple[int, int]], int],
) -> None:
    outcomes = Counter({sat(*match): times for match, times in matches.items()})

    elo = rate_outcomes(outcomes).difference("a", "b").elo

    assert elo.low < elo.value < elo.high


@pytest.mark.parametrize("wins", [6, 8, 12, 24])
def test_one_sided_results_are_above_zero_with_unequal_ends(wins: int) -> None:
    """The sign test says so too: 6 of 6 have a probability of 0.03."""
    best = rate_outcomes(results(wins)).players[0]

    assert best.elo.low > 100
    assert best.elo.high - best.elo.value > 1.5 * (best.elo.value - best.elo.low)
    assert best.superiority is not None
    assert best.superiority > 0.995


@pytest.mark.parametrize(("wins", "losses"), [(4, 0), (8, 0), (20, 0), (7, 1), (55, 45)])
def test_the_probability_of_being_stronger_is_near_the_exact_posterior(
    wins: int, losses: int
) -> None:
    """The posterior of the same model by numerical integration, without values of the seats."""
    steps = [number / 200 for number in range(-6000, 6001)]
    deviation = math.sqrt(2) * PRIOR_ELO / ELO
    density = [
        math.exp(
            -wins * math.log1p(math.exp(-at))
            - losses * math.log1p(math.exp(at))
            - at * at / 2 / deviation**2
        )
        for at in steps
    ]
    above = sum(by for at, by in zip(steps, density, strict=True) if at > 0) / sum(density)

    best = rate_outcomes(results(wins, 0, losses)).players[0]

    assert best.superiority is not None
    assert 0.96 * above < best.superiority < min(1.03 * above, 1)


def test_no_uncertain_probability_is_printed_as_certain() -> None:
    values = (0.5, 0.9994, 0.9996, 1 - 1e-12, 0.0001)

    assert [percent(each) for each in values] == [
        "50.0 %",
        "99.9 %",
        ">99.9 %",
        ">99.9 %",
        "<0.1 %",
    ]


def test_ends_are_printed_apart_where_they_differ() -> None:
    assert Elo(89.4, 68, 110).text() == "+89 ±21"
    assert Elo(861, 365, 1518).text() == "+861 -496 +657"
    assert Elo(-861, -1518, -365).text() == "-861 -657 +496"
    assert Elo(2000, 2000, 2000).text() == "+2000 fixed"
