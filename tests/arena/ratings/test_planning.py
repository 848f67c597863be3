"""How many matches a question needs, against simulated gates and events."""

import random

import pytest

from arena.config.gate import GateSection
from arena.gate.planner import cap_warning, matches_text, plan_text
from arena.ratings.planning import gate_expectations, matches_for_difference, matches_for_error
from arena.ratings.sprt import LEAST_PAIRS, EloTest, GateOutcome
from tests.bench.gates import DRAWS, elo_gate


@pytest.mark.simulation
def test_a_gate_takes_the_expected_pairs_and_decides_as_often() -> None:
    rule = GateSection(elo0=-60, elo1=0, cap=1200)
    dice, gates = random.Random(3), 150
    ends = [elo_gate(EloTest(-60, 0), dice, is_good=True) for _ in range(gates)]

    expected = gate_expectations(rule, DRAWS)[-1]
    assert sum(pairs for _, pairs in ends) / gates == pytest.approx(expected.pairs, rel=0.2)
    passed = sum(outcome is GateOutcome.PASSED for outcome, _ in ends) / gates
    assert passed == pytest.approx(expected.passed, abs=0.06)


@pytest.mark.parametrize(("draws", "cap"), [(0.0, None), (0.8, None), (0.0, 24)])
def test_no_expectation_is_below_the_least_number_of_pairs(draws: float, cap: int | None) -> None:
    rule = GateSection(elo0=0, elo1=300, cap=cap).completed()
    least, middle, most = gate_expectations(rule, draws)

    # 300 simulated gates without draws took 10.8, 15.3 and 10.8 pairs in the mean
    assert LEAST_PAIRS <= least.pairs == pytest.approx(most.pairs)
    assert least.pairs < middle.pairs <= rule.pairs
    if not draws and not cap:
        assert (least.pairs, middle.pairs) == pytest.approx((10.8, 15.3), rel=0.1)


@pytest.mark.parametrize(("elo0", "elo1"), [(-50, 0), (0, 30), (0, 2), (-200, 100)])
@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_the_default_cap_leaves_few_gates_undecided(elo0: float, elo1: float, model: str) -> None:
    if model == "normalized" and elo0 < -100:
        return
    rule = GateSection(elo0=elo0, elo1=elo1, model=model).completed()  # type: ignore[arg-type]

    assert [each.undecided < 0.07 for each in gate_expectations(rule)] == [True] * 3
    assert cap_warning(rule) == ""


@pytest.mark.simulation
def test_a_cap_that_can_hardly_answer_is_named_with_one_that_can() -> None:
    rule = GateSection(elo0=0, elo1=30, cap=600)

    assert cap_warning(rule) == (
        "49% of such gates end undecided at a cap of 600 matches, without draws; a cap of 3100"
        " leaves about 5 %"
    )
    assert "warning: 49%" in plan_text(rule, 2)


def test_scores_have_no_expectation_before_their_spread_is_known() -> None:
    rule = GateSection(score0=-5).completed()

    assert (rule.cap, gate_expectations(rule)) == (600, ())
    assert "7 s^2" in plan_text(rule, 2)


def test_an_error_needs_four_times_the_matches_for_half_of_it_and_fewer_with_draws() -> None:
    assert matches_for_error(20) == pytest.approx(1159, abs=1)  # (1.96 * 347.4 / 20)^2
    assert matches_for_error(10) == pytest.approx(4 * matches_for_error(20))
    assert matches_for_error(20, draws=0.5) == pytest.approx(matches_for_error(20) / 2)
    assert matches_for_error(20, bots=6) == pytest.approx(matches_for_error(20) / 3)


def test_a_difference_is_shown_in_nine_of_ten_events() -> None:
    dice, elo = random.Random(1), 100.0
    count = round(matches_for_difference(elo))
    score = 1 / (1 + 10 ** (-elo / 400))
    shown = 0
    for _ in range(400):
        mean = sum(dice.random() < score for _ in range(count)) / count
        shown += mean - 1.96 * (mean * (1 - mean) / count) ** 0.5 > 0.5

    assert shown / 400 == pytest.approx(0.9, abs=0.05)


def test_both_ways_to_show_a_difference_are_named() -> None:
    text = matches_text(error=20, difference=15, bots=2, draws=0.4)

    assert "differences known to ±20 Elo (95 %): 696 matches of each pair of 2 equal bots" in text
    assert "shown in 9 of 10 events: 3377 matches" in text
    assert "--elo0 0 --elo1 15: 1742 matches if there is none" in text
