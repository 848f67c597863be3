"""The likeliest distributions under a hypothesis, and normalized Elo, against searches."""

import math
import random
from typing import Any

import pytest

from arena.ratings import pentanomial
from arena.ratings.pentanomial import (
    PAIR_SCORES,
    elo_of_score,
    expected_score,
    fit_mean,
    fit_normalized,
    moments,
    normalized_elo,
    normalized_elo_of,
    pair_bin,
)
from arena.ratings.sprt import EMPTY, EloTest, observed


def searched(parts: list[float], mean: float) -> list[float]:
    """Return the likeliest distribution with a mean by a search between the poles alone."""
    values = [score - mean for score in PAIR_SCORES]
    low, high = -1 / max(values), -1 / min(values)

    def mean_at(theta: float) -> float:
        return sum(part * v / (1 + theta * v) for part, v in zip(parts, values, strict=True))

    for _ in range(200):
        theta = (low + high) / 2
        low, high = (theta, high) if mean_at(theta) > 0 else (low, theta)
    return [part / (1 + theta * v) for part, v in zip(parts, values, strict=True)]


def drawn(dice: random.Random) -> list[int]:
    weights = [dice.random() ** dice.choice([1, 4]) for _ in PAIR_SCORES]
    bins = [0] * 5
    for place in dice.choices(range(5), weights, k=dice.choice([5, 24, 100, 1000])):
        bins[place] += 1
    return bins


def test_the_ratio_is_that_of_distributions_found_by_a_search() -> None:
    dice = random.Random(5)
    for _ in range(600):
        bins, elo0 = drawn(dice), dice.choice([-50.0, 0.0, dice.uniform(-300, 300)])
        elo1 = elo0 + dice.choice([2, 50, 200])
        parts = observed(bins)
        low, high = (searched(parts, expected_score(elo)) for elo in (elo0, elo1))
        ratio = math.fsum(
            p * math.log(h / low_) for p, low_, h in zip(parts, low, high, strict=True)
        )

        expected = sum(count or EMPTY for count in bins) * ratio
        assert EloTest(elo0, elo1).llr(bins) == pytest.approx(expected, rel=1e-6, abs=1e-6), bins


def test_a_loser_has_no_evidence_for_it_where_a_step_ends_beside_a_pole() -> None:
    assert EloTest().llr([4, 11, 7, 1, 1]) == pytest.approx(-2.40893, abs=1e-4)


def test_a_fit_has_the_normalized_elo_asked_for_and_is_the_likeliest_such() -> None:
    dice = random.Random(7)
    for _ in range(40):
        parts, elo = observed(drawn(dice)), dice.choice([0.0, -5.0, 2.0, dice.uniform(-200, 200)])
        fitted = fit_normalized(parts, elo)

        assert normalized_elo(*moments(fitted)) == pytest.approx(elo, abs=1e-6)
        assert sum(fitted) == pytest.approx(1)
        likelihood = sum(p * math.log(q) for p, q in zip(parts, fitted, strict=True))
        for _ in range(5):  # no neighbour with the same normalized Elo is likelier
            moved = [q * math.exp(dice.gauss(0, 0.01)) for q in fitted]
            near = fit_normalized([q / sum(moved) for q in moved], elo)
            assert (
                sum(p * math.log(q) for p, q in zip(parts, near, strict=True)) <= likelihood + 1e-9
            )


@pytest.mark.parametrize("bins", [(12, 50, 100, 60, 9), (400, 0, 9, 3, 7)])
def test_a_fit_takes_few_steps(bins: tuple[int, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """A search by halves would take forty for each mean."""
    parts, tilted, done = observed(bins), pentanomial._tilted, list[object]()

    def counted(*given: Any) -> list[float]:
        done.append(given)
        return tilted(*given)

    monkeypatch.setattr(pentanomial, "ROUNDS", 15)
    monkeypatch.setattr(pentanomial, "_tilted", counted)
    assert moments(fit_mean(parts, 0.55)).mean == pytest.approx(0.55, abs=1e-12)
    assert sum(fit_mean(parts, 0.55)) == pytest.approx(1, abs=1e-12)
    done.clear()
    assert normalized_elo(*moments(fit_normalized(parts, 5))) == pytest.approx(5, abs=1e-9)
    assert len(done) <= 10


def test_normalized_elo_equals_elo_for_small_leads_without_draws() -> None:
    score = expected_score(5)

    assert normalized_elo(score, score * (1 - score) / 2) == pytest.approx(5, abs=0.01)


def test_pairs_for_normalized_elo_do_not_depend_on_the_share_of_draws() -> None:
    """Twice the leads in deviations of a match give the same evidence for each pair."""
    few, many = [250, 0, 500, 0, 250], [25, 50, 850, 50, 25]
    test = EloTest(-5, 0, model="normalized")

    assert test.llr(few) == pytest.approx(test.llr(many), rel=0.02)
    assert EloTest(-5, 0).llr(many) > 4 * EloTest(-5, 0).llr(few)


def test_the_error_of_normalized_elo_is_that_of_its_slopes_in_the_shares_of_the_bins() -> None:
    """The delta method by numbers: the variance of the slopes, each share being of one pair."""
    dice = random.Random(9)
    for _ in range(60):
        bins = drawn(dice)
        counts = [count + 0.05 for count in bins]
        shares = [count / sum(counts) for count in counts]
        slopes = []
        for place in range(5):
            moved = [[*shares], [*shares]]
            moved[0][place] -= 1e-6
            moved[1][place] += 1e-6
            low, high = (normalized_elo(*moments(each)) for each in moved)
            slopes.append((high - low) / 2e-6)
        mean = sum(p * slope for p, slope in zip(shares, slopes, strict=True))
        spread = sum(p * (slope - mean) ** 2 for p, slope in zip(shares, slopes, strict=True))

        value, error = normalized_elo_of(bins)

        assert value == pytest.approx(normalized_elo(*moments(shares)))
        assert error == pytest.approx(1.96 * math.sqrt(spread / sum(counts)), rel=1e-3), bins


@pytest.mark.parametrize(
    "bins", [(0, 0, 0, 1, 0), (1, 0, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 9, 0, 0)]
)
def test_few_pairs_have_finite_numbers(bins: tuple[int, ...]) -> None:
    assert all(map(math.isfinite, normalized_elo_of(bins)))


def test_elo_and_score_by_hand() -> None:
    """Ten to one are 400 Elo, three to one 400 times the logarithm of 3 to the base 10."""
    assert elo_of_score(10 / 11) == pytest.approx(400)
    assert elo_of_score(0.25) == pytest.approx(-400 * math.log10(3))
    assert elo_of_score(0.5) == 0
    assert [elo_of_score(expected_score(elo)) for elo in (-70, 3)] == pytest.approx([-70, 3])


def test_a_pair_has_a_bin_for_each_half_point() -> None:
    assert [pair_bin(points) for points in (0.0, 0.5, 1.0, 1.5, 2.0)] == [0, 1, 2, 3, 4]
