"""The motion between two barriers, against simulated walks and itself."""

import math
import random

import pytest

from arena.ratings.brownian import FAR, Motion, _log_tail, with_overshoot

WALKS = 1500


@pytest.mark.parametrize(
    ("lower", "upper", "drift"), [(-14, 14, 0.1), (-14, 14, 0.0), (-5, 9, -0.05), (-4, 4, 0.5)]
)
def test_a_walk_ends_as_often_and_as_soon_as_the_motion(
    lower: float, upper: float, drift: float
) -> None:
    dice, cap, place = random.Random(1), 100, 2.0
    below = above = high = steps = 0
    for _ in range(WALKS):
        at, step = 0.0, 0
        while step < cap and lower < at < upper:
            at, step = at + dice.gauss(drift, 1), step + 1
        below, above = below + (at <= lower), above + (at >= upper)
        high += place < at < upper
        steps += step

    motion = with_overshoot(lower, upper, drift)
    within = 0.04  # three deviations of the simulation
    assert motion.ends_below_by(cap) == pytest.approx(below / WALKS, abs=within)
    assert motion.ends_above_by(cap) == pytest.approx(above / WALKS, abs=within)
    assert motion.stays_above(place, cap) == pytest.approx(high / WALKS, abs=within)
    assert motion.mean_pairs(cap) == pytest.approx(steps / WALKS, rel=0.06)


@pytest.mark.parametrize("drift", [0, 0.01, -0.05, 0.3, -0.5, 2])
@pytest.mark.parametrize(("lower", "upper"), [(-14, 14), (-5, 9), (-720, 720)])
def test_images_and_waves_agree_where_one_follows_the_other(
    lower: float, upper: float, drift: float
) -> None:
    motion = Motion(lower, upper, drift)
    border = 0.25 * (upper - lower) ** 2

    for of in (motion.ends_below_by, motion.ends_above_by, lambda n: motion.stays_above(1, n)):
        assert of(border * 0.999999) == pytest.approx(of(border * 1.000001), abs=1e-5)


def test_everything_ends_somewhere() -> None:
    motion = Motion(-6, 10, 0.2)

    for pairs in (1, 10, 50, 500):
        total = motion.ends_below_by(pairs) + motion.ends_above_by(pairs)
        assert total + motion.is_open_after(pairs) == pytest.approx(1)
    assert motion.ends_below_by(1e6) == pytest.approx(motion.ends_below())


def test_a_motion_without_drift_takes_the_product_of_its_barriers() -> None:
    assert Motion(-30, 20, 0).mean_pairs(1e6) == pytest.approx(600, rel=0.01)
    assert Motion(-720, 720, 0.5).mean_pairs(1e9) == pytest.approx(1440, rel=0.01)
    assert math.isclose(Motion(-30, 20, 0).ends_below(), 0.4)


@pytest.mark.parametrize("cap", [1, 10, 100])
def test_a_motion_that_cannot_end_before_the_cap_takes_all_of_it(cap: int) -> None:
    assert Motion(-1000, 1000, 0.1).mean_pairs(cap) == pytest.approx(cap)


def test_the_far_tail_follows_where_the_exact_one_ends() -> None:
    """Its next term would be one part of the square of the deviations."""
    near, far = (_log_tail(FAR * by) for by in (1 - 1e-9, 1 + 1e-9))

    assert 0 < far - near < 1.1 / FAR**2
