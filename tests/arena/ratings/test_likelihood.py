"""The likelihood of comparisons of two seats, against its definition and numerical slopes."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.ratings.likelihood import CLOSE, FARTHEST, Cell, Likelihood, expected, factor, solve

GAPS = st.floats(-20, 20)
AHEAD = st.floats(-3, 3)
PLAYERS, SEATS = 3, 2
"""Parameters of players, then of seats, of which the last is not free."""
FREE = PLAYERS + SEATS - 1
DEVIATION = 3.0
CELLS = st.fixed_dictionaries(
    {
        Cell(one, other, PLAYERS, PLAYERS + 1): st.tuples(st.integers(1, 30), st.floats(0, 1))
        for one in range(PLAYERS)
        for other in range(PLAYERS)
        if one != other
    }
)
POINTS = st.lists(st.floats(-4, 4), min_size=FREE, max_size=FREE)
Shares = dict[Cell, tuple[int, float]]
"""Number of comparisons in each cell, and the share of the points that the earlier seat took."""


def likelihood_of(cells: Shares) -> Likelihood:
    counts = {cell: (float(times), times * share) for cell, (times, share) in cells.items()}
    return Likelihood(counts, FREE, DEVIATION)


def value_of(cells: Shares, point: Sequence[float]) -> float:
    """Return likelihood and prior by their definition."""
    value = -sum(at * at for at in point) / (2 * DEVIATION**2)
    for cell, (times, share) in cells.items():
        gap, ahead = point[cell.one] - point[cell.other], point[cell.seat] - point[cell.later]
        score = expected(gap, ahead).score
        value += times * (share * math.log(score) + (1 - share) * math.log1p(-score))
    return value


def moved(point: Sequence[float], number: int, by: float) -> list[float]:
    return [at + by * (place == number) for place, at in enumerate(point)]


@given(gap=GAPS, ahead=AHEAD)
def test_the_mean_score_over_both_orders_of_the_seats_is_that_of_the_gap_alone(
    gap: float, ahead: float
) -> None:
    mean = (expected(gap, ahead).score + expected(gap, -ahead).score) / 2

    assert mean == pytest.approx(1 / (1 + math.exp(-gap)), rel=1e-9)


@given(gap=GAPS, ahead=AHEAD)
def test_the_seats_change_the_odds_by_the_difference_of_their_values(
    gap: float, ahead: float
) -> None:
    odds = [
        score / (1 - score) for score in (expected(gap, each).score for each in (ahead, -ahead))
    ]

    assert odds[0] / odds[1] == pytest.approx(math.exp(2 * ahead), rel=1e-5)


@given(gap=st.floats(-8, 8), ahead=AHEAD)
def test_the_slopes_of_the_odds_are_those_of_small_steps(gap: float, ahead: float) -> None:
    def log_odds(gap: float, ahead: float) -> float:
        score = expected(gap, ahead).score
        return math.log(score) - math.log1p(-score)

    step, found = 1e-5, expected(gap, ahead)
    by_gap = (log_odds(gap + step, ahead) - log_odds(gap - step, ahead)) / (2 * step)
    by_seat = (log_odds(gap, ahead + step) - log_odds(gap, ahead - step)) / (2 * step)

    assert found.by_gap == pytest.approx(by_gap, rel=1e-4, abs=1e-5)
    assert found.by_seat == pytest.approx(by_seat, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_gap_beyond_the_limit_is_one_at_the_limit(sign: int) -> None:
    cells = {Cell(0, 1, PLAYERS, PLAYERS + 1): (5, 0.5)}
    at, beyond = ([sign * each, 0.0, 0.0, 0.5, 0.0] for each in (FARTHEST, 800.0))
    of_prior = (at[0] ** 2 - beyond[0] ** 2) / (2 * DEVIATION**2)

    assert expected(beyond[0], 0.5) == expected(at[0], 0.5)
    (value, slope), (limit, of_limit) = (likelihood_of(cells).slope(each) for each in (beyond, at))
    assert value - limit == pytest.approx(of_prior)
    assert slope[1:] == of_limit[1:]


@given(cells=CELLS, point=POINTS)
def test_value_and_slope_are_those_of_the_definition(cells: Shares, point: list[float]) -> None:
    whole = [*point, 0.0]
    value, slope = likelihood_of(cells).slope(whole)

    assert value == pytest.approx(value_of(cells, whole), rel=1e-9)
    for number in range(FREE):
        up, down = (value_of(cells, moved(whole, number, by)) for by in (1e-5, -1e-5))
        assert slope[number] == pytest.approx((up - down) / 2e-5, rel=1e-4, abs=1e-3)
    assert slope[FREE] == 0


@given(cells=CELLS, point=POINTS)
def test_the_curvature_is_the_information_of_all_comparisons(
    cells: Shares, point: list[float]
) -> None:
    whole = [*point, 0.0]
    wanted = [[float(row == at) / DEVIATION**2 for at in range(FREE)] for row in range(FREE)]
    for cell, (times, _) in cells.items():
        gap, ahead = whole[cell.one] - whole[cell.other], whole[cell.seat] - whole[cell.later]
        score, by_gap, by_seat = expected(gap, ahead)
        slopes = [0.0] * (FREE + 1)
        slopes[cell.one], slopes[cell.other] = by_gap, -by_gap
        slopes[cell.seat], slopes[cell.later] = by_seat, -by_seat
        for row in range(FREE):
            for at in range(FREE):
                wanted[row][at] += times * score * (1 - score) * slopes[row] * slopes[at]

    found = likelihood_of(cells).curvature(whole)

    assert [len(row) for row in found] == list(range(1, FREE + 1))
    for number, half in enumerate(found):
        assert half == pytest.approx(wanted[number][: number + 1], rel=1e-9, abs=1e-9)


@given(cells=CELLS)
def test_nothing_near_the_maximum_is_more_likely(cells: Shares) -> None:
    likelihood = likelihood_of(cells)

    found = likelihood.maximum()

    assert found[-1] == 0
    assert max(map(abs, likelihood.slope(found)[1])) < 1e3 * CLOSE
    best = value_of(cells, found)
    for number in range(FREE):
        assert all(value_of(cells, moved(found, number, by)) < best for by in (0.01, -0.01))


@pytest.mark.parametrize("times", [1, 1_000, 100_000_000])
def test_one_sided_results_end_at_a_maximum_as_far_as_the_prior_lets_it_be(times: int) -> None:
    cells = {Cell(0, 1, PLAYERS, PLAYERS + 1): (times, 1.0)}
    likelihood = likelihood_of(cells)

    found = likelihood.maximum()

    assert found[0] == pytest.approx(-found[1])
    assert max(map(abs, likelihood.slope(found)[1])) < 1e-3
    assert found[0] > 0


@given(cells=CELLS)
def test_each_row_of_a_matrix_is_solved_by_one_number(cells: Shares) -> None:
    half = likelihood_of(cells).curvature([0.0] * (FREE + 1))

    for row in range(FREE):
        right = [half[max(row, at)][min(row, at)] for at in range(FREE)]
        one = [float(row == at) for at in range(FREE)]
        assert solve(factor(half, 0.0), right) == pytest.approx(one, abs=1e-9)


@pytest.mark.parametrize("times", [1, 100, 10_000, 1_000_000, 1_000_000_000])
@pytest.mark.parametrize("wins", [0.0, 1.0])
def test_a_seat_that_always_wins_has_the_value_at_which_prior_and_results_agree(
    times: int, wins: float
) -> None:
    """Of equals the first seat scores 1 / (1 + exp(-value)), and nobody is stronger."""
    cells = {Cell(one, 1 - one, PLAYERS, PLAYERS + 1): (times, wins) for one in (0, 1)}
    low, high = 0.0, 200.0
    for _ in range(100):
        middle = (low + high) / 2
        missed = 2 * times / (1 + math.exp(middle))
        low, high = (middle, high) if missed > middle / DEVIATION**2 else (low, middle)

    found = likelihood_of(cells).maximum()

    assert found[PLAYERS] == pytest.approx(low if wins else -low, abs=1e-4)
    assert found[:PLAYERS] == pytest.approx([0.0] * PLAYERS, abs=1e-4)


def test_a_pivot_that_rounding_hides_is_the_least_one() -> None:
    """The eigenvalues of this matrix are 2e20 + 1 and 1, and rounding makes the second one 0."""
    lower = factor([[1e20], [-1e20, 1e20]], 1.0)

    assert lower == [[1e10], [-1e10, 1.0]]


FEW = (
    *((2, 11, 1), (0, 1, 1), (8, 11, 0), (7, 2, 0), (0, 5, 1), (9, 6, 1)),
    *((0, 6, 1), (2, 5, 1), (7, 8, 1), (5, 3, 0), (10, 0, 0), (5, 4, 0)),
)
"""Matches of twelve players: earlier and later seat, score of the earlier. Seats worth 278 and -320
Elo are both maxima."""


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_of_two_maxima_the_higher_one_is_found(*, is_mirrored: bool) -> None:
    players, deviation = 12, 600 * math.log(10) / 400
    counts = {
        Cell(one, other, players + 1, players): (1.0, float(score))
        if not is_mirrored
        else (1.0, 1.0 - score)
        for one, other, score in FEW
    }
    likelihood = Likelihood(counts, players + 1, deviation)

    found = likelihood.slope(likelihood.maximum())[0]

    assert (
        found
        >= max(uphill(likelihood, [0.0] * players + [of, 0.0]) for of in (-2.0, 0.0, 2.0)) - 1e-9
    )


def uphill(likelihood: Likelihood, point: list[float]) -> float:
    """Return the value of the maximum above a point, by many small steps along the slope."""
    for _ in range(2000):
        _, slope = likelihood.slope(point)
        point = [at + 0.3 * by for at, by in zip(point, slope, strict=True)]
    return likelihood.slope(point)[0]
