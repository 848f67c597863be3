"""Points and lines of square boards, as indices into one flat board: row * size + column."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import takewhile

LINES = ((0, 1), (1, 0), (1, 1), (1, -1))
"""The four directions of a line: along the row, the column and both diagonals."""

RAYS = (*LINES, *((-rows, -columns) for rows, columns in LINES))
"""The eight directions from a point."""


@lru_cache(maxsize=32)
def rays(size: int, length: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return, for each point and each of the eight RAYS, up to `length` points outwards."""
    return tuple(
        tuple(_ray(size, row, column, step, length) for step in RAYS)
        for row in range(size)
        for column in range(size)
    )


def _ray(size: int, row: int, column: int, step: tuple[int, int], length: int) -> tuple[int, ...]:
    points = []
    for _ in range(length):
        row, column = row + step[0], column + step[1]
        if not (0 <= row < size and 0 <= column < size):
            break
        points.append(row * size + column)
    return tuple(points)


def rows_through(board: bytes, size: int, point: int, shortest: int) -> tuple[int, ...]:
    """Return the points of all rows of at least `shortest` equal stones through a point, sorted."""
    found: set[int] = set()
    around = rays(size, size)[point]
    for forth, back in zip(around[:4], around[4:], strict=True):
        row = [point]
        for ray in (forth, back):
            row += takewhile(lambda place: board[place] == board[point], ray)
        if len(row) >= shortest:
            found.update(row)
    return tuple(sorted(found))


@lru_cache(maxsize=32)
def lines(size: int, shortest: int) -> tuple[slice, ...]:
    """Return all lines of at least `shortest` points, as slices of the board."""
    found: list[slice] = []
    for rows, columns in LINES:
        step = rows * size + columns
        for row in range(size):
            for column in range(size):
                if 0 <= row - rows < size and 0 <= column - columns < size:
                    continue  # not the first point of its line
                first = row * size + column
                last = (first, *_ray(size, row, column, (rows, columns), size))[-1]
                if last - first >= (shortest - 1) * step:
                    found.append(slice(first, last + 1, step))
    return tuple(found)


def drawn(
    columns: Iterable[object],
    labels: Iterable[object],
    rows: Iterable[str],
    *,
    left: int,
    width: int = 2,
) -> str:
    """Draw a board with names above its columns and labels beside its rows.

    A label takes `left` characters, as in the `Margins` of the game, and a place takes `width`.
    """
    header = " " * left + "".join(f"{column:>{width}}" for column in columns)
    lines = [
        f"{label:>{left}}" + "".join(f"{place:>{width}}" for place in row)
        for label, row in zip(labels, rows, strict=True)
    ]
    return "\n".join([header.rstrip(), *lines])
