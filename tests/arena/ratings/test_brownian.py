"""The motion between two barriers, against simulated walks and itself."""

import math
import random

import pytest

from arena.ratings.brownian import FAR, OVERSHOOT, Motion, _log_tail, with_overshoot

WALKS = 1500


def phi(deviations: float) -> float:
    """Return the normal distribution, exact in its tail."""
    return math.erfc(-deviations / math.sqrt(2)) / 2


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


@pytest.mark.parametrize("drift", [0.3, -0.3, 0.02, -0.02, 1e-6])
@pytest.mark.parametrize(("lower", "upper"), [(-5, 9), (-9, 5), (-2, 2)])
def test_the_end_and_the_mean_keep_the_martingales_of_a_motion(
    lower: float, upper: float, drift: float
) -> None:
    """exp(-2 drift X) stays 1 in the mean, and X less drift times pairs stays 0."""
    motion = Motion(lower, upper, drift)
    below = motion.ends_below()
    mean = below * math.exp(-2 * drift * lower) + (1 - below) * math.exp(-2 * drift * upper)

    assert mean == pytest.approx(1, abs=1e-9)
    if abs(drift) > 0.01:
        wald = (below * lower + (1 - below) * upper) / drift
        assert motion.mean_pairs(1e6) == pytest.approx(wald, rel=2e-3)


@pytest.mark.parametrize("drift", [0.2, -0.2, 0.0, -3.0])
@pytest.mark.parametrize("pairs", [1, 30, 400])
def test_a_far_barrier_leaves_the_motion_to_the_other_one(drift: float, pairs: float) -> None:
    """The time to one barrier has the inverse Gaussian distribution."""
    lower, root = -4.0, math.sqrt(pairs)
    hit = phi((lower - drift * pairs) / root)
    hit += math.exp(2 * drift * lower) * phi((lower + drift * pairs) / root)

    assert Motion(lower, 5000, drift).ends_below_by(pairs) == pytest.approx(hit, abs=1e-9)
    assert Motion(-5000, -lower, -drift).ends_above_by(pairs) == pytest.approx(hit, abs=1e-9)
    assert Motion(lower, 5000, drift).is_open_after(pairs) == pytest.approx(1 - hit, abs=1e-9)


@pytest.mark.parametrize("place", [-20, 0, 3, 40])
@pytest.mark.parametrize("drift", [0.2, -0.2, 0.0])
def test_without_a_barrier_near_a_motion_is_normal(place: float, drift: float) -> None:
    above = phi((drift * 100 - place) / 10)

    assert Motion(-900, 900, drift).stays_above(place, 100) == pytest.approx(above, abs=1e-9)


@pytest.mark.parametrize("drift", [0.0, 0.1, -0.2])
def test_a_late_motion_decays_as_its_longest_wave(drift: float) -> None:
    motion = Motion(-6, 10, drift)
    rate = (drift**2 + (math.pi / 16) ** 2) / 2

    for of in (motion.is_open_after, lambda pairs: motion.stays_above(2, pairs)):
        assert of(230) / of(200) == pytest.approx(math.exp(-30 * rate), rel=1e-3)
    later = motion.ends_below() - motion.ends_below_by(200)
    assert (motion.ends_below() - motion.ends_below_by(230)) / later == pytest.approx(
        math.exp(-30 * rate), rel=1e-3
    )


def test_a_late_motion_without_drift_is_high_as_often_as_its_wave_says() -> None:
    """The sine of the longest wave times 4 / pi is the part that is still open."""
    motion, wave = Motion(-6, 10, 0), math.pi / 16
    is_open = 4 / math.pi * math.sin(6 * wave) * math.exp(-(wave**2) / 2 * 200)

    assert motion.is_open_after(200) == pytest.approx(is_open, rel=1e-3)
    for place in (-6, -2, 0, 3, 10):
        part = (1 + math.cos((place + 6) * wave)) / 2
        assert motion.stays_above(place, 200) == pytest.approx(is_open * part, rel=1e-3)
    assert motion.stays_above(-99, 200) == motion.is_open_after(200)
    assert motion.stays_above(99, 200) == 0


@pytest.mark.parametrize(("cap", "least"), [(300, 8), (300, 40), (60, 59.5), (20, 0)])
def test_a_least_number_of_pairs_adds_the_time_of_motions_that_ended_before(
    cap: float, least: float
) -> None:
    motion = Motion(-6, 10, 0.1)
    added = least - motion.mean_pairs(least) if least else 0

    assert motion.mean_pairs(cap, least) == pytest.approx(motion.mean_pairs(cap) + added, rel=2e-4)


def test_a_least_number_of_pairs_above_the_cap_is_the_cap() -> None:
    assert Motion(-6, 10, 0.1).mean_pairs(7, 30) == 7


def test_overshoot_moves_both_barriers_out() -> None:
    assert with_overshoot(-3, 4, 0.1) == Motion(-3 - OVERSHOOT, 4 + OVERSHOOT, 0.1)


def test_upside_down_the_ends_change_places() -> None:
    assert Motion(-3, 4, 0.1).mirrored() == Motion(-4, 3, -0.1)
    assert Motion(-3, 4, 0.1).ends_above_by(9) == Motion(-4, 3, -0.1).ends_below_by(9)


@pytest.mark.parametrize(
    ("deviations", "tail"), [(0, 0.5), (1, 0.841344746), (-3, 0.00134989803), (-8, 6.22096057e-16)]
)
def test_the_near_tail_is_the_normal_distribution(deviations: float, tail: float) -> None:
    assert math.exp(_log_tail(deviations)) == pytest.approx(tail, rel=1e-8)
