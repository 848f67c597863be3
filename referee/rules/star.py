"""The six-pointed star board in a flat layout with a fixed offset to each neighbour.

A star of size n is a hexagon with a triangle of n(n+1)/2 points on each edge, 6n^2+6n+1 points in
4n+1 rows. Notation and the wire name a point by (row, column); inside, a point is a *cell*, an
index into a board of one byte per cell: EMPTY, a man (1 to 6), or WALL off the board.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from referee.rules.layout import Layout, Place, Region

Point = tuple[int, int]

ROW_HEIGHT = 3**0.5 / 2
"""Distance of two rows, in distances of two neighbours in a row."""
EMPTY = 0
WALL = 7
TRIANGLES = 6
MARGIN = 14
"""Characters to the left of the board in a drawing: a row's number, and those of its columns."""
HEXAGON = 6
"""Zone of the points outside all triangles; triangles are 0 to 5, clockwise from the top."""

SEATING = {
    2: (0, 3),
    3: (0, 2, 4),
    4: (0, 1, 3, 4),
    5: (0, 1, 2, 3, 4),
    6: (0, 1, 2, 3, 4, 5),
}
"""Usual home triangles of the seats by the number of seats."""
NEUTRAL = tuple(
    frozenset(range(TRIANGLES)) - {home, (home + TRIANGLES // 2) % TRIANGLES}
    for home in range(TRIANGLES)
)
"""Triangles other than home and goal, by home."""


@dataclass(frozen=True, slots=True, eq=False)
class Star:
    """The geometry of one size. Cells rise row by row, from left to right."""

    empty: bytes
    """The board without men."""
    cells: Mapping[Point, int]
    points: Mapping[int, Point]
    places: Mapping[Point, Place]
    """Number of each point, row by row from the left."""
    zones: bytes
    """Triangle of each cell, or HEXAGON."""
    triangles: tuple[tuple[int, ...], ...]
    """The cells of each triangle."""
    steps: tuple[int, ...]
    """The offsets of the six neighbours: left, right, upper and lower left and right."""
    leaps: tuple[tuple[int, int], ...]
    """Offsets of each jump: to the jumped man, and to the landing point."""

    def layout(self, homes: Sequence[int]) -> Layout:
        """Return the points to draw, with the home triangle of each seat tinted."""
        places, points = self.places, self.points
        return Layout(
            kind="hex",
            spots=tuple((col - row % 2 / 2, row * ROW_HEIGHT) for row, col in places),
            names=tuple(f"{row},{col}" for row, col in places),
            regions=tuple(
                Region(tuple(places[points[cell]] for cell in self.triangles[home]), seat)
                for seat, home in enumerate(homes)
            ),
        )

    def men(self, board: bytes, man: int) -> Iterator[int]:
        """Yield the cells of all men of one kind."""
        cell = board.find(man)
        while cell >= 0:
            yield cell
            cell = board.find(man, cell + 1)

    def neighbours(self, board: bytes, start: int) -> Iterator[int]:
        """Yield the empty cells beside a cell."""
        for step in self.steps:
            if board[start + step] == EMPTY:
                yield start + step

    def jumps(self, board: bytes, start: int) -> Iterator[int]:
        """Yield each other cell reachable from a man's cell by a chain of jumps, in search order.

        The man has left its start during the chain, but the start need not be emptied. A chain
        covers an even number of rows and of slanted columns, so it never comes beside the start
        to jump over it, and returning to the start reaches no new cell. No line of the star has a
        gap: the cell between two of its points is never a wall.
        """
        free = bytearray(board)
        ends = [start]
        for here in ends:  # grows during the loop
            for step, leap in self.leaps:
                # Test the landing first: this test alone excludes all reached cells.
                if free[here + leap] == EMPTY and free[here + step] != EMPTY:
                    free[here + leap] = WALL
                    ends.append(here + leap)
                    yield here + leap


def columns(size: int, row: int) -> range:
    """Return the columns of a row, 0 to 4 * size."""
    is_widening = row < size or 2 * size <= row <= 3 * size
    width = row + 1 if is_widening else 4 * size + 1 - row
    return range(-((width - 1) // 2), width // 2 + 1)


def opposite(triangle: int) -> int:
    """Return the triangle on the opposite side of the board."""
    return (triangle + TRIANGLES // 2) % TRIANGLES


def off_board(size: int, point: Point) -> str:
    """Return the reason for a point being off the board."""
    row = point[0]
    if not 0 <= row <= 4 * size:
        return f"{point} is off the board: rows run from 0 to {4 * size}"
    ends = columns(size, row)
    first, last = ends.start, ends.stop - 1
    return f"{point} is off the board: the columns of row {row} run from {first} to {last}"


def draw(size: int, board: bytes, glyphs: str) -> str:
    """Draw a board with row and column numbers; each byte is the index of its glyph.

    The numbers above are those of the columns of even rows; odd rows are half a place to the left.
    """
    cells = star(size).cells
    most = 3 * size // 2 // 2 * 2
    numbers = " ".join(f"{column:>3}" for column in range(-most, most + 1, 2))
    lines = [" " * (MARGIN + 3 * size - 2 - 2 * most) + numbers]
    for row in range(4 * size + 1):
        ends = columns(size, row)
        points = " ".join(glyphs[board[cells[row, column]]] for column in ends)
        indent = " " * (3 * size + 2 * ends.start - row % 2)
        lines.append(f"{row:>4}  {f'{ends.start}..{ends.stop - 1}':<{MARGIN - 6}}{indent}{points}")
    return "\n".join(lines)


@lru_cache(maxsize=8)
def star(size: int) -> Star:
    """Return the geometry of a star with triangles of `size` points along the base."""
    # In slanted columns, column + row // 2, the points below are at the same and the next index.
    # The widest rows have 3 * size + 1 points and start at different slanted columns, but no point
    # is beside the end of another row: one cell of wall between them is enough. A jump from the
    # edge reaches at most two rows beyond it, so two rows of wall above and below are enough.
    width = 3 * size + 2
    points = {
        (row + 2) * width + 2 + column + row // 2: (row, column)
        for row in range(4 * size + 1)
        for column in columns(size, row)
    }
    board = bytearray([WALL]) * (width * (4 * size + 5))
    zones = bytearray([HEXAGON]) * len(board)
    triangles: tuple[list[int], ...] = ([], [], [], [], [], [])
    for cell, point in points.items():
        board[cell] = EMPTY
        zones[cell] = zone = _zone(size, point)
        if zone != HEXAGON:
            triangles[zone].append(cell)
    steps = (-1, 1, -width - 1, -width, width, width + 1)
    return Star(
        empty=bytes(board),
        cells={point: cell for cell, point in points.items()},
        points=points,
        places={point: place for place, point in enumerate(points.values())},
        zones=bytes(zones),
        triangles=tuple(tuple(triangle) for triangle in triangles),
        steps=steps,
        leaps=tuple((step, 2 * step) for step in steps),
    )


def _zone(size: int, point: Point) -> int:
    row, column = point
    if row < size:
        return 0
    if row > 3 * size:
        return 3
    ends = columns(size, row)
    corner = abs(2 * size - row)
    if column < ends.start + corner:
        return 5 if row < 2 * size else 4
    if column >= ends.stop - corner:
        return 1 if row < 2 * size else 2
    return HEXAGON
