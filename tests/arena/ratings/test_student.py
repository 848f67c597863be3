"""Student's distribution, beside its probabilities by integration."""

import math
from statistics import NormalDist

import pytest

from arena.ratings.student import from_normal, half_width, to_normal

NORMAL = NormalDist()
VALUES = [tenth / 4 for tenth in range(-16, 17)]
STEPS = 2000


def integral(freedom: float, angle: float) -> float:
    """Return Simpson's integral of the density, with angles for values, from 0 up to one."""
    width = angle / STEPS
    heights = [math.pow(math.cos(at * width), freedom - 1) for at in range(STEPS + 1)]
    middle = 4 * sum(heights[1:-1:2]) + 2 * sum(heights[2:-1:2])
    return width / 3 * (heights[0] + middle + heights[-1])


def probability(value: float, freedom: float) -> float:
    """Return the probability of a value as large as this one or smaller."""
    angle = math.atan(value / math.sqrt(freedom))
    return 0.5 + integral(freedom, angle) / integral(freedom, math.pi / 2) / 2


def exact_half_width(freedom: int) -> float:
    low, high = 1.0, 20.0
    while high - low > 1e-11:
        middle = (low + high) / 2
        low, high = (middle, high) if probability(middle, freedom) < 0.975 else (low, middle)
    return low


@pytest.mark.parametrize(
    ("freedom", "width"), [(1, 12.7062), (5, 2.5706), (6, 2.4469), (20, 2.0860), (10**6, 1.96)]
)
def test_half_widths_are_those_of_the_tables(freedom: int, width: float) -> None:
    assert half_width(freedom) == pytest.approx(width, rel=6e-3)


@pytest.mark.parametrize("freedom", range(1, 6))
def test_the_widest_half_widths_are_exact(freedom: int) -> None:
    assert half_width(freedom) == pytest.approx(exact_half_width(freedom), abs=6e-5)


@pytest.mark.parametrize("freedom", [6, 20, 100, 300])
def test_the_error_of_a_half_width_falls_with_the_third_power_of_the_freedom(freedom: int) -> None:
    error = exact_half_width(freedom) - half_width(freedom)

    assert 2 < error * freedom**3 < 3  # the next term of Fisher's series is 2.56 / freedom**3


@pytest.mark.parametrize("freedom", [3, 4.5, 10, 100])
def test_a_normal_value_has_the_probability_of_the_value_it_stands_for(freedom: float) -> None:
    normal = [NORMAL.cdf(to_normal(value, freedom)) for value in VALUES]

    assert normal == pytest.approx([probability(value, freedom) for value in VALUES], abs=0.002)


@pytest.mark.parametrize("freedom", [1, 3, 4.5, 10, 100])
def test_a_value_from_a_normal_one_stands_for_it(freedom: float) -> None:
    there_and_back = [to_normal(from_normal(value, freedom), freedom) for value in VALUES]

    assert there_and_back == pytest.approx(VALUES)
