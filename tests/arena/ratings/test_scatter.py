"""The scatter of clusters, beside the same sums written with whole vectors."""

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from arena.ratings.comparisons import Cluster
from arena.ratings.likelihood import Cell, Expected
from arena.ratings.scatter import TRUST, Ratio, Scatter, _Clusters

SIZE = 6
"""Parameters: three players, three seats."""


def design(cell: Cell, expected: Expected) -> list[float]:
    """Return how far each parameter moves the log odds of a comparison."""
    row = [0.0] * SIZE
    for at, by in (
        (cell.one, expected.by_gap),
        (cell.other, -expected.by_gap),
        (cell.seat, expected.by_seat),
        (cell.later, -expected.by_seat),
    ):
        row[at] += by
    return row


def samples(seed: int) -> tuple[list[Cluster], dict[Cell, Expected]]:
    """Return clusters of some comparisons, as of matches of three seats."""
    dice = random.Random(seed)
    pairs = ((0, 1, 3, 4), (0, 2, 3, 5), (1, 2, 4, 5), (1, 0, 3, 4))
    cells = {
        Cell(*pair): Expected(dice.uniform(0.02, 0.9), dice.uniform(0.5, 1), dice.uniform(0.3, 1))
        for pair in pairs
    }
    clusters = []
    for _ in range(4):
        chosen = dice.sample(sorted(cells), k=dice.randint(1, 3))
        scores = {cell: (float(dice.randint(1, 3)), dice.uniform(0, 1)) for cell in chosen}
        clusters.append(Cluster(dice.randint(1, 5), scores))
    return clusters, cells


@pytest.mark.parametrize("seed", range(5))
def test_scatter_and_number_of_clusters_are_those_of_whole_vectors(seed: int) -> None:
    clusters, cells = samples(seed)
    scatter = [[0.0] * SIZE for _ in range(SIZE)]
    information, squares = [0.0] * SIZE, [0.0] * SIZE
    for cluster in clusters:
        slope, weight, fourth = [0.0] * SIZE, [0.0] * SIZE, [0.0] * SIZE
        for cell, (times, score) in cluster.scores.items():
            row, share = design(cell, cells[cell]), cells[cell].score
            variance = times * share * (1 - share)
            for at, by in enumerate(row):
                slope[at] += (score - times * share) * by
                weight[at] += variance * by**2
                fourth[at] += variance * (1 - 6 * share * (1 - share)) * by**4
        for at in range(SIZE):
            information[at] += cluster.times * weight[at]
            squares[at] += cluster.times * (weight[at] ** 2 + max(fourth[at], 0) / 2)
            for other in range(SIZE):
                scatter[at][other] += cluster.times * slope[at] * slope[other]

    found = _Clusters(clusters, cells, SIZE)

    for row, wanted in zip(found.scatter, scatter, strict=True):
        assert row == pytest.approx(wanted)
    numbers = [i**2 / s if s else 0.0 for i, s in zip(information, squares, strict=True)]
    assert found.number == pytest.approx(numbers)


def ratio_of(scatter: float, assumed: float, number: float, usual: Ratio) -> Ratio:
    """Return the ratio for one parameter whose clusters have this scatter."""
    clusters = _Clusters((), {}, 1)
    clusters.scatter = [[scatter]]
    return clusters.ratio([1.0], assumed, number, usual)


@pytest.mark.parametrize("usual", [1.0, 4.0])
@pytest.mark.parametrize("number", [0.0, 1.0, 101.0])
def test_a_ratio_of_few_clusters_stays_near_the_usual_one(number: float, usual: float) -> None:
    value = (3 * number + usual * TRUST) / (max(number - 1, 0) + TRUST)

    assert ratio_of(6.0, 2.0, number, Ratio(usual)).value == pytest.approx(value)


def test_the_variance_of_a_ratio_counts_its_clusters_and_the_usual_one() -> None:
    found = ratio_of(6.0, 2.0, 11.0, Ratio(1.0, 0.5))

    assert found.variance == pytest.approx((2 * 33.0**2 / 10 + TRUST**2 * 0.5) / 12**2)


def test_without_clusters_a_ratio_is_as_uncertain_as_the_usual_one() -> None:
    assert ratio_of(6.0, 2.0, 0.0, Ratio(1.0, 0.5)) == Ratio(1.0, 0.5)


def test_of_few_clusters_half_are_free_to_differ_for_the_variance() -> None:
    found = ratio_of(6.0, 2.0, 1.2, Ratio(1.0))

    assert found.variance == pytest.approx(2 * 3.6**2 / 0.6 / 2.2**2)


@pytest.mark.parametrize("boards", [0, 1, 2])
def test_matches_depend_on_their_board_if_there_are_several(boards: int) -> None:
    clusters, cells = samples(1)
    likelihood: Any = SimpleNamespace(cells=lambda _: [(cell, 1, cells[cell]) for cell in cells])
    comparisons: Any = SimpleNamespace(by_match=clusters, by_board=clusters[:2], boards=boards)
    influence, parts = [1.0, -1.0, 0.5, 0.2, 0.1, 0.3], {0: 1.0, 1: -1.0}
    matches = _Clusters(clusters, cells, SIZE)
    usual = matches.ratio(influence, 1.0, matches.number_of(parts), Ratio(1.0))

    found = Scatter(comparisons, likelihood, [0.0] * SIZE).ratio(influence, 1.0, parts)

    assert (found == usual) is (boards < 2)


def test_an_estimate_has_as_many_clusters_as_its_poorest_part_allows() -> None:
    clusters = _Clusters((), {}, 2)
    clusters.number = [10.0, 40.0]

    assert clusters.number_of({0: 1.0, 1: -1.0}) == pytest.approx(16)
    assert clusters.number_of({0: 3.0, 1: 1.0}) == pytest.approx(4 / (0.3 + 0.025))


def freedoms(values: Sequence[Ratio]) -> list[float]:
    return [each.freedom for each in values]


def test_freedom_follows_from_the_variance_and_has_a_least() -> None:
    assert freedoms([Ratio(2.0, 0.1), Ratio(1.0, 5.0), Ratio(1.0)]) == pytest.approx([80, 3, 1e6])
    assert Ratio(1.0).reach == pytest.approx(1.96, abs=1e-3)
    assert Ratio(1.0, 5.0).reach == pytest.approx(3.182, rel=0.02)
