"""The Elo after a sequential test: unbiased in the median, with an interval that covers."""

import random

import pytest

from arena.ratings.pentanomial import elo_of_score, expected_score, moments
from arena.ratings.sprt import LEAST_PAIRS, EloTest, GateOutcome
from arena.ratings.stopped import stopped_elo

GATES = 80
DRAWS = 0.3


def gate(test: EloTest, elo: float, cap: int, dice: random.Random) -> tuple[list[int], GateOutcome]:
    """Return the bins of a gate whose NEW has a strength, and its outcome."""
    score = expected_score(elo)
    weights = [1 - score - DRAWS / 2, DRAWS, score - DRAWS / 2]
    bins = [0] * 5
    for _ in range(cap):
        bins[sum(dice.choices((0, 1, 2), weights, k=2))] += 1
        if (outcome := test.decide(bins)) is not GateOutcome.OPEN:
            return bins, outcome
    return bins, GateOutcome.UNDECIDED


@pytest.mark.simulation
@pytest.mark.parametrize("elo", [-60, 0, 100])
def test_it_is_too_high_as_often_as_too_low_and_its_interval_covers(elo: float) -> None:
    """The seed decides which; bounds are three deviations of the simulation wide."""
    test, dice = EloTest(-60, 0), random.Random(elo)
    found = [stopped_elo(test, *gate(test, elo, 150, dice)) for _ in range(GATES)]

    low = sum(each.elo < elo for each in found) / GATES
    assert low == pytest.approx(0.5, abs=0.17)
    missed_below = sum(each.low > elo for each in found) / GATES
    missed_above = sum(each.high < elo for each in found) / GATES
    assert missed_below <= 0.08
    assert missed_above <= 0.08


def test_an_early_pass_is_worth_less_than_its_plain_score() -> None:
    bins = [1, 3, 12, 10, 6]
    plain = elo_of_score(moments(bins).mean)

    early = stopped_elo(EloTest(-50, 0), bins, GateOutcome.PASSED)
    assert early.elo < plain
    assert stopped_elo(None, bins, GateOutcome.PASSED).elo == pytest.approx(plain, abs=5)


def test_no_end_was_early_before_the_first_decision_is_possible() -> None:
    bins = [0, 0, 2, 3, 5]
    assert sum(bins) == LEAST_PAIRS

    fixed = stopped_elo(None, bins, GateOutcome.PASSED)
    assert stopped_elo(EloTest(), bins, GateOutcome.PASSED) == fixed


@pytest.mark.parametrize("won", [20, 2000])
def test_a_bot_that_wins_everything_has_an_open_interval(won: int) -> None:
    all_won = stopped_elo(EloTest(), [0, 0, 0, 0, won], GateOutcome.PASSED)
    all_lost = stopped_elo(EloTest(), [won, 0, 0, 0, 0], GateOutcome.FAILED)

    assert 0 < all_won.low < all_won.elo < all_won.high
    assert all_lost.elo == pytest.approx(-all_won.elo, abs=1)
    assert all_won.text.startswith("+")


def test_mirrored_results_of_a_mirrored_question_have_mirrored_estimates() -> None:
    bins = [2, 5, 14, 9, 3]

    one = stopped_elo(EloTest(-10, 30), bins, GateOutcome.UNDECIDED)
    other = stopped_elo(EloTest(-30, 10), bins[::-1], GateOutcome.UNDECIDED)
    assert (one.elo, one.low, one.high) == pytest.approx((-other.elo, -other.high, -other.low))


@pytest.mark.parametrize("bins", [(0, 0, 0, 0, 30), (0, 0, 1, 0, 29), (0, 2, 4, 8, 16)])
def test_clear_results_of_a_question_that_few_pairs_cannot_answer_keep_their_score(
    bins: tuple[int, ...],
) -> None:
    """Thirty wins of thirty say little about 0 against 5 Elo, and much about the strength."""
    test = EloTest(0, 5)
    assert test.decide(bins) is GateOutcome.OPEN

    assert stopped_elo(test, bins, GateOutcome.UNDECIDED) == stopped_elo(
        None, bins, GateOutcome.UNDECIDED
    )


PASSED, FAILED, UNDECIDED = GateOutcome.PASSED, GateOutcome.FAILED, GateOutcome.UNDECIDED


@pytest.mark.parametrize(
    ("test", "bins", "outcome", "found"),
    [
        (None, [1, 3, 12, 10, 6], PASSED, (93.79, 24.63, 160.99)),
        (EloTest(-60, 0, model="normalized"), [1, 3, 12, 10, 6], PASSED, (90.34, 19.34, 157.68)),
        (EloTest(-60, 0), [0, 0, 2, 3, 5], PASSED, (259.99, 60.91, 412.29)),
        (EloTest(-60, 0), [1, 3, 12, 10, 6], PASSED, (91.74, 21.67, 158.95)),
        (EloTest(-60, 0), [9, 12, 14, 4, 1], FAILED, (-102.61, -165.21, -38.08)),
        (EloTest(-60, 0), [6, 14, 22, 12, 5], UNDECIDED, (-13.69, -65.48, 36.39)),
        (EloTest(0, 10), [4, 11, 30, 14, 9], UNDECIDED, (33.19, -11.13, 78.25)),
        (EloTest(-20, 60), [0, 2, 9, 9, 7], PASSED, (140.66, 68.75, 216.13)),
        (EloTest(0, 5), [2, 3, 5, 20, 40], UNDECIDED, (276.64, 199.83, 344.72)),
    ],
)
def test_the_estimate_stays_what_the_simulation_has_confirmed(
    test: EloTest | None,
    bins: list[int],
    outcome: GateOutcome,
    found: tuple[float, float, float],
) -> None:
    """Figures of the code that the simulation above confirms."""
    assert stopped_elo(test, bins, outcome) == pytest.approx(found, abs=0.006)
