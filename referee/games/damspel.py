"""Damspel, "somewhat adapted" draughts: a programming assignment of Leiden, November 2001.

Two seats, White (seat 0) below and Black (seat 1) above, on `rows` x `cols` squares. A square is
(row, column), row 0 at the bottom; a square is dark if row + column is even. White's men start on
the dark squares of the lowest `men_rows` rows, Black's on the highest. White begins.

* A man slides one square forward, straight or diagonally, to an empty square. Only the
  start uses the dark squares alone: a straight slide leads to a light square.
* A man captures by jumping over an adjacent enemy man, in any of the eight directions, to the empty
  square right behind it; the enemy is removed. A move captures one man, without chains.
* Capturing is compulsory, with any man over any enemy man.
* No man becomes a king: on the far row a man can only capture, sideways or backwards.
* A seat without a move on its turn has lost, with or without men. Draws and endless games are
  impossible: every slide goes forward and every capture removes a man.
* Points: 1 for winning, 0 for losing. A retired seat loses. If play is stopped from outside, both
  get 0 and share the first place: neither has won, and remaining men give no points.

The original's linked structure of squares is a lesson in C++, not a rule. Its question for the
number of possible games is answered by `position` and `children`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import (
    Game,
    IllegalMoveError,
    Interval,
    Margins,
    NotationError,
    OptionError,
    Outcome,
)
from referee.rules.bitboard import (
    all_squares,
    captures,
    jump_steps,
    row_width,
    single_bits,
    successors,
    turner,
)
from referee.rules.grid import RAYS, drawn
from referee.rules.layout import Layout, Piece, Place, Region, grid
from referee.rules.numbers import ListedMoves

Square = tuple[int, int]

MEN = ".WZ"
"""An empty square, a white man (wit) and a black man (zwart), as printed by the original."""
PIECES = {"W": Piece(0, name="white man"), "Z": Piece(1, name="black man")}
WINS = ((1, 0), (0, 1))
"""Points of both seats, by the seat that wins."""
COLUMNS = "abcdefghijklmnopqrstuvwxyz"
SLIDES = tuple((rows, columns) for rows in (1, -1) for columns in (-1, 0, 1))
JUMPS = tuple((2 * rows, 2 * columns) for rows, columns in RAYS)


@dataclass(frozen=True, slots=True)
class Move:
    """A slide or capture of one man: start and target square, each as (row, column)."""

    from_: Square
    to: Square


class State(NamedTuple):
    """A position. `white` and `black` are sets of men: bit row * width + column for each square.

    The width is `row_width(cols)`.
    """

    white: int
    black: int
    ply: int = 0
    ended: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class Damspel(Game[State, Move]):
    """The rules of Damspel with its options."""

    name: ClassVar[str] = "damspel"
    summary: ClassVar[str] = "draughts with straight slides and forced single captures (2001)"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move
    seat_names: ClassVar[tuple[str, ...]] = ("white", "black")
    seat_marks: ClassVar[tuple[str, ...]] = ("W", "Z")
    margins: ClassVar[Margins] = Margins(above=1, left=4)
    asked_options: ClassVar[tuple[str, ...]] = ("rows", "cols", "men_rows")

    rows: Annotated[int, Interval(ge=2, le=26)] = 10
    """Rows of the board."""
    cols: Annotated[int, Interval(ge=2, le=26)] = 10
    """Columns of the board."""
    men_rows: Annotated[int, Interval(ge=1, le=13)] = 4
    """Rows of men of each side at the start, at most half of the rows."""

    def __post_init__(self) -> None:
        if 2 * self.men_rows > self.rows:
            raise OptionError(
                "men_rows",
                f"{self.men_rows} rows of men per seat do not fit on {self.rows} rows: "
                f"at most {self.rows // 2}",
            )

    def start(self, seats: int, seed: int) -> State:
        """Return the men in their rows; the seed is not used.

        White can always move: its foremost row has a man behind an empty light square.
        """
        top = self.rows - self.men_rows
        return State(self._dark(range(self.men_rows)), self._dark(range(top, self.rows)))

    def turn(self, state: State) -> Seat:
        """Return the seat to move: they alternate."""
        return state.ply & 1

    def legal(self, state: State) -> Iterator[Move]:
        """Yield the captures, or without captures the slides, direction by direction."""
        if state.ended:
            return
        width = row_width(self.cols)
        for step, targets in self._captures(state) or self._slides(state):
            for bit in single_bits(targets):
                to = bit.bit_length() - 1
                yield Move(divmod(to - step, width), divmod(to, width))

    def apply(self, state: State, move: Move) -> State:
        """Move the man, remove a captured man, and end the game if the other seat cannot move."""
        if objection := self._objection(state, move):
            raise IllegalMoveError(f"{self.notation(move)}: {objection}")
        own, enemy = _mover(state)
        (row, column), (to_row, to_column) = move.from_, move.to
        own ^= self._bit(row, column) | self._bit(to_row, to_column)
        if abs(to_row - row) == 2 or abs(to_column - column) == 2:
            enemy ^= self._bit((row + to_row) // 2, (column + to_column) // 2)
        seat = state.ply & 1
        after = State(*((enemy, own) if seat else (own, enemy)), state.ply + 1)
        if self._slides(after) or self._captures(after):
            return after
        return after._replace(ended=Outcome.by_points(WINS[seat], "no move left"))

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        return state.ended

    def retire(self, state: State, seat: Seat) -> State:
        """End the game after a fault or resignation of a seat: the other wins."""
        return state._replace(ended=Outcome.by_points(WINS[1 - seat], f"seat {seat} retired"))

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return a result without a winner."""
        return Outcome.by_points((0, 0), reason)

    def notation(self, move: Move) -> str:
        """Return the move as `a1-b2`, a capture as `a1xc3`: columns from a, rows from 1."""
        mark = "x" if _distance(move) == 2 else "-"
        return f"{_square(move.from_)}{mark}{_square(move.to)}"

    def parse(self, text: str) -> Move:
        """Parse a move like `a1-b2` or `a1xc3`; the mark is not checked."""
        found = _NOTATION.fullmatch(text.strip().lower())
        if not found:
            raise NotationError(
                f'"{text}" is not a move: write start and target, like "a3-b4" or "a3xc5"'
            )
        column, row, to_column, to_row = found.groups()
        return Move(
            (int(row) - 1, COLUMNS.index(column)), (int(to_row) - 1, COLUMNS.index(to_column))
        )

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show the whole board to both, the top row first: W is seat 0, Z seat 1."""
        return {"turn": self.turn(state), "ply": state.ply, "board": self._lines(state)}

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the board with its coordinates, the men as in the original."""
        numbers = range(self.rows, 0, -1)
        return drawn(COLUMNS[: self.cols], numbers, self._lines(state), left=4, width=3)

    def layout(self, seats: int) -> Layout:
        """Return the squares, the top row first; dark squares are tinted."""
        dark = (
            self._place((row, column))
            for row in range(self.rows)
            for column in range(row % 2, self.cols, 2)
        )
        rows, cols, regions = range(self.rows, 0, -1), COLUMNS[: self.cols], (Region(tuple(dark)),)
        return grid("cells", rows, cols, "{col}{row}", regions=regions, is_first_light=True)

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the men."""
        return {
            place: PIECES[man]
            for place, man in enumerate("".join(self._lines(state)))
            if man in PIECES
        }

    def gesture(self, move: Move) -> tuple[Place, Place]:
        """Return the start and the target."""
        return self._place(move.from_), self._place(move.to)

    def _place(self, square: Square) -> Place:
        row, column = square
        return (self.rows - 1 - row) * self.cols + column

    def numbers(self) -> ListedMoves[Move]:
        """Return numbers for the slides and captures from each square, in all directions."""
        return ListedMoves(
            Move((row, column), (to_row, to_column))
            for row in range(self.rows)
            for column in range(self.cols)
            for rows, columns in SLIDES + JUMPS
            if 0 <= (to_row := row + rows) < self.rows
            if 0 <= (to_column := column + columns) < self.cols
        )

    def position(self, state: State) -> int:
        """Return the board for the player to move, moving up, or its mirror image if smaller.

        The mover's men are the low `rows * width` bits, the enemy's men the bits above. Mirrored
        boards have equal continuations, and so have boards rotated with the men exchanged. A game
        ended early has the position 0, a board without men.
        """
        if state.ended and (self._captures(state) or self._slides(state)):
            return 0
        turned = turner(self.rows, self.cols)
        board = state.white | state.black << self.rows * row_width(self.cols)
        upright = turned(board) if state.ply & 1 else turned(turned(board)[0])
        return min(upright)

    def children(self, position: int) -> list[int]:
        """Return the position after each legal move, once per move, duplicates included."""
        return successors(self.rows, self.cols)(position)

    def _bit(self, row: int, column: int) -> int:
        return 1 << row * row_width(self.cols) + column

    def _dark(self, rows: range) -> int:
        return sum(
            self._bit(row, column) for row in rows for column in range(row % 2, self.cols, 2)
        )

    def _captures(self, state: State) -> list[tuple[int, int]]:
        own, enemy = _mover(state)
        board = all_squares(self.rows, self.cols)
        return captures(own, enemy, board ^ own ^ enemy, jump_steps(row_width(self.cols)))

    def _slides(self, state: State) -> list[tuple[int, int]]:
        own, enemy = _mover(state)
        empty = all_squares(self.rows, self.cols) ^ own ^ enemy
        width = row_width(self.cols)
        steps = (width - 1, width, width + 1)
        if state.ply & 1:
            return [(-step, targets) for step in steps if (targets := own >> step & empty)]
        return [(step, targets) for step in steps if (targets := own << step & empty)]

    def _objection(self, state: State, move: Move) -> str | None:
        if state.ended:
            return "the game is over"
        for row, column in (move.from_, move.to):
            if not (0 <= row < self.rows and 0 <= column < self.cols):
                return f"off the board: rows are 0 to {self.rows - 1}, columns 0 to {self.cols - 1}"
        own, enemy = _mover(state)
        if not own & self._bit(*move.from_):
            return "a move starts at one of the seat's own men"
        if (own | enemy) & self._bit(*move.to):
            return "a man moves to an empty square"
        return self._direction_objection(state, move)

    def _direction_objection(self, state: State, move: Move) -> str | None:
        (row, column), (to_row, to_column) = move.from_, move.to
        forward = -1 if state.ply & 1 else 1
        if to_row - row == forward and abs(to_column - column) <= 1:
            if self._captures(state):
                return "a capture is possible, so it is mandatory"
            return None
        if _distance(move) != 2 or (to_row - row) % 2 or (to_column - column) % 2:
            return "a man slides one square forward, straight or diagonally, or captures"
        enemy = _mover(state)[1]
        if not enemy & self._bit((row + to_row) // 2, (column + to_column) // 2):
            return "a man captures by jumping over an adjacent enemy man"
        return None

    def _lines(self, state: State) -> list[str]:
        width, cols = row_width(self.cols), self.cols
        row = (1 << cols) - 1
        shifts = range((self.rows - 1) * width, -1, -width)
        return [_line(state.white >> at & row, state.black >> at & row, cols) for at in shifts]


_NOTATION = re.compile(r"([a-z])([1-9][0-9]?)[-x]([a-z])([1-9][0-9]?)")


@lru_cache(maxsize=1 << 12)
def _line(white: int, black: int, cols: int) -> str:
    """Return a row of a board; most rows are as they were a ply ago."""
    return "".join(MEN[(white >> col & 1) + 2 * (black >> col & 1)] for col in range(cols))


def _mover(state: State) -> tuple[int, int]:
    """Return the men of the seat to move and the men of the other."""
    return (state.black, state.white) if state.ply & 1 else (state.white, state.black)


def _distance(move: Move) -> int:
    (row, column), (to_row, to_column) = move.from_, move.to
    return max(abs(to_row - row), abs(to_column - column))


def _square(square: Square) -> str:
    row, column = square
    if row < 0 or not 0 <= column < len(COLUMNS):
        return f"({row}, {column})"
    return f"{COLUMNS[column]}{row + 1}"
