"""Sequential tests: likelihood ratio, bounds, and refused settings."""

import math
import random
from collections.abc import Iterable, Iterator

import pytest

from arena.errors import UsageError
from arena.ratings.pentanomial import (
    PAIR_SCORES,
    expected_score,
    fit_mean,
    fit_normalized,
    moments,
    pair_bin,
)
from arena.ratings.sprt import (
    LEAST_DIFFERENCES,
    LEAST_PAIRS,
    Bounds,
    EloTest,
    GateOutcome,
    ScoreTest,
)
from arena.reading.choices import EloModel
from tests.bench.gates import NOISES, score_gate


@pytest.mark.parametrize(
    ("pairs", "elo0", "elo1", "llr"),
    [
        ((3, 21, 40, 25, 7), -50, 0, 7.884719158416154),
        ((0, 0, 0, 0, 400), -50, 0, 61.692845244284776),
        ((400, 0, 0, 0, 0), -50, 0, -53.43698504536811),
        ((0, 0, 120, 0, 0), -50, 0, 18.497873161231038),
        ((10, 0, 0, 0, 12), -50, 0, 0.5149463284340418),
        ((99, 0, 178, 0, 0), 70.42823728344507, 75.98614475544454, -5.351236727618692),
    ],
)
def test_the_ratio_agrees_with_mache(
    pairs: tuple[int, ...], elo0: float, elo1: float, llr: float
) -> None:
    """The numbers are results of `log_likelihood_ratio` of mache 0.7.1."""
    assert EloTest(elo0, elo1).llr(pairs) == pytest.approx(llr, abs=5e-5)


def test_the_ratio_agrees_with_mache_for_any_pairs() -> None:
    oracle = pytest.importorskip("mache.match_estimate")
    dice = random.Random(1)
    for _ in range(200):
        pairs = [dice.choice([0, 1, dice.randrange(1, 200)]) for _ in PAIR_SCORES]
        elo0 = dice.uniform(-200, 100)
        elo1 = elo0 + dice.uniform(1, 150)
        expected = oracle.log_likelihood_ratio(pairs, elo0, elo1) if sum(pairs) else 0
        assert EloTest(elo0, elo1).llr(pairs) == pytest.approx(expected, abs=5e-5)


def test_the_ratio_is_the_maximum_of_a_search() -> None:
    """Distributions over the scores 0, 1/2 and 1 with a given mean have one free number."""
    counts = (30, 0, 40, 0, 50)
    filled = [count or 0.001 for count in counts]

    def greatest(mean: float) -> float:
        best = -math.inf
        for number in range(1, 20_000):
            draws = number / 20_000
            win = mean - draws / 2
            if min(win, 1 - win - draws) > 0:
                logs = (math.log(1 - win - draws), math.log(draws), math.log(win))
                best = max(best, sum(by * log for by, log in zip(filled[::2], logs, strict=True)))
        return best

    ratio = greatest(expected_score(40)) - greatest(expected_score(-40))

    assert EloTest(-40, 40).llr(counts) == pytest.approx(ratio, abs=0.02)


def test_the_bounds_are_the_bounds_of_wald() -> None:
    assert Bounds(0.05, 0.1).lower == math.log(0.1 / 0.95)
    assert Bounds(0.05, 0.1).upper == math.log(0.9 / 0.05)


def test_400_to_0_decides_either_way() -> None:
    assert EloTest().decide((0, 0, 0, 0, 200)) is GateOutcome.PASSED
    assert EloTest().decide((200, 0, 0, 0, 0)) is GateOutcome.FAILED


def test_the_mirrored_pairs_decide_the_mirrored_hypotheses_the_other_way() -> None:
    pairs = (3, 21, 40, 25, 7)

    assert EloTest(0, 50).llr(pairs[::-1]) == pytest.approx(-EloTest(-50, 0).llr(pairs))


def test_nothing_is_decided_before_the_least_number_of_pairs() -> None:
    test = EloTest(-400, 400)

    assert test.decide((0, 0, 0, 0, LEAST_PAIRS - 1)) is GateOutcome.OPEN
    assert test.decide((0, 0, 0, 0, LEAST_PAIRS)) is GateOutcome.PASSED


def test_no_pairs_decide_nothing() -> None:
    assert EloTest().llr((0, 0, 0, 0, 0)) == 0
    assert ScoreTest(-1, 0).llr(0.0, 0.0) == 0


@pytest.mark.parametrize(
    ("elo0", "elo1"), [(0, 0), (10, -10), (-2000, 0), (0, math.inf), (math.nan, 0)]
)
def test_hypotheses_that_can_never_be_decided_are_refused(elo0: float, elo1: float) -> None:
    with pytest.raises(UsageError, match="elo0 must be below elo1"):
        EloTest(elo0, elo1)


@pytest.mark.parametrize(("low", "high"), [(0, 0), (1, 0), (-math.inf, 0), (0, math.nan)])
def test_score_differences_that_can_never_be_decided_are_refused(low: float, high: float) -> None:
    with pytest.raises(UsageError, match="can never be decided"):
        ScoreTest(low, high)


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0.05), (0.05, 0.5), (-1, 0.05), (0.05, math.nan)])
def test_error_rates_outside_0_to_one_half_are_refused(alpha: float, beta: float) -> None:
    wrong = "alpha" if not 0 < alpha < 0.5 else "beta"
    with pytest.raises(UsageError, match=rf"^{wrong} must be between 0 and 0\.5, not"):
        Bounds(alpha, beta)


def test_a_ratio_at_its_bound_decides() -> None:
    bounds = Bounds(0.05, 0.1)
    assert bounds.decide(bounds.upper, 10, 10) is GateOutcome.PASSED
    assert bounds.decide(bounds.lower, 10, 10) is GateOutcome.FAILED
    assert bounds.decide(math.nextafter(bounds.upper, 0), 10, 10) is GateOutcome.OPEN
    assert bounds.decide(math.nextafter(bounds.lower, 0), 10, 10) is GateOutcome.OPEN


@pytest.mark.parametrize(("model", "most"), [("logistic", 1000), ("normalized", 200)])
def test_hypotheses_may_reach_the_limit_of_their_model(model: EloModel, most: float) -> None:
    assert EloTest(-most, most, model=model).elo1 == most
    for elo0, elo1 in ((-most - 1, 0), (0, most + 1)):
        with pytest.raises(UsageError, match=f"both within {most} Elo of 0: {elo0:g} and {elo1:g}"):
            EloTest(elo0, elo1, model=model)


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_scores_of_hypotheses_are_the_means_of_the_fitted_bins(model: EloModel) -> None:
    """Both ways to a hypothesis agree: by its distribution of pairs, and by its mean alone."""
    test, parts = EloTest(-30, 70, model=model), [0.1, 0.2, 0.4, 0.2, 0.1]
    fit = (
        fit_normalized if model == "normalized" else lambda p, elo: fit_mean(p, expected_score(elo))
    )
    for number, elo in enumerate((-30, 70)):
        mean, variance = moments(fit(parts, elo))
        assert test.scores(variance)[number] == pytest.approx(mean, abs=1e-9)


def test_a_ratio_of_normalized_elo_is_that_of_its_fitted_bins() -> None:
    test, pairs = EloTest(-30, 70, model="normalized"), (3, 21, 40, 25, 7)
    parts = [count / sum(pairs) for count in pairs]
    low, high = (fit_normalized(parts, elo) for elo in (-30, 70))

    likely = math.fsum(n * math.log(b / a) for n, a, b in zip(pairs, low, high, strict=True))
    assert test.llr(pairs) == pytest.approx(likely)
    assert test.llr(pairs) != pytest.approx(EloTest(-30, 70).llr(pairs), abs=0.1)


@pytest.mark.parametrize(
    ("pair", "growth"),
    [
        ((0, 0.0, 0.0, 1.5), (0.008871, 0.000990)),  # log(1 + 0.099 * 0.09), as told at `_bet`
        ((10, 5.0, 400.0, 1.5), (0.074304, 0.008404)),
        ((40, 90.0, 60000.0, -20.0), (-0.056698, 0.066643)),
        ((40, -200.0, 60000.0, 12.0), (0.045955, -0.033759)),
    ],
)
def test_stakes_of_a_test_by_scores_grow_as_before(
    pair: tuple[int, float, float, float], growth: tuple[float, float]
) -> None:
    """Figures of the code whose error rates the simulation confirms; the first one by hand."""
    assert ScoreTest(-3, 2).growth(*pair)[:2] == pytest.approx(growth, abs=1e-6)


@pytest.mark.parametrize(
    ("passing", "failing", "llr"),
    [(0.5, 0.2, 0.5), (0.2, 0.5, -0.5), (-0.3, -0.1, 0.0), (0.4, -2.0, 0.4), (0.7, 0.7, 0.7)],
)
def test_the_larger_stake_is_the_evidence(passing: float, failing: float, llr: float) -> None:
    assert ScoreTest(-1, 0).llr(passing, failing) == llr


def test_the_bins_of_a_pair_count_its_half_points() -> None:
    assert [pair_bin(score) for score in (0, 0.5, 1, 1.5, 2)] == [0, 1, 2, 3, 4]
    assert [2 * PAIR_SCORES[pair_bin(score)] for score in (0, 0.5, 1, 1.5, 2)] == [
        0,
        0.5,
        1,
        1.5,
        2,
    ]


def played(
    test: ScoreTest, differences: Iterable[float]
) -> Iterator[tuple[GateOutcome, int, float]]:
    """Yield decision, number of pairs and evidence after each difference."""
    total = squares = passing = failing = 0.0
    for pairs, difference in enumerate(differences):
        growth = test.growth(pairs, total, squares, difference)
        passing, failing = passing + growth.passing, failing + growth.failing
        total, squares = total + difference, squares + difference**2
        yield test.decide(pairs + 1, passing, failing), pairs + 1, test.llr(passing, failing)


def ended(test: ScoreTest, differences: Iterable[float]) -> tuple[GateOutcome, int]:
    """Return the decision and its number of pairs; undecided after all differences."""
    for decision, pairs, _ in played(test, differences):
        if decision is not GateOutcome.OPEN:
            return decision, pairs
    return GateOutcome.OPEN, 0


def test_equal_scores_on_every_board_are_decided_soon() -> None:
    test = ScoreTest(-5, 0)

    passed, pairs = ended(test, [0.0] * 100)
    assert passed is GateOutcome.PASSED
    assert pairs == pytest.approx(37, abs=2)
    assert ended(test, [-5.0] * 100) == (GateOutcome.FAILED, pairs)
    assert ended(test, [0.0] * (LEAST_DIFFERENCES - 1)) == (GateOutcome.OPEN, 0)


def test_no_strategy_lets_a_stake_grow_at_the_refuted_mean() -> None:
    """Ville's inequality needs this, after any earlier differences and for any next one."""
    test = ScoreTest(-5, 0)
    dice = random.Random(1)
    for _ in range(500):
        before = [dice.choice([-55.0, -5.0, 0.0, dice.gauss(0, 20)]) for _ in range(6)]
        total, squares = sum(before), sum(each**2 for each in before)
        lost, chance = dice.uniform(0, 50), dice.uniform(0.01, 0.99)
        won = lost * chance / (1 - chance)  # the mean is exactly the refuted one

        down = test.growth(6, total, squares, test.low - lost).passing
        up = test.growth(6, total, squares, test.low + won).passing

        assert chance * math.exp(down) + (1 - chance) * math.exp(up) <= 1 + 1e-9


def test_the_first_bet_follows_from_the_other_hypothesis_alone() -> None:
    # all in reaches of 50: a mean of 0.1, a variance of 1, and a lead of 5 points
    share = 0.1 / (1 + 0.1**2)

    growth = ScoreTest(-5, 0).growth(0, 0.0, 0.0, 0.0)
    assert growth[:2] == pytest.approx((math.log1p(share * 0.1), 0))


def test_a_bet_is_larger_the_more_the_differences_so_far_refute_the_mean() -> None:
    test, pairs = ScoreTest(-5, 0), 40
    sums = [(pairs * mean, pairs * (mean**2 + 30**2)) for mean in (-7.5, -5.0, -2.5, 0.0, 2.5)]

    passing = [test.growth(pairs, total, squares, 0.0).passing for total, squares in sums]
    failing = [test.growth(pairs, total, squares, -5.0).failing for total, squares in sums]

    assert sorted(set(passing)) == passing
    assert sorted(set(failing), reverse=True) == failing


def test_evidence_for_neither_decides_nothing() -> None:
    test = ScoreTest(-5, 0)

    assert test.llr(-40.0, -50.0) == 0
    assert test.decide(100, -40.0, -50.0) is GateOutcome.OPEN
    assert test.decide(100, 3.0, 2.0) is GateOutcome.PASSED
    assert test.decide(100, -40.0, 3.0) is GateOutcome.FAILED


@pytest.mark.parametrize("spread", [0, 5, 20, 80])
def test_no_difference_within_ten_distances_costs_more_than_a_stake(spread: float) -> None:
    test, pairs = ScoreTest(-5, 0), 200
    squares = pairs * spread**2

    assert not test.growth(pairs, 0.0, squares, -55).is_beyond
    assert not test.growth(pairs, 0.0, squares, 50).is_beyond


def test_a_rare_loss_among_equal_scores_is_beyond_and_one_among_wide_ones_is_not() -> None:
    test, pairs = ScoreTest(-5, 0), 200

    assert test.growth(pairs, 0.0, 0.0, -100).is_beyond
    assert not test.growth(pairs, 0.0, pairs * 40.0**2, -100).is_beyond


def test_scores_of_a_wide_spread_are_decided_with_few_pairs_more_than_by_a_known_spread() -> None:
    """Wald's test with the spread of 4 distances known needs about 87 pairs."""
    dice = random.Random(1)
    ends = [
        score_gate(ScoreTest(-5, 0), dice, NOISES["high spread"], is_good=True) for _ in range(100)
    ]

    assert sum(pairs for _, pairs in ends) / len(ends) < 1.4 * 87


def pairs_until_decided(test: ScoreTest, mean: float, spread: float) -> tuple[GateOutcome, int]:
    """Return the verdict on differences that are in turn as far above the mean as below."""
    decision, pairs = ended(test, [mean + spread, mean - spread] * 5_000)
    assert pairs, f"{mean} with spread {spread} is never decided"
    return decision, pairs


@pytest.mark.parametrize("spread", [0, 1, 10, 50, 100])
def test_the_further_from_the_hypotheses_the_sooner_a_test_by_scores_ends(spread: float) -> None:
    test = ScoreTest(-5, 0)
    distances = (2.5, 10, 100, 1000, 10_000, 1e6)

    above = [pairs_until_decided(test, -2.5 + by, spread) for by in distances]
    below = [pairs_until_decided(test, -2.5 - by, spread) for by in distances]

    assert {decision for decision, _ in above} == {GateOutcome.PASSED}
    assert {decision for decision, _ in below} == {GateOutcome.FAILED}
    for pairs in ([pairs for _, pairs in above], [pairs for _, pairs in below]):
        assert pairs == sorted(pairs, reverse=True)
        assert pairs[-1] == LEAST_DIFFERENCES


@pytest.mark.parametrize("mean", [-1e4, -5, 0, 10, 1e4])
def test_the_wider_the_differences_spread_the_later_a_test_by_scores_ends(mean: float) -> None:
    test = ScoreTest(-5, 0)

    pairs = [pairs_until_decided(test, mean, spread)[1] for spread in (0, 1, 5, 20, 80)]

    assert pairs == sorted(pairs)


def test_a_huge_difference_with_a_huge_spread_is_decided() -> None:
    """+8097 with a 95 % error of 145 after 300 pairs: the standard deviation is 1281."""
    decision, pairs = pairs_until_decided(ScoreTest(-5, 0), 8097, 1281)

    assert decision is GateOutcome.PASSED
    assert pairs < 300


def test_the_evidence_does_not_depend_on_the_unit_of_the_scores() -> None:
    differences = [3.0, -4.0, 1.0, 7.0] * 10

    *_, (_, _, evidence) = played(ScoreTest(-5, 0), differences)
    *_, (_, _, scaled) = played(ScoreTest(-500, 0), [100 * each for each in differences])

    assert scaled == pytest.approx(evidence)


@pytest.mark.simulation
@pytest.mark.parametrize("name", NOISES)
def test_gates_by_scores_err_no_more_often_than_allowed(name: str) -> None:
    """A rough check; `python -m tests.bench gates` measures 10,000 gates."""
    dice = random.Random(name)
    test = ScoreTest(-5, 0)

    bad, good = (
        [score_gate(test, dice, NOISES[name], is_good=is_good)[0] for _ in range(400)]
        for is_good in (False, True)
    )

    assert bad.count(GateOutcome.PASSED) <= 0.065 * 400
    assert good.count(GateOutcome.FAILED) <= 0.065 * 400
    assert bad.count(GateOutcome.FAILED) > 0.9 * 400
    assert good.count(GateOutcome.PASSED) > 0.9 * 400
