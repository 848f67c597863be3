"""The question of a gate, and the sums from which it is answered."""

import math

import pytest
from test_gate_tally import ELO, PAIRS, SCORES, progress, results_of

from arena.gate.tally import GateProgress, GateTest, PairCounter, PairTally
from arena.ratings.pentanomial import elo_of_score
from arena.ratings.sprt import GateOutcome


def test_the_bounds_of_a_test_by_wins_are_those_of_wald() -> None:
    bounds = GateTest(ELO.model_copy(update={"alpha": 0.01, "beta": 0.2})).bounds

    assert (bounds.lower, bounds.upper) == (math.log(0.2 / 0.99), math.log(0.8 / 0.01))


def test_the_bounds_of_a_test_by_scores_are_those_of_a_stake() -> None:
    bounds = GateTest(SCORES.model_copy(update={"alpha": 0.01, "beta": 0.2})).bounds

    assert (bounds.lower, bounds.upper) == (math.log(0.2), -math.log(0.01))


def test_elo_and_normalized_elo_are_two_questions() -> None:
    """Of 16 pairs the mean is 0.5625 and the deviation 0.2997 points of 1.

    10 Elo are 0.01439 points, 10 normalized Elo 0.0407 deviations of a pair; the ratio is about
    n (m1 - m0) (2 m - m0 - m1) / 2 in deviations: 0.1417 and 0.1225.
    """
    tally = PairTally(bins=(2, 0, 10, 0, 4))
    rule = ELO.model_copy(update={"elo0": 0, "elo1": 10})

    logistic = GateTest(rule).llr(tally)
    normalized = GateTest(rule.model_copy(update={"model": "normalized"})).llr(tally)

    assert logistic == pytest.approx(0.1417, rel=0.05)
    assert normalized == pytest.approx(0.1225, rel=0.05)


@pytest.mark.parametrize(
    ("passing", "failing", "evidence"), [(1.5, 0.25, 1.5), (0.25, 1.5, -1.5), (-3, -2, 0)]
)
def test_the_evidence_of_scores_is_the_larger_stake(
    passing: float, failing: float, evidence: float
) -> None:
    assert GateTest(SCORES).llr(PairTally(passing=passing, failing=failing)) == evidence


def test_scores_fail_after_thirty_pairs_at_the_earliest() -> None:
    worse = progress(results_of("00" * 300), SCORES)

    assert (worse.outcome, worse.ended) == (GateOutcome.FAILED, 30)


def test_without_wins_there_is_no_strength() -> None:
    assert GateTest(SCORES).strength(PairTally(pairs=3, total=5), GateOutcome.PASSED) is None


def test_an_early_end_takes_from_the_strength_only_where_wins_decided() -> None:
    tally = PairTally(bins=(1, 3, 12, 10, 6))
    plain = elo_of_score((3 * 0.25 + 12 * 0.5 + 10 * 0.75 + 6) / 32)

    by_wins = GateTest(ELO).strength(tally, GateOutcome.PASSED)
    by_scores = GateTest(SCORES).strength(tally, GateOutcome.PASSED)

    assert by_wins is not None
    assert by_scores is not None
    assert by_scores.elo == pytest.approx(plain, abs=5)
    assert by_wins.elo < by_scores.elo - 1


@pytest.mark.parametrize("outcome", [GateOutcome.PASSED, GateOutcome.UNDECIDED])
def test_the_strength_depends_on_how_the_gate_ended(outcome: GateOutcome) -> None:
    test, tally = GateTest(ELO), PairTally(bins=(1, 3, 12, 10, 6))
    other = test.strength(tally, GateOutcome.FAILED)

    assert test.strength(tally, outcome) != other


def test_an_upper_bound_above_zero_leaves_a_bot_against_itself_undecided() -> None:
    rule = ELO.model_copy(update={"elo0": -1, "elo1": 1})

    assert GateTest(rule).of_equals() is GateOutcome.UNDECIDED


def test_the_error_of_three_means_is_students() -> None:
    """Differences 1, 2 and 6: variance 7; the factor of two degrees of freedom is 4.3027."""
    mean, error = PairTally(pairs=3, total=9, squares=41).ahead()

    assert mean == 3
    assert error == pytest.approx(4.3027 * math.sqrt(7 / 3), rel=1e-4)


def test_equal_differences_have_no_error() -> None:
    assert PairTally(pairs=3, total=3, squares=3).ahead() == (1, 0)


def test_a_part_of_a_gate_without_pairs_is_through() -> None:
    empty = PairCounter(GateTest(ELO), "new", []).progress({})

    assert empty == GateProgress(GateOutcome.UNDECIDED, PairTally(), 0)


def test_a_changed_last_pair_restarts_the_count() -> None:
    counter = PairCounter(GateTest(ELO), "new", PAIRS[:10])
    counter.progress(results_of("1100" * 5))
    changed = results_of("1100" * 4 + "1111")

    assert counter.progress(changed).tally.wins == 12
    assert counter.progress(changed).ended == 10
