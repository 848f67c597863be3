"""Down-N-Out, as in the Programmer's Challenge of July 2001: a game for one seat.

A board of `rows` x `cols` cells is filled with `colors` colours. A cell is (row, col), both from 0,
row 0 at the top.

* A move names a cell with a neighbour of its own colour above, below, left or right. The
  whole group is removed: all cells of this colour connected to it by such neighbours. s cells score
  s * s points. Each cell of a group is a separate move with the same effect.
* The cells above the removed ones fall straight down. Then empty columns close towards the centre,
  a fixed line between columns cols/2 - 1 and cols/2 (with odd `cols` the middle column belongs to
  the right part). Columns left of the line move right and columns right of it move left, in their
  order; no column crosses the line, as in the original game. New groups are not removed by
  themselves.
* The game is over when no group of two or more is left. The player may also stop at any time and
  keeps its points. An empty board gives no bonus, remaining cells no penalty.
* The board is filled from the seed: the numbers of cells of each colour differ by at most 1, with
  the extra cells in the lower colours, and every arrangement is equally likely.
* Colours are 1..`colors` and 0 is an empty cell. `colors` is at least 2, since with one colour
  the first move removes all cells, and at most 9, so that a board has one digit per cell. Boards
  have at most 100 x 100 cells, small enough for a message.
* A retired player keeps its points; the reason marks the game as incorrect.
* `display: check` requests the player's board after Init and then before about every eighth move,
  at plies drawn from the seed: a player must keep its board up to date and cannot predict the
  requests. The text asks for a display after each move: a request for each would double the calls
  of a match and catch no more. In half of the games the board is also requested after the last
  move. The picture must be complete and correct.

With a move a bot may claim the number of removed cells and the new board, as rows of digits.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, ClassVar, Literal, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, Margins, NotationError, Outcome
from referee.rules.grid import drawn
from referee.rules.layout import Layout, Piece, Place, grid
from referee.rules.numbers import ListedMoves

EMPTY = 0
PIECES = tuple(
    Piece(shape="square", color=number, text=str(number + 1), name=f"colour {number + 1}")
    for number in range(9)
)
DISPLAY_CHANCE = 1 / 8
"""Probability of a display before a move other than the first."""
LAST_DISPLAY_CHANCE = 1 / 2
"""Probability of a display after the last move."""


@dataclass(frozen=True, slots=True)
class Move:
    """A cell of the group to remove."""

    row: int
    col: int


@dataclass(frozen=True)
class Claims:
    """Claimed effects of a move: number of removed cells and the new board, row 0 first."""

    removed: int | None = None
    board: tuple[str, ...] | None = None


class State(NamedTuple):
    """A position. `board` has one byte per cell: 0 if empty, otherwise the colour.

    The layout is column by column from the top, so that falling is one slice operation. An empty
    cell on top of each column and an empty column at both ends give every cell four neighbours.
    Bit p of `displays` is set if a display is due at ply p; bit rows * cols, above the plies of any
    game, is for the display after the last move.
    """

    board: bytes
    ply: int = 0
    points: int = 0
    displays: int = 0
    ended: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class DownNOut(Game[State, Move]):
    """The rules of Down-N-Out with its options."""

    name: ClassVar[str] = "down_n_out"
    summary: ClassVar[str] = "remove groups of one colour, the larger the better, alone (2001)"
    seats: ClassVar[range] = range(1, 2)
    move_type: ClassVar[type] = Move
    claims_type: ClassVar[type] = Claims
    margins: ClassVar[Margins] = Margins(above=1, left=4, below=1)

    rows: Annotated[int, Interval(ge=1, le=100)] = 10
    """Rows of the board."""
    cols: Annotated[int, Interval(ge=1, le=100)] = 30
    """Columns of the board."""
    colors: Annotated[int, Interval(ge=2, le=9)] = 3
    """Colours, in equal numbers."""
    display: Literal["off", "check"] = "off"
    """Whether the bot must show its board at some plies."""

    def start(self, seats: int, seed: int) -> State:
        """Return the board filled from the seed, independent of `display`."""
        # Python guarantees stable numbers for random() only
        chance = random.Random(seed)  # noqa: S311 - a board is no secret
        cells = [1 + number % self.colors for number in range(self.rows * self.cols)]
        filling = bytes(sorted(cells, key=lambda _: chance.random()))
        columns = [bytes([EMPTY]) + filling[col :: self.cols] for col in range(self.cols)]
        margin = bytes(self._stride)
        board = margin + b"".join(columns) + margin
        displays = 0
        if self.display == "check":
            displays = 1
            # every move removes at least two cells, which limits the plies
            for ply in range(1, len(cells) // 2):
                displays |= (chance.random() < DISPLAY_CHANCE) << ply
            displays |= (chance.random() < LAST_DISPLAY_CHANCE) << len(cells)
        return State(board, displays=displays, ended=self._result(board, 0))

    def turn(self, state: State) -> Seat:
        """Return 0, the only seat."""
        return 0

    def legal(self, state: State) -> Iterator[Move]:
        """Yield every cell with a neighbour of its colour, row by row."""
        if state.ended:
            return
        for row in range(self.rows):
            for col in range(self.cols):
                if self._is_in_group(state.board, self._cell(row, col)):
                    yield Move(row, col)

    def apply(self, state: State, move: Move) -> State:
        """Remove the group, drop the cells, close the columns and add the points."""
        if objection := self._objection(state, move):
            raise IllegalMoveError(f"({move.row}, {move.col}): {objection}")
        board, removed = self._without(state.board, self._cell(move.row, move.col))
        points = state.points + removed * removed
        ended = self._result(board, points)
        return State(board, state.ply + 1, points, state.displays, ended)

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        return state.ended

    def retire(self, state: State, seat: Seat) -> State:
        """End the game after a fault: the player keeps its points, marked as incorrect."""
        ended = Outcome.by_points((state.points,), "incorrect: seat 0 retired")
        return state._replace(displays=0, ended=ended)

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return the current points as the result, also after a reply with `done`."""
        return Outcome.by_points((state.points,), reason)

    def notation(self, move: Move) -> str:
        """Return the cell as `row,col`."""
        return f"{move.row},{move.col}"

    def parse(self, text: str) -> Move:
        """Parse a cell like `row,col`."""
        found = _NOTATION.fullmatch(text.strip())
        if found is None:
            raise NotationError(
                f'"{text}" is not a cell: write row and column from the top left, like "9,14"'
            )
        return Move(int(found[1]), int(found[2]))

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show the board, top row first, and the points so far."""
        return {
            "turn": self.turn(state),
            "ply": state.ply,
            "board": list(self._rows(state.board)),
            "points": state.points,
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the board with its coordinates, with a number above every other column."""
        columns = ("" if col % 2 else str(col) for col in range(self.cols))
        rows = (row.replace("0", ".") for row in self._rows(state.board))
        board = drawn(columns, range(self.rows), rows, left=4)
        return f"{board}\n{self.caption(state)}"

    def layout(self, seats: int) -> Layout:
        """Return the cells with their numbers."""
        return grid("cells", range(self.rows), range(self.cols), "{row},{col}")

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the remaining cells, as squares with the number of their colour."""
        cells = "".join(self._rows(state.board))
        return {place: PIECES[int(cell) - 1] for place, cell in enumerate(cells) if cell != "0"}

    def caption(self, state: State, seat: Seat | None = None) -> str:
        """Return the points so far."""
        return f"points: {state.points}"

    def gesture(self, move: Move) -> tuple[Place]:
        """Return the cell."""
        return (move.row * self.cols + move.col,)

    def claims(self, before: State, move: Move, after: State) -> Claims:
        """Return the number of removed cells and the board after the move."""
        removed = after.board.count(EMPTY) - before.board.count(EMPTY)
        return Claims(removed, self._rows(after.board))

    def is_display_due(self, state: State) -> bool:
        """Whether the player must show the board before its next move, or after its last."""
        place = state.ply if state.ended is None else self.rows * self.cols
        return state.displays >> place & 1 == 1

    def picture(self, state: State) -> tuple[str, ...]:
        """Return the board as one string of digits per row, top row first, 0 for an empty cell."""
        return self._rows(state.board)

    def numbers(self) -> ListedMoves[Move]:
        """Return numbers for the cells, row by row."""
        return ListedMoves(Move(row, col) for row in range(self.rows) for col in range(self.cols))

    def kinds(self) -> tuple[Piece, ...]:
        """Return a cell of each colour."""
        return PIECES[: self.colors]

    def position(self, state: State) -> bytes:
        """Return the board, as all continuations depend only on it; empty once over."""
        return b"" if state.ended else state.board

    def children(self, position: bytes) -> Iterator[bytes]:
        """Yield the board after each legal move."""
        for move in self.legal(State(position)) if position else ():
            board, _ = self._without(position, self._cell(move.row, move.col))
            yield board if self._has_group(board) else b""

    @property
    def _stride(self) -> int:
        return self.rows + 1

    def _cell(self, row: int, col: int) -> int:
        return (col + 1) * self._stride + row + 1

    def _objection(self, state: State, move: Move) -> str | None:
        if state.ended:
            return "the game is over"
        if not (0 <= move.row < self.rows and 0 <= move.col < self.cols):
            return f"off the board: row 0 to {self.rows - 1}, col 0 to {self.cols - 1}"
        cell = self._cell(move.row, move.col)
        if state.board[cell] == EMPTY:
            return "the cell is empty"
        if not self._is_in_group(state.board, cell):
            return "the cell has no neighbour of the same colour"
        return None

    def _is_in_group(self, board: bytes, cell: int) -> bool:
        colour = board[cell]
        stride = self._stride
        near = (board[cell - 1], board[cell + 1], board[cell - stride], board[cell + stride])
        return colour != EMPTY and colour in near

    def _has_group(self, board: bytes) -> bool:
        return _pair(self._stride).search(board) is not None

    def _result(self, board: bytes, points: int) -> Outcome | None:
        if self._has_group(board):
            return None
        return Outcome.by_points((points,), "no group left")

    def _without(self, board: bytes, cell: int) -> tuple[bytes, int]:
        """Return the board without the group of a cell, and the number of removed cells."""
        after = bytearray(board)
        stride = self._stride
        group = _emptied(after, cell, stride)
        has_gap = False
        for column in {cell // stride for cell in group}:
            here = slice(column * stride, (column + 1) * stride)
            left = after[here].replace(b"\0", b"")
            after[here] = left.rjust(stride, b"\0")
            has_gap |= not left
        return (self._closed(after) if has_gap else bytes(after)), len(group)

    def _closed(self, board: bytearray) -> bytes:
        stride = self._stride
        starts = range(stride, len(board) - stride, stride)
        columns = [bytes(board[start : start + stride]) for start in starts]
        middle = self.cols // 2
        # a column is empty if its lowest cell is empty
        left = b"".join(column for column in columns[:middle] if column[-1])
        right = b"".join(column for column in columns[middle:] if column[-1])
        margin = bytes(stride)
        return (
            margin
            + left.rjust(middle * stride, b"\0")
            + right.ljust((self.cols - middle) * stride, b"\0")
            + margin
        )

    def _rows(self, board: bytes) -> tuple[str, ...]:
        text = board.translate(_DIGITS)[self._stride : -self._stride].decode()
        return tuple(text[row :: self._stride] for row in range(1, self._stride))


def _emptied(board: bytearray, cell: int, stride: int) -> list[int]:
    """Empty the group of a cell and return its cells."""
    colour = board[cell]
    board[cell] = EMPTY
    group = [cell]
    for member in group:
        for near in (member - 1, member + 1, member - stride, member + stride):
            if board[near] == colour:
                board[near] = EMPTY
                group.append(near)
    return group


@lru_cache(maxsize=32)
def _pair(stride: int) -> re.Pattern[bytes]:
    """Return a pattern for two neighbours of one colour, vertical or horizontal."""
    return re.compile(rb"([^\0])(?:\1|.{%d}\1)" % (stride - 1), re.DOTALL)


_DIGITS = bytes.maketrans(bytes(range(10)), b"0123456789")
_NOTATION = re.compile(r"(-?[0-9]{1,16}),\s*(-?[0-9]{1,16})")
