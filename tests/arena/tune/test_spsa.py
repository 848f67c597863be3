"""The schedule of SPSA against its formulas, its rounding, and its result on a known optimum."""

from collections import Counter
from math import floor
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config.tune import ParameterSection, TuneSection
from arena.tune.optimum import optimum_of
from arena.tune.spsa import MOST_EMPTY, Course, Gains, Parameter, Probe, parameters_of

REAL = Parameter(name="x", start=2.0, low=0.0, high=10.0, step=0.5, r_end=0.1, is_whole=False)
WHOLE = Parameter(name="n", start=2, low=0, high=10, step=1, r_end=0.1, is_whole=True)
GAINS = Gains(iterations=100, stability=10, alpha=0.602, gamma=0.101)


def course(*parameters: Parameter, pairs: int = 1, seed: int = 1, gains: Gains = GAINS) -> Course:
    return Course(parameters, gains, pairs, seed)


def test_the_gains_are_those_of_spall() -> None:
    # a_k = a / (A + k + 1)^alpha and c_k = c / (k + 1)^gamma, k from 0 (Spall 1998, III.A)
    a = GAINS.step(REAL, 0) * (10 + 1) ** 0.602
    c = GAINS.reach(REAL, 0)

    assert a == pytest.approx(0.1 * 0.5**2 * 110**0.602)
    assert c == pytest.approx(0.5 * 100**0.101)
    for k in (0, 1, 7, 99):
        assert GAINS.step(REAL, k) == pytest.approx(a / (10 + k + 1) ** 0.602)
        assert GAINS.reach(REAL, k) == pytest.approx(c / (k + 1) ** 0.101)


def test_the_last_gains_are_c_end_and_r_end() -> None:
    assert GAINS.reach(REAL, 99) == pytest.approx(0.5)  # c_end of fishtest
    assert GAINS.step(REAL, 99) / GAINS.reach(REAL, 99) ** 2 == pytest.approx(0.1)  # its r_end


def test_a_step_is_the_gradient_of_the_two_sides() -> None:
    search = course(REAL, WHOLE)
    (probe,) = search.probes()
    signs = [1 if plus > minus else -1 for plus, minus in zip(probe.plus, probe.minus, strict=True)]

    search.advance([2.0])

    moved = [after - before for before, after in zip(*search.path, strict=True)]
    for each, sign, change in zip((REAL, WHOLE), signs, moved, strict=True):
        assert change == pytest.approx(GAINS.step(each, 0) / GAINS.reach(each, 0) * 2.0 * sign)


def test_a_batch_counts_as_its_mean_and_faults_as_nothing() -> None:
    one, batch, faulty = course(REAL), course(REAL, pairs=4), course(REAL, pairs=4)
    one.advance([1.0])
    batch.advance([2.0, 0.0, 2.0, 0.0])
    faulty.advance([None, 1.0, None, 1.0])

    assert one.path == batch.path == faulty.path

    faulty.advance([None] * 4)
    assert faulty.path[-1] == faulty.path[-2]


def test_a_search_without_evidence_ends() -> None:
    search = course(REAL)
    for _ in range(MOST_EMPTY - 1):
        search.advance([None])
    assert not search.is_ended

    search.advance([None])
    assert search.is_stuck
    assert search.is_ended


@given(st.data())
def test_no_value_leaves_its_bounds(data: st.DataObject) -> None:
    is_whole = data.draw(st.booleans())
    number = st.integers(-1000, 1000) if is_whole else st.floats(-1000, 1000)
    low, start, high = sorted(data.draw(st.lists(number, min_size=3, max_size=3)))
    if not low < high:
        return
    step = data.draw(st.floats(0.5, 3000))
    each = Parameter(
        name="x", start=start, low=low, high=high, step=step, r_end=1.0, is_whole=is_whole
    )
    search = course(each, pairs=2, seed=data.draw(st.integers(0, 2**128 - 1)))
    for result in data.draw(st.lists(st.sampled_from([-2.0, 0.0, 2.0, None]), max_size=20)):
        for probe in search.probes():
            for value in (*probe.plus, *probe.minus):
                assert low <= value <= high
                assert not is_whole or value == int(value)
                assert low <= float(each.text(value)) <= high
        search.advance([result, 2.0])
        assert low <= search.path[-1][0] <= high
    assert low <= search.tuned()[0] <= high


def test_rounding_is_unbiased_and_keeps_the_sides_apart() -> None:
    search = course(WHOLE, pairs=4000, gains=Gains(iterations=1, stability=0, alpha=1, gamma=0))
    search.path[0] = (4.3,)
    probes = search.probes()

    sides = Counter(probe.plus[0] + probe.minus[0] for probe in probes)
    mean = sum(probe.plus[0] + probe.minus[0] for probe in probes) / 8000
    assert mean == pytest.approx(4.3, abs=0.03)  # four standard errors
    assert set(sides) == {8.0, 10.0}
    assert all(abs(probe.plus[0] - probe.minus[0]) == 2 for probe in probes)


def test_the_same_seed_gives_the_same_course() -> None:
    one, same, other = (course(REAL, WHOLE, seed=seed) for seed in (5, 5, 6))
    for search in (one, same, other):
        random = Random(1)
        while not search.is_ended:
            search.probes()
            search.advance([random.choice([-2.0, 0.0, 2.0])])

    assert one.path == same.path
    assert one.played == same.played
    assert one.path != other.path


# -- a known optimum -------------------------------------------------------------------------------


def play(search: Course, best: float, loss: float, seed: int) -> None:
    random = Random(seed)
    while not search.is_ended:
        results: list[float | None] = []
        for probe in search.probes():
            ahead = sum(
                (minus - best) ** 2 - (plus - best) ** 2
                for plus, minus in zip(probe.plus, probe.minus, strict=True)
            )
            share = 1 / (1 + 10 ** (-loss * ahead / 400))
            results.append(2.0 * sum(random.random() < share for _ in range(2)) - 2)
        search.advance(results)


def searched(seed: int, *, iterations: int, loss: float) -> Course:
    section = TuneSection(
        iterations=iterations,
        parameters={
            "n": ParameterSection(start=4, min=0, max=20),
            "x": ParameterSection(start=18.0, min=0.0, max=20.0),
        },
    ).completed()
    gains = Gains(iterations=iterations, stability=section.A or 0, alpha=0.602, gamma=0.101)
    search = Course(parameters_of(section), gains, 1, seed)
    play(search, 12.0, loss, seed)
    return search


@pytest.mark.parametrize("seed", range(10))
def test_the_optimum_is_found_within_its_error(seed: int) -> None:
    search = searched(seed, iterations=500, loss=5.0)

    for place, each in enumerate(search.parameters):
        interval = optimum_of(search.played, place, each.low, each.high)
        assert interval is not None
        assert interval.low <= 12.0 <= interval.high
        assert interval.high - interval.low < 6
        assert interval.low - 0.5 <= search.tuned()[place] <= interval.high + 0.5
        assert abs(search.tuned()[place] - 12.0) <= 2


def test_nobody_knows_the_optimum_of_what_makes_no_difference() -> None:
    known = 0
    for seed in range(10):
        search = searched(seed, iterations=100, loss=0.0)
        for place, each in enumerate(search.parameters):
            interval = optimum_of(search.played, place, each.low, each.high)
            known += interval is not None
    assert known <= 2


@pytest.mark.parametrize(("best", "low", "high"), [(9.0, 7.0, 10.0), (10.0, 8.0, 10.0)])
def test_an_interval_ends_within_the_range(best: float, low: float, high: float) -> None:
    random = Random(3)
    played: list[tuple[Probe, float | None]] = []
    for _ in range(2000):
        middle = random.uniform(1, 9)
        plus, minus = middle + 1, middle - 1
        won = 0.05 * ((minus - best) ** 2 - (plus - best) ** 2) > random.uniform(-2, 2)
        played.append((Probe((plus,), (minus,)), 2.0 if won else -2.0))

    interval = optimum_of(played, 0, 0.0, 10.0)

    assert interval is not None
    assert low <= interval.low <= best <= interval.high <= high


def test_whole_numbers_round_to_the_nearest_in_the_end() -> None:
    assert [WHOLE.nearest(value) for value in (2.4, 2.6, 99.0, -1.0)] == [2, 3, 10, 0]
    assert floor(WHOLE.playable(2.4, 0.7)) == 3
    assert REAL.nearest(1.23456789) == 1.23457
