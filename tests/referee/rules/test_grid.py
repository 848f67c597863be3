"""Rows of equal stones on a square board."""

from itertools import groupby
from random import Random

import pytest

from referee.rules.grid import rows_through


def by_whole_lines(board: bytes, size: int, point: int, shortest: int) -> tuple[int, ...]:
    """Divide each line through the point into runs, and take those that have the point."""
    row, column = divmod(point, size)
    found: set[int] = set()
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        places = [(row + down * step, column + right * step) for step in range(-size, size + 1)]
        line = [r * size + c for r, c in places if 0 <= r < size and 0 <= c < size]
        for _, run in groupby(line, lambda place: board[place]):
            if point in (stones := list(run)) and len(stones) >= shortest:
                found.update(stones)
    return tuple(sorted(found))


@pytest.mark.parametrize("seed", range(20))
def test_rows_through_a_point_are_those_of_its_whole_lines(seed: int) -> None:
    chance = Random(seed)
    size = chance.choice([5, 7, 9])
    board = bytes(chance.choices((1, 2), (4, 1), k=size * size))

    rows = [rows_through(board, size, point, 4) for point in range(size * size)]

    assert rows == [by_whole_lines(board, size, point, 4) for point in range(size * size)]
    assert any(rows)
    assert not all(rows)
