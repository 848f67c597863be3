"""Men of two seats on a board of squares, each seat's as a set of bits.

A square is bit row * width + column. The width of a row is a power of two
with at least one spare column, so that no shift moves a man around the edge of the board. Packed
positions and their successors serve the counting of games.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

_REVERSED = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


def row_width(cols: int) -> int:
    """Return the number of bits of a row: whole bytes, with at least one spare bit."""
    return 8 if cols < 8 else 16 if cols < 16 else 32


@lru_cache(maxsize=32)
def all_squares(rows: int, cols: int) -> int:
    """Return the squares of the board, without the spare columns."""
    row = (1 << cols) - 1
    return sum(row << row_width(cols) * number for number in range(rows))


def single_bits(squares: int) -> Iterator[int]:
    """Yield each set bit, the lowest first."""
    while squares:
        bit = squares & -squares
        yield bit
        squares ^= bit


def captures(
    own: int, enemy: int, empty: int, steps: Sequence[tuple[int, T, T]]
) -> list[tuple[T, int]]:
    """Return the landing squares of each direction with captures, with the direction's value.

    `steps` has, for each step up or to the right, the value of a jump forward and of one back.
    """
    found = []
    for step, ahead, back in steps:
        if (over := (own << step) & enemy) and (landings := (over << step) & empty):
            found.append((ahead, landings))
        if (over := (own >> step) & enemy) and (landings := (over >> step) & empty):
            found.append((back, landings))
    return found


@lru_cache(maxsize=8)
def jump_steps(width: int) -> tuple[tuple[int, int, int], ...]:
    """Return each step up or to the right, with the jump over it forward and the one back."""
    return tuple((step, 2 * step, -2 * step) for step in (1, width - 1, width, width + 1))


@lru_cache(maxsize=8)
def turner(rows: int, cols: int) -> Callable[[int], tuple[int, int]]:
    """Return a function from a packed position to both mirror images for the other player.

    Own men are the low half of the bits, so reversing all bits exchanges the men, rotates the board
    and mirrors it; reversing whole rows does the same without mirroring.
    """
    width = row_width(cols)
    size = 2 * rows * width // 8
    row_type = {8: "B", 16: "H", 32: "I"}[width]
    spare = width - cols
    from_bytes = int.from_bytes

    def turned(position: int) -> tuple[int, int]:
        packed = position.to_bytes(size, "little")
        mirrored = from_bytes(packed.translate(_REVERSED), "big") >> spare
        if width == 8:  # a row is a byte
            return from_bytes(packed, "big"), mirrored
        lines = array(row_type, packed)
        lines.reverse()
        return from_bytes(lines, "little"), mirrored

    return turned


Changes = dict[int, tuple[int, int]]
"""Changed bits of a move to each target square (a bit), in both images of `turner`."""


@lru_cache(maxsize=8)
def successors(rows: int, cols: int) -> Callable[[int], list[int]]:
    """Return a function from a packed position (see `Damspel.position`) to its children."""
    width = row_width(cols)
    half = rows * width
    own_half = (1 << half) - 1
    squares = all_squares(rows, cols)
    turned = turner(rows, cols)
    slides = [(step, _changes(rows, cols, step, 1)) for step in (width - 1, width, width + 1)]
    jumps = [
        (step, _changes(rows, cols, step, 2), _changes(rows, cols, -step, 2))
        for step, _, _ in jump_steps(width)
    ]

    def successors(position: int) -> list[int]:
        own, enemy = position & own_half, position >> half
        empty = squares ^ own ^ enemy
        moves = captures(own, enemy, empty, jumps)
        if not moves:
            moves = [(changes, (own << step) & empty) for step, changes in slides]
        image, mirrored = turned(position)
        found = []
        for changes, targets in moves:
            left = targets
            while left:
                bit = left & -left
                left ^= bit
                change, mirrored_change = changes[bit]
                one, other = image ^ change, mirrored ^ mirrored_change
                found.append(one if one < other else other)  # noqa: FURB136 - min() is slower here
        return found

    return successors


def _changes(rows: int, cols: int, step: int, count: int) -> Changes:
    """Return the changes of moves by `count` steps; two steps capture the man between."""
    half = rows * row_width(cols)
    squares = all_squares(rows, cols)
    turned = turner(rows, cols)
    found = {}
    for bit in single_bits(squares):
        start = bit.bit_length() - 1 - count * step
        if start >= 0 and squares >> start & 1:
            taken = 1 << start + step + half if count == 2 else 0
            found[bit] = turned(bit | 1 << start | taken)
    return found
