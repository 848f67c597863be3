"""How many matches a question needs, against simulated gates and events."""

import math
import random

import pytest

from arena.config.gate import GateSection
from arena.gate.planner import cap_warning, matches_text, plan_text
from arena.ratings.planning import (
    Expectation,
    gate_expectations,
    matches_for_difference,
    matches_for_error,
)
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


def test_fewer_matches_show_a_large_difference_between_uneven_bots() -> None:
    """A difference of 400 Elo is a score of 10/11, with a variance of 10/121."""
    lead = 10 / 11 - 0.5

    expected = 10 / 121 * ((1.959964 + 1.281552) / lead) ** 2
    assert matches_for_difference(400) == pytest.approx(expected)
    assert matches_for_difference(400, draws=2 / 11) == pytest.approx(expected * 0.45)
    # more draws than 2/11 there cannot be with that score
    assert matches_for_difference(400, draws=0.9) == pytest.approx(expected * 0.45)


def test_probabilities_of_a_gate_are_those_it_allows() -> None:
    """With time enough, a gate is wrong somewhat less often than allowed, as a step goes beyond."""
    rule = GateSection(elo0=0, elo1=20, alpha=0.01, beta=0.1, cap=100_000)
    low, middle, high = gate_expectations(rule)

    assert 0.008 < low.passed < 0.01
    assert 0.09 < high.failed < 0.1
    assert (low.failed, high.passed) == pytest.approx((1 - low.passed, 1 - high.failed), abs=1e-6)
    # without drift, the nearer bound is reached as often as its distance is a part of the width
    upper, lower = math.log(0.9 / 0.01), math.log(0.99 / 0.1)
    assert middle.failed == pytest.approx(upper / (upper + lower), abs=0.005)
    assert [each.undecided for each in (low, middle, high)] == pytest.approx([0, 0, 0], abs=1e-6)
    assert [each.elo for each in (low, high)] == pytest.approx([0, 20])


def test_an_expectation_has_no_negative_part() -> None:
    known = Expectation(score=0.75, pairs=10, passed=0.6, failed=0.3)

    assert (known.undecided, known.elo) == pytest.approx((0.1, 400 * math.log10(3)))
    assert Expectation(score=0.5, pairs=10, passed=0.7, failed=0.3 + 1e-15).undecided == 0


def test_a_plan_has_a_row_for_both_hypotheses_and_their_middle() -> None:
    assert plan_text(GateSection(elo0=0, elo1=300).completed(), 1).splitlines() == [
        "expected without draws, for 0 against 300 Elo, at most 100 pairs:",
        "NEW is      pairs  half drawn  passes  fails  undecided",
        "----------  -----  ----------  ------  -----  ---------",
        "+0.0 Elo       11          10      3%    97%         0%",
        "+126.6 Elo     14          11     50%    50%         0%",
        "+300.0 Elo     11          10     97%     3%         0%",
        "28 s for each second of a match, on 1 slot, in the longest row",
    ]


def test_a_plan_of_normalized_elo_says_so_and_warns_of_a_low_cap() -> None:
    rule = GateSection(elo0=0, elo1=30, model="normalized", cap=300)

    assert plan_text(rule, 4).splitlines() == [
        "expected without draws, for 0 against 30 normalized Elo, at most 150 pairs:",
        "NEW is     pairs  half drawn  passes  fails  undecided",
        "---------  -----  ----------  ------  -----  ---------",
        "+0.0 Elo     143         143      1%    16%        83%",
        "+15.0 Elo    147         147      4%     4%        91%",
        "+30.1 Elo    143         143     16%     1%        83%",
        "73 s for each second of a match, on 4 slots, in the longest row",
        (
            "warning: 83% of such gates end undecided at a cap of 300 matches, without draws; a"
            " cap of 3100 leaves about 5 %"
        ),
    ]


def test_a_plan_by_scores_says_on_what_the_pairs_depend() -> None:
    assert plan_text(GateSection(score0=-5).completed(), 1) == (
        "the number of pairs depends on the spread s of the differences of scores: about"
        " 7 s^2 / (score1 - score0)^2"
    )


@pytest.mark.parametrize(("alpha", "beta"), [(0.001, 0.3), (0.3, 0.001)])
def test_a_cap_is_named_if_one_hypothesis_alone_is_hard_for_it(alpha: float, beta: float) -> None:
    rule = GateSection(elo0=0, elo1=100, alpha=alpha, beta=beta, cap=160)
    low, _, high = gate_expectations(rule)

    assert sorted([low.undecided, high.undecided]) == pytest.approx([0.022, 0.265], abs=0.001)
    assert cap_warning(rule).startswith("27% of such gates end undecided at a cap of 160 matches")
    assert cap_warning(rule.model_copy(update={"cap": 180})) == ""  # 19.9 %


BEFORE = "for independent matches with "
AFTER = " draws; an uneven opening played from both sides needs fewer"


def test_both_ways_to_show_a_difference_are_named() -> None:
    assert matches_text(error=20, difference=15, bots=3, draws=0.4).splitlines() == [
        (
            "differences known to ±20 Elo (95 %): 464 matches of each pair of 3 equal bots, 1392 in"
            " all"
        ),
        "a difference of 15 Elo shown in 9 of 10 events: 3377 matches",
        (
            "the same as a gate, --elo0 0 --elo1 15: 1742 matches if there is none, 2868 for half"
            " of it, 1742 for all of it (means)"
        ),
        f"{BEFORE}40%{AFTER}",
    ]


def test_each_way_to_show_a_difference_is_named_alone() -> None:
    assert matches_text(error=100, difference=None, bots=2, draws=0).splitlines() == [
        "differences known to ±100 Elo (95 %): 47 matches of each pair of 2 equal bots, 47 in all",
        f"{BEFORE}0%{AFTER}",
    ]
    assert matches_text(error=None, difference=100, bots=2, draws=0).splitlines() == [
        "a difference of 100 Elo shown in 9 of 10 events: 124 matches",
        (
            "the same as a gate, --elo0 0 --elo1 100: 73 matches if there is none, 119 for half"
            " of it, 73 for all of it (means)"
        ),
        f"{BEFORE}0%{AFTER}",
    ]
