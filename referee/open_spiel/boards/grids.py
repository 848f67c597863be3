"""Boards of squares or hexagons, read from OpenSpiel's text of the position.

Each game is a row of `GRIDS`: how its text is read, what its letters are, and what is clicked.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, Final, Self

from protocol.vocabulary import Seat
from referee.open_spiel.boards.board import Board
from referee.rules.layout import Layout, Piece, Place, Region, grid

Rows = Sequence[str]
"""The letters of a position, row by row from the top."""
Shape = tuple[int, int]
"""Numbers of rows and columns."""
MOST_COLUMNS: Final = len(ascii_lowercase)
"""Limit of columns that have letters as names."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """What one game looks like."""

    rows: Callable[[str], Rows]
    """Reads the letters from OpenSpiel's text."""
    layout: Callable[[int, int], Layout]
    """Makes the board from the numbers of rows and columns."""
    letters: Mapping[str, Piece]
    """The piece of each letter; other letters are empty places."""
    clicks: Callable[[Any, int, Rows], Sequence[Place]]
    """Returns the places of a legal action in a position."""


class Grid(Board):
    """The board of one game with its parameters."""

    def __init__(self, look: Look, shape: Shape) -> None:
        self._look = look
        self._layout = look.layout(*shape)

    @classmethod
    def of(cls, look: Look, spiel_game: Any) -> Self | None:
        """Return the board; None if its columns are too many for letters."""
        rows = look.rows(str(spiel_game.new_initial_state()))
        shape = len(rows), len(rows[0])
        return cls(look, shape) if shape[1] <= MOST_COLUMNS else None

    def layout(self) -> Layout:
        """Return the places."""
        return self._layout

    def pieces(self, inner: Any, seat: Seat | None) -> dict[Place, Piece]:
        """Return the pieces; nothing is hidden."""
        letters = self._look.letters
        placed = enumerate("".join(self._look.rows(str(inner))))
        return {place: letters[letter] for place, letter in placed if letter in letters}

    def clicks(self, inner: Any, action: int) -> Sequence[Place]:
        """Return the places to click for a legal action."""
        return self._look.clicks(inner, action, self._look.rows(str(inner)))


def bare_rows(text: str) -> Rows:
    """Read a text of nothing but the rows, with or without spaces between places."""
    rows = (line.replace(" ", "") for line in text.splitlines())
    return [row for row in rows if row]


def framed_rows(text: str) -> Rows:
    """Read the rows between two equal row numbers."""
    return [row.replace(" ", "") for _, row in _FRAMED.findall(text)]


def labelled_rows(text: str) -> Rows:
    """Read the rows after their labels; the last line has the letters of the columns."""
    *rows, columns = text.rstrip("\n").splitlines()
    return [row[-len(columns.strip()) :] for row in rows]


def square_of(_inner: Any, action: int, rows: Rows) -> tuple[Place, ...]:
    """Return the place with the number of the action; other actions have words."""
    return (action,) if action < len(rows) * len(rows[0]) else ()


def lowest_free(_inner: Any, action: int, rows: Rows) -> tuple[Place, ...]:
    """Return the place on which a disc in this column comes to rest."""
    free = sum(row[action] == "." for row in rows)
    return ((free - 1) * len(rows[0]) + action,)


def named_squares(inner: Any, action: int, rows: Rows) -> tuple[Place, ...]:
    """Return the squares in the text of the action, like a2a3."""
    text = inner.action_to_string(inner.current_player(), action)
    return tuple(
        (len(rows) - _row_number(row)) * len(rows[0]) + ascii_lowercase.index(column)
        for column, row in _SQUARE.findall(text)
    )


def _row_number(label: str) -> int:
    """Return the number of a row; Breakthrough continues after 9 in the order of ASCII."""
    return int(label) if label.isdecimal() else ord(label) - ord("0")


def coordinates(pattern: str, first: int) -> Callable[[int, int], Layout]:
    """Return a maker of boards whose rows and columns are counted from the top left."""

    def made(rows: int, cols: int) -> Layout:
        return grid("cells", range(first, first + rows), range(first, first + cols), pattern)

    return made


def lettered(rows: int, cols: int) -> Layout:
    """Return a board with letters for columns, and rows counted from the top."""
    return grid("cells", range(1, rows + 1), ascii_lowercase[:cols], "{col}{row}")


def upright(rows: int, cols: int) -> Layout:
    """Return a board that stands: column numbers from 0, rows counted from the bottom."""
    return grid("cells", range(rows, 0, -1), range(cols), "column {col}, row {row}")


def checkered(*, is_first_light: bool) -> Callable[[int, int], Layout]:
    """Return a maker of boards with dark squares, the lower left one too."""

    def made(rows: int, cols: int) -> Layout:
        dark = tuple(
            row * cols + col for row in range(rows) for col in range(cols) if (rows - row + col) % 2
        )
        return grid(
            "cells",
            range(rows, 0, -1),
            ascii_lowercase[:cols],
            "{col}{row}",
            regions=(Region(dark),),
            is_first_light=is_first_light,
        )

    return made


def rhombus(rows: int, cols: int) -> Layout:
    """Return the board of Hex: seat 0 joins the upper and lower edge, seat 1 the others."""
    places = [(row, col) for row in range(rows) for col in range(cols)]
    upper = tuple(row * cols + col for row in (0, rows - 1) for col in range(1, cols - 1))
    side = tuple(row * cols + col for row in range(1, rows - 1) for col in (0, cols - 1))
    return Layout(
        kind="hex",
        rows=rows,
        cols=cols,
        row_labels=tuple(str(row + 1) for row in range(rows)),
        col_labels=tuple(ascii_lowercase[:cols]),
        spots=tuple((col + row / 2, row * math.sqrt(3) / 2) for row, col in places),
        names=tuple(f"{ascii_lowercase[col]}{row + 1}" for row, col in places),
        regions=tuple(Region(edge, seat) for seat, edge in enumerate((upper, side)) if edge),
    )


def _discs(first: str, second: str, names: Sequence[str]) -> dict[str, Piece]:
    pair = enumerate(zip((first, second), names, strict=True))
    return {letter: Piece(seat, name=name) for seat, (each, name) in pair for letter in each}


_FRAMED: Final = re.compile(r"^ *(\d+) ([-xo ]+) \1 *$", re.MULTILINE)
_SQUARE: Final = re.compile(r"([a-z])(\d+|[:-`])")
_BLACK_AND_WHITE: Final = ("black", "white")

GRIDS: Final[Mapping[str, Look]] = {
    "tic_tac_toe": Look(
        rows=bare_rows,
        layout=coordinates("({row},{col})", 0),
        letters={
            "x": Piece(0, "text", text="X", name="x"),
            "o": Piece(1, "text", text="O", name="o"),
        },
        clicks=square_of,
    ),
    "connect_four": Look(
        rows=bare_rows,
        layout=upright,
        letters=_discs("x", "o", ("x", "o")),
        clicks=lowest_free,
    ),
    "othello": Look(
        rows=framed_rows,
        layout=lettered,
        letters=_discs("x", "o", _BLACK_AND_WHITE),
        clicks=square_of,
    ),
    "hex": Look(
        rows=bare_rows,
        layout=rhombus,
        letters=_discs("xyzX", "opqO", _BLACK_AND_WHITE),
        clicks=square_of,
    ),
    "breakthrough": Look(
        rows=labelled_rows,
        layout=checkered(is_first_light=False),
        letters=_discs("b", "w", _BLACK_AND_WHITE),
        clicks=named_squares,
    ),
    "checkers": Look(
        rows=labelled_rows,
        layout=checkered(is_first_light=True),
        letters={
            "o": Piece(0, name="white man"),
            "8": Piece(0, text="♛", name="white king"),
            "+": Piece(1, name="black man"),
            "*": Piece(1, text="♛", name="black king"),
        },
        clicks=named_squares,
    ),
    "amazons": Look(
        rows=bare_rows,
        layout=coordinates("({row}, {col})", 1),
        letters={
            "X": Piece(0, "text", text="♛", name="amazon of X"),
            "O": Piece(1, "text", text="♛", name="amazon of O"),
            "#": Piece(None, "square", 7, name="arrow"),
        },
        clicks=square_of,
    ),
}
"""The look of each game with a grid."""
