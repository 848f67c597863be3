"""The moves forbidden to Black in renju: overline, double four and double three.

By the rules of the Renju International Federation (RIF), section 9. A board is one byte per point,
EMPTY, BLACK or another value, with one more byte at its end that stands for all points off the
board. A *line* is the eleven bytes of one direction around a black stone in its middle.
"""

from collections.abc import Callable
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from referee.rules.grid import LINES

EMPTY = 0
BLACK = 1
OFF = 3
FIVE = 5
_REACH = 5
_MIDDLE = _REACH
_WINDOWS_OF_FIVE = range(_MIDDLE - 4, _MIDDLE + 1)
_WINDOWS_OF_FOUR = range(_MIDDLE - 3, _MIDDLE + 1)

Line = tuple[int, ...]


class Shape(NamedTuple):
    """The shape around a black stone in one direction."""

    run: int
    """Black stones in a row."""
    fours: int
    """Sets of four stones, one stone short of exactly five."""
    fills: tuple[int, ...]
    """Places in the line where one more stone makes a straight four out of a three."""


def forbidden(board: bytearray, size: int, point: int) -> str | None:
    """Return the form that Black's stone must not make here, or None; the board is restored."""
    around = _lines(size)[point]
    board[point] = BLACK
    try:
        shapes = [_shape(line(board)) for line, _ in around]
        if any(shape.run == FIVE for shape in shapes):
            return None
        if any(shape.run > FIVE for shape in shapes):
            return "an overline"
        if sum(shape.fours for shape in shapes) > 1:
            return "a double four"
        if sum(bool(shape.fills) for shape in shapes) > 1 and _threes(board, size, point) > 1:
            return "a double three"
        return None
    finally:
        board[point] = EMPTY


def _threes(board: bytearray, size: int, point: int) -> int:
    """Return the number of threes of a stone that could become a straight four.

    The stone for the straight four must be allowed itself, and must not make five.
    """
    return sum(
        any(
            not _makes_five(board, size, points[fill])
            and forbidden(board, size, points[fill]) is None
            for fill in _shape(line(board)).fills
        )
        for line, points in _lines(size)[point]
    )


def _makes_five(board: bytearray, size: int, point: int) -> bool:
    board[point] = BLACK
    found = any(_shape(line(board)).run == FIVE for line, _ in _lines(size)[point])
    board[point] = EMPTY
    return found


@lru_cache(maxsize=1 << 16)
def _shape(line: Line) -> Shape:
    fours = set()
    for start in _WINDOWS_OF_FIVE:
        stones = [place for place in range(start, start + FIVE) if line[place] == BLACK]
        if len(stones) == FIVE - 1 and _has_room(line, start, FIVE):
            fours.add(tuple(stones))
    fills = set()
    for start in _WINDOWS_OF_FOUR:
        empty = [place for place in range(start, start + 4) if line[place] == EMPTY]
        stones = [place for place in range(start, start + 4) if line[place] == BLACK]
        if (len(empty), len(stones)) != (1, 3):
            continue
        if line[start - 1] == line[start + 4] == EMPTY and BLACK not in (
            line[start - 2],
            line[start + 5],
        ):
            fills.add(empty[0])
    return Shape(_run(line), len(fours), tuple(sorted(fills)))


def _has_room(line: Line, start: int, count: int) -> bool:
    """Whether the gap of a window is empty and no black stone is beside the window."""
    window = line[start : start + count]
    return EMPTY in window and BLACK not in (line[start - 1], line[start + count])


def _run(line: Line) -> int:
    first = last = _MIDDLE
    while first > 0 and line[first - 1] == BLACK:
        first -= 1
    while last + 1 < len(line) and line[last + 1] == BLACK:
        last += 1
    return last - first + 1


@lru_cache(maxsize=8)
def _lines(size: int) -> tuple[tuple[tuple[Callable[[bytearray], Line], Line], ...], ...]:
    """Return, for each point, its four lines: a function that reads one, and its points."""

    def points(row: int, column: int, step: tuple[int, int]) -> Line:
        places = (
            (row + step[0] * distance, column + step[1] * distance)
            for distance in range(-_REACH, _REACH + 1)
        )
        return tuple(
            r * size + c if 0 <= r < size and 0 <= c < size else size * size for r, c in places
        )

    return tuple(
        tuple((itemgetter(*line), line) for line in (points(row, col, step) for step in LINES))
        for row in range(size)
        for col in range(size)
    )
