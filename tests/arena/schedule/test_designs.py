"""Blocks with even meetings, compared with an exhaustive search and with known designs."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.schedule import designs
from arena.schedule.designs import Block, balanced_blocks, least_squares

FEW = 20_000
"""Steps of each search where the bound cannot be met, so that all of them are taken."""


def occurrences(blocks: Sequence[Block], points: int) -> list[int]:
    counts = Counter(point for block in blocks for point in block)
    return [counts[point] for point in range(points)]


def meetings(blocks: Sequence[Block], points: int) -> list[int]:
    counts = Counter(pair for block in blocks for pair in combinations(block, 2))
    return [counts[pair] for pair in combinations(range(points), 2)]


def squares(numbers: Sequence[int]) -> int:
    return sum(number**2 for number in numbers)


def take_few_steps(patch: pytest.MonkeyPatch) -> None:
    for name in ("BASE_STEPS", "EXCHANGE_STEPS"):
        patch.setattr(designs, name, FEW)


@pytest.mark.parametrize(
    ("points", "size", "count"),
    [
        *((4, 2, count) for count in range(1, 7)),
        *((5, 2, count) for count in range(1, 6)),
        *((4, 3, count) for count in range(1, 8)),
        *((5, 3, count) for count in range(1, 6)),
        *((6, 4, count) for count in range(1, 4)),
        *((6, 5, count) for count in range(1, 7)),
        *((6, 3, count) for count in range(1, 4)),
    ],
)
def test_no_blocks_at_all_meet_more_evenly(
    points: int, size: int, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_few_steps(monkeypatch)
    blocks = balanced_blocks(points, size, count, Random(1))

    def unevenness(some: Sequence[Block]) -> tuple[int, int]:
        occurs = occurrences(some, points)
        return max(occurs) - min(occurs), squares(meetings(some, points))

    every = list(combinations(range(points), size))
    assert unevenness(blocks) == min(map(unevenness, combinations_with_replacement(every, count)))


@pytest.mark.parametrize(
    ("points", "size", "count", "times"),
    [
        (7, 3, 7, 1),
        (9, 3, 12, 1),
        (13, 3, 26, 1),
        (15, 3, 35, 1),
        (21, 3, 70, 1),
        (31, 3, 155, 1),
        (13, 4, 13, 1),
        (16, 4, 20, 1),
        (21, 5, 21, 1),
        (25, 5, 30, 1),
        (31, 6, 31, 1),
        (6, 3, 10, 2),
        (10, 4, 15, 2),
        (11, 5, 11, 2),
        (16, 6, 16, 2),
        (8, 4, 14, 3),
        (9, 4, 18, 3),
        (11, 6, 11, 3),
    ],
)
def test_known_designs_are_found(points: int, size: int, count: int, times: int) -> None:
    blocks = balanced_blocks(points, size, count, Random(1))

    assert len(blocks) == count
    assert set(meetings(blocks, points)) == {times}
    assert len(set(occurrences(blocks, points))) == 1


@given(
    points=st.integers(2, 12),
    size=st.integers(2, 6),
    count=st.integers(1, 40),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=12, deadline=None)
def test_points_occur_equally_often_or_differ_by_one(
    points: int, size: int, count: int, seed: int
) -> None:
    points = max(points, size)

    with pytest.MonkeyPatch.context() as patch:
        take_few_steps(patch)
        blocks = balanced_blocks(points, size, count, Random(seed))
        again = balanced_blocks(points, size, count, Random(seed))

    assert len(blocks) == count
    assert all(
        len({*block}) == size
        and block == tuple(sorted(block))
        and 0 <= block[0] <= block[-1] < points
        for block in blocks
    )
    occurs = occurrences(blocks, points)
    assert max(occurs) - min(occurs) == (1 if count * size % points else 0)
    assert squares(meetings(blocks, points)) >= least_squares(points, size, count)
    assert blocks == again


def test_every_block_is_taken_before_any_is_taken_twice() -> None:
    blocks = balanced_blocks(5, 3, 2 * comb(5, 3) + 4, Random(1))

    taken = Counter(blocks)
    assert len(taken) == comb(5, 3)
    assert min(taken.values()) == 2


def test_a_partition_pairs_no_points_twice() -> None:
    blocks = balanced_blocks(12, 4, 3, Random(1))

    assert occurrences(blocks, 12) == [1] * 12


@pytest.mark.parametrize(
    ("points", "size", "count", "least"),
    [(7, 3, 7, 21), (7, 3, 14, 21 * 4), (5, 2, 3, 3), (5, 2, 13, 7 + 3 * 4)],
)
def test_the_least_squares_are_those_of_counts_that_differ_by_one(
    points: int, size: int, count: int, least: int
) -> None:
    assert least_squares(points, size, count) == least
