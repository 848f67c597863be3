"""Matchsticks, as in the Programmer's Challenge of June 2002: Piet Hein's TacTix with holes.

Two seats remove matchsticks in turn from a square board of `dimension` x `dimension` cells, 1..64,
with some empty cells at the start. A cell is (row, column), both from 0.

* A move removes a run of one or more matchsticks out of one row or one column. A matchstick must be
  present in each cell of the run: a run may not cross an old or new hole. Passing is not allowed
  and, since every move removes a matchstick, draws are impossible.
* `row` true: the run is in row `line`, from column `start` to column `end`, both included; `row`
  false: in column `line`, from row `start` to row `end`. An end before the start is the same run.
  A single matchstick may be named by its row or by its column; both are the same move. Opponents
  receive, and records have, a run with its start first and a single matchstick by its row.
* `objectives: normal`: taking the last matchstick wins. `misere`: taking it loses. `both`: the
  schedule plays each board both ways, as in the original; a single game with `both` is played as
  `normal`.
* The published text gives no dimension. The default is 8: about 58 matchsticks are far too many for
  solving the game at the start, and few enough for a match of seconds.
* Holes: `hole_fraction` of all cells, rounded to the nearest number, a half upwards, are empty at
  the start. The seed selects them; every selection is equally likely. The fraction is the exact
  decimal as written: 0.145 of 100 cells is 14.5, so 15.
* `board` gives the start instead: `dimension` rows of as many digits, 1 for a matchstick and 0 for
  a hole; `hole_fraction` is then not used. A board without matchsticks is refused, since no move is
  possible.
* Points: the winner gets the number of cells of the board, the loser 0. A retired seat loses. A
  match stopped from outside is a draw with 0 points each.
* `anonymous: true` withholds the opponent's name from the bots. By default they receive it, as in
  the original, so that they may learn.

With a move a bot may claim the new board, as rows of 1 and 0. A different board is a false claim.
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Annotated, ClassVar, Literal, NamedTuple, Self

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
from referee.rules.grid import drawn
from referee.rules.layout import Layout, Piece, Place, grid
from referee.rules.numbers import ListedMoves

HOLE = 0
STICK = 1
MATCHSTICK = Piece(shape="line", name="matchstick")


@dataclass(frozen=True, slots=True)
class Move:
    """The run to remove: in row or column `line`, from `start` to `end`, both included."""

    row: bool
    line: int
    start: int
    end: int


_Run = tuple[bool, int, int, int]
"""The fields of a move whose end is not before its start."""


@dataclass(frozen=True)
class Claims:
    """Claimed effect of a move: the new board, one string of 1 and 0 per row."""

    board: tuple[str, ...] | None = None


class State(NamedTuple):
    """A position. `board` has one byte per cell, row by row: 1 for a matchstick, 0 for a hole."""

    board: bytes
    ply: int = 0
    ended: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class Matchsticks(Game[State, Move]):
    """The rules of Matchsticks with its options."""

    name: ClassVar[str] = "matchsticks"
    summary: ClassVar[str] = "take runs out of rows and columns, down to the last match (2002)"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move
    claims_type: ClassVar[type] = Claims
    margins: ClassVar[Margins] = Margins(above=1, left=4)

    dimension: Annotated[int, Interval(ge=1, le=64)] = 8
    """Rows and columns of the square board."""
    hole_fraction: Annotated[float, Interval(ge=0, lt=1)] = 0.1
    """Fraction of empty cells at the start."""
    board: tuple[str, ...] | None = None
    """The board at the start, one string of 0 and 1 per row. Default: drawn from the seed."""
    objectives: Literal["both", "normal", "misere"] = "both"
    """Whether taking the last stick wins, loses, or both, in separate matches."""
    anonymous: bool = False
    """Whether the players are not told who the other is."""

    def __post_init__(self) -> None:
        if self.board is not None:
            self._check_board(self.board)
        elif self._holes() >= self._cells():
            raise OptionError(
                "hole_fraction",
                f"{self.hole_fraction} of {self._cells()} cells leaves no matchstick; "
                "at least one must be present",
            )

    @property
    def is_anonymous(self) -> bool:
        """Whether the players are not told who the other is."""
        return self.anonymous

    def start(self, seats: int, seed: int) -> State:
        """Return the `board` option, or a full board with holes drawn from the seed."""
        if self.board is not None:
            return State(bytes(map(int, "".join(self.board))))
        # Python guarantees stable numbers for random() only
        chance = random.Random(seed)  # noqa: S311 - a board is no secret
        shuffled = sorted(range(self._cells()), key=lambda _: chance.random())
        board = bytearray([STICK]) * self._cells()
        for cell in shuffled[: self._holes()]:
            board[cell] = HOLE
        return State(bytes(board))

    def turn(self, state: State) -> Seat:
        """Return the seat to move: they alternate."""
        return state.ply & 1

    def legal(self, state: State) -> Iterator[Move]:
        """Yield the runs of every row, then the runs of every column longer than one."""
        if not state.ended:
            yield from (Move(*run) for run in self._runs(state.board))

    def completed(self, state: State, move: Move) -> Move:
        """Return the one form of a move: an opponent need not expect the others."""
        start, end = sorted((move.start, move.end))
        if start == end and not move.row:
            return Move(row=True, line=start, start=move.line, end=move.line)
        return Move(move.row, move.line, start, end)

    def apply(self, state: State, move: Move) -> State:
        """Remove the run, and end the game after the last matchstick."""
        if objection := self._objection(state, move):
            raise IllegalMoveError(f"{self.notation(move)}: {objection}")
        board = self._without(state.board, self._span(move))
        ended = None if STICK in board else self._last_taken(state.ply & 1)
        return State(board, state.ply + 1, ended)

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        return state.ended

    def retire(self, state: State, seat: Seat) -> State:
        """End the game after a fault or resignation of a seat: the other wins."""
        return state._replace(ended=self._won(1 - seat, f"seat {seat} retired"))

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return a draw: no seat has points before the last matchstick."""
        return Outcome.by_points((0, 0), reason)

    def notation(self, move: Move) -> str:
        """Return the run as `r3:2-5`, row 3 from column 2 to 5, or `c3:2-5` for a column."""
        return f"{'r' if move.row else 'c'}{move.line}:{move.start}-{move.end}"

    def parse(self, text: str) -> Move:
        """Parse a run like `r3:2-5`, or a single matchstick like `r3:2`."""
        found = _NOTATION.fullmatch(text.strip().lower())
        if found is None:
            raise NotationError(
                f'"{text}" is not a run: write row or column, its number, and from-to in it, like '
                '"r3:2-5" for row 3 from column 2 to 5, or "c0:4" for column 0, row 4'
            )
        start = int(found["start"])
        end = start if found["end"] is None else int(found["end"])
        return Move(found["kind"] == "r", int(found["line"]), start, end)

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show the whole board to both: 1 for a matchstick, 0 for a hole."""
        return {"turn": self.turn(state), "ply": state.ply, "board": list(self._rows(state.board))}

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the board with its coordinates."""
        numbers = range(self.dimension)
        rows = (row.replace("1", "|").replace("0", ".") for row in self._rows(state.board))
        return drawn(numbers, numbers, rows, left=4, width=3)

    def layout(self, seats: int) -> Layout:
        """Return the cells with their numbers."""
        numbers = range(self.dimension)
        return grid("cells", numbers, numbers, "row {row}, column {col}")

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the matchsticks."""
        return {cell: MATCHSTICK for cell, stick in enumerate(state.board) if stick}

    def gesture(self, move: Move) -> tuple[Place, Place]:
        """Return the cells at both ends of the run, the same cell twice for one matchstick."""
        span = range(self._cells())[self._span(move)]
        return span[0], span[-1]

    def variants(self) -> Sequence[tuple[str, Self]]:
        """Return one game for each objective."""
        if self.objectives != "both":
            return (("", self),)
        return (
            ("normal", replace(self, objectives="normal")),
            ("misere", replace(self, objectives="misere")),
        )

    def claims(self, before: State, move: Move, after: State) -> Claims:
        """Return the board after the move."""
        return Claims(self._rows(after.board))

    def numbers(self) -> ListedMoves[Move]:
        """Return numbers for the runs of a full board, in the order of `legal`."""
        return ListedMoves(Move(*run) for run in self._runs(bytes([STICK]) * self._cells()))

    def position(self, state: State) -> bytes:
        """Return the board, as all continuations depend only on it; empty once over."""
        return b"" if state.ended else state.board

    def children(self, position: bytes) -> Iterator[bytes]:
        """Yield the board after each legal move."""
        for run in self._runs(position) if position else ():
            board = self._without(position, self._cut(run))
            yield board if STICK in board else b""

    def _cells(self) -> int:
        return self.dimension * self.dimension

    def _holes(self) -> int:
        # use the decimal text, since a float may be slightly below the half it was written as
        return floor(Fraction(str(self.hole_fraction)) * self._cells() + Fraction(1, 2))

    def _check_board(self, board: tuple[str, ...]) -> None:
        size = self.dimension
        if len(board) != size or any(len(row) != size for row in board):
            raise OptionError(
                "board", f"must be {size} rows of {size} digits, as `dimension` is {size}"
            )
        cells = set().union(*board)
        if not cells <= {"0", "1"}:
            raise OptionError("board", "has a cell that is neither 0 (empty) nor 1 (a matchstick)")
        if "1" not in cells:
            raise OptionError("board", "has no matchstick; at least one must be present")

    def _objection(self, state: State, move: Move) -> str | None:
        if state.ended:
            return "the game is over"
        size = self.dimension
        if not (0 <= move.line < size and 0 <= move.start < size and 0 <= move.end < size):
            return f"off the board: line, start and end run from 0 to {size - 1}"
        if HOLE in state.board[self._span(move)]:
            return "a matchstick must be present in every cell of the run"
        return None

    def _span(self, move: Move) -> slice:
        first, last = (move.start, move.end) if move.start <= move.end else (move.end, move.start)
        return self._cut((move.row, move.line, first, last))

    def _cut(self, run: _Run) -> slice:
        is_row, line, first, last = run
        size = self.dimension
        if is_row:
            return slice(line * size + first, line * size + last + 1)
        return slice(first * size + line, last * size + line + 1, size)

    def _without(self, board: bytes, run: slice) -> bytes:
        after = bytearray(board)
        after[run] = bytes(len(after[run]))
        return bytes(after)

    def _runs(self, board: bytes) -> Iterator[_Run]:
        size = self.dimension
        for is_row in (True, False):
            for line in range(size):
                cells = board[self._cut((is_row, line, 0, size - 1))]
                for start in range(size):
                    gap = cells.find(HOLE, start)
                    # a single matchstick is listed by its row only
                    for end in range(start if is_row else start + 1, size if gap < 0 else gap):
                        yield is_row, line, start, end

    def _last_taken(self, seat: Seat) -> Outcome:
        if self.objectives == "misere":
            return self._won(1 - seat, "the opponent took the last matchstick")
        return self._won(seat, "took the last matchstick")

    def _won(self, seat: Seat, reason: str) -> Outcome:
        points = self._cells()
        return Outcome.by_points((points, 0) if seat == 0 else (0, points), reason)

    def _rows(self, board: bytes) -> tuple[str, ...]:
        text = board.translate(_DIGITS).decode()
        size = self.dimension
        return tuple(text[start : start + size] for start in range(0, len(text), size))


_DIGITS = bytes.maketrans(b"\0\1", b"01")
_NOTATION = re.compile(
    r"(?P<kind>[rc])(?P<line>-?[0-9]{1,16}):(?P<start>-?[0-9]{1,16})(?:-(?P<end>-?[0-9]{1,16}))?"
)
