"""Groups of stones on the points of a square board, as sets of bits.

A point is bit row * (size + 1) + column, from the top left. The spare column keeps shifts from
running around the edge of the board.
"""

from dataclasses import dataclass
from operator import itemgetter

from referee.rules.bitboard import single_bits

Placed = tuple[int, int, int, int]
"""Own and enemy stones after a stone, the captured and the lost own ones."""


class Points:
    """The points of one size of board."""

    def __init__(self, size: int) -> None:
        self.width = size + 1
        self.bits = tuple(1 << row * self.width + col for row in range(size) for col in range(size))
        """The bit of each place, row by row from the top left."""
        self.all = sum(self.bits)
        self._length = size * self.width
        rows = range(0, self._length, self.width)
        self._cut_into_rows = itemgetter(*(slice(first, first + size) for first in rows))

    def beside(self, points: int) -> int:
        """Return the neighbours of points."""
        # A shift moves all points at once: by a bit to the sides, by a row up and down. What leaves
        # the board lands in the spare column or beyond the last row, and `all` has neither.
        width = self.width
        return (points << 1 | points >> 1 | points << width | points >> width) & self.all

    def beside_one(self, points: int) -> int:
        """Return the places beside exactly one of the points."""
        width = self.width
        right, left, below, above = points << 1, points >> 1, points << width, points >> width
        pairs = right & left | below & above | (right | left) & (below | above)
        return (right | left | below | above) & ~pairs & self.all

    def filled(self, points: int, within: int) -> int:
        """Return `points` and all points connected with them by points of `within`."""
        # Each round adds the neighbours of all points so far; a group of any size takes as many
        # rounds as its farthest stone is away.
        width = self.width
        while True:
            grown = points | (
                (points << 1 | points >> 1 | points << width | points >> width) & within
            )
            if grown == points:
                return points
            points = grown

    def placed(self, own: int, enemy: int, stone: int) -> Placed:
        """Return the board after a stone on an empty point."""
        own |= stone
        taken = 0
        around = self.beside(stone)
        for neighbour in single_bits(around & enemy):
            if not neighbour & taken:
                group = self.filled(neighbour, enemy)
                if not self.beside(group) & ~(own | enemy):
                    taken |= group
        enemy ^= taken
        if taken or around & ~(own | enemy):
            return own, enemy, taken, 0
        group = self.filled(stone, own)
        if self.beside(group) & ~(own | enemy):
            return own, enemy, 0, 0
        return own ^ group, enemy, 0, group

    def territory(self, black: int, white: int) -> tuple[int, int]:
        """Return the empty points reached by black stones alone, and by white ones alone."""
        empty = self.all ^ black ^ white
        of_black = self.filled(self.beside(black) & empty, empty)
        of_white = self.filled(self.beside(white) & empty, empty)
        return of_black & ~of_white, of_white & ~of_black

    def number(self, black: int, white: int) -> int:
        """Return a number for a board; no other board has it."""
        return black | white << self._length

    def flags(self, points: int) -> bytes:
        """Return a byte for each place: 1 for one of the points, otherwise 0."""
        digits = f"{points:0{self._length}b}".encode()[::-1]
        return b"".join(self._cut_into_rows(digits)).translate(_FLAGS)


@dataclass(frozen=True, slots=True)
class Boards:
    """A set of boards seen before, by their numbers.

    A set with one board more shares nearly all its memory: a match may have thousands of positions,
    and a reader stepping through them keeps them all.
    """

    parts: tuple[frozenset[int], ...] = ()
    """Parts of the set, each at least twice as large as the next one."""

    def __contains__(self, board: int) -> bool:
        return any(board in part for part in self.parts)

    def plus(self, board: int) -> "Boards":
        """Return the set with one board more."""
        if board in self:
            return self
        last = frozenset((board,))
        parts = list(self.parts)
        while parts and len(parts[-1]) < 2 * len(last):
            last |= parts.pop()
        return Boards((*parts, last))


_FLAGS = bytes.maketrans(b"01", b"\0\1")
