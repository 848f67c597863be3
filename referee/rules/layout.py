"""Boards and pieces as data, for a page or a file to draw without knowing the game.

A place is the index of a spot of the board: row by row from the top left, unless the board lists
its spots. Coordinates are in units of one cell, x to the right and y downwards.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from protocol.vocabulary import Seat

Kind = Literal["cells", "points", "hex", "edges", "cards", "free"]
Shape = Literal["disc", "square", "card", "line", "text"]
Place = int


@dataclass(frozen=True)
class Region:
    """Tinted places: a seat's, or otherwise a darker part of the board."""

    places: tuple[Place, ...]
    seat: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The places of a game and their appearance.

    * `cells`: pieces in the squares of `rows` x `cols`;
    * `points`: pieces on the crossings of as many lines;
    * `hex`: pieces on `spots`, and a line between neighbours, that is spots one unit apart; labels
      if the spots are `rows` x `cols`;
    * `edges`: pieces between neighbouring dots of `rows` x `cols` dots, first all horizontal edges
      row by row, then all vertical edges row by row, then all boxes between them;
    * `cards`: cards and chips on `spots` of a table;
    * `free`: large pieces on `spots` of an empty map.
    """

    kind: Kind
    rows: int = 0
    cols: int = 0
    row_labels: tuple[str, ...] = ()
    """Labels from the top to the bottom; () without labels."""
    col_labels: tuple[str, ...] = ()
    """Labels from left to right; () without labels."""
    spots: tuple[tuple[float, float], ...] = ()
    """(x, y) of each place of a `hex`, `cards` or `free` board."""
    foot_labels: tuple[str, ...] = ()
    """Labels of the columns below the board, if they differ from those above."""
    names: tuple[str, ...] = ()
    """Name of each place, as in the notation of moves, for labels and screen readers."""
    regions: tuple[Region, ...] = ()
    is_first_light: bool = False
    """Whether seat 0 has the light pieces and seat 1 the dark ones, like White in draughts."""


@dataclass(frozen=True)
class Piece:
    """A piece on one place. Seats differ by color and, for a `disc`, by form."""

    seat: Seat | None = None
    shape: Shape = "disc"
    color: int = 0
    """Number of the color of a piece without a seat, from 0."""
    text: str = ""
    """One or two characters on the piece."""
    name: str = ""
    """Name for a screen reader, like "white man"; otherwise the seat."""


def grid(
    kind: Literal["cells", "points"],
    rows: Iterable[object],
    cols: Iterable[object],
    pattern: str,
    *,
    regions: tuple[Region, ...] = (),
    is_first_light: bool = False,
) -> Layout:
    """Return a board with these labels; the pattern of its names has `{row}` and `{col}`."""
    row_labels, col_labels = tuple(map(str, rows)), tuple(map(str, cols))
    return Layout(
        kind=kind,
        rows=len(row_labels),
        cols=len(col_labels),
        row_labels=row_labels,
        col_labels=col_labels,
        names=tuple(pattern.format(row=row, col=col) for row in row_labels for col in col_labels),
        regions=regions,
        is_first_light=is_first_light,
    )


def points_layout(size: int, columns: str) -> Layout:
    """Return a square board of points with letters for columns and numbers for rows, 1 lowest."""
    return grid("points", range(size, 0, -1), columns[:size], "{col}{row}")
