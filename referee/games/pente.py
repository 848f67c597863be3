"""Pente, as in the Programmer's Challenge of November 1997.

Two seats place stones in turn on a square board of (2H+1) x (2H+1) points, `half_size` H = 9..15;
a point is (v, h), row and column counted from the centre (0, 0).

* The first stone goes on (0, 0). The first player's second stone is restricted: outside the 5x5
  box around the centre (`second_stone: box5`, as in the organiser's program), at least three
  away in both coordinates (`both`, as in the published text), or unrestricted (`free`).
* A stone that brackets exactly two enemy stones, in any of the eight directions, captures this
  pair; one stone may capture several pairs. Moving between two enemy stones is safe. A vacated
  point may be played again.
* Five or more in a row through the new stone wins at once; so does a total of five or more
  captured pairs. A full board is a draw.
* Points, for both: 5 for making five in a row, 1 for each captured pair, 1 for each four left on
  the board. A four is a maximal run of four or more (`fours: runs`, the only interpretation in
  agreement with the organiser's eight logged games; the winning five counts as one, too), of
  exactly four (`exact`), or each window of four stones (`windows`). A five and a fifth pair by the
  same stone both count.
* A retired seat, after a fault or resignation, gets 0 points; the other keeps its points and gets
  5, so that ending a game early never pays.

With a move a bot may claim the pairs it captured, in any order, and victory.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import compress
from operator import and_, itemgetter
from typing import Annotated, ClassVar, Literal, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, Margins, NotationError, Outcome
from referee.rules.grid import LINES, drawn, lines, rays, rows_through
from referee.rules.layout import Layout, Piece, Place, Region, grid

Point = tuple[int, int]

EMPTY = 0
FIVE = 5
PAIRS_TO_WIN = 5
FORFEIT_BONUS = 5
STONES = ".XO"
PIECES = (Piece(0, name="X"), Piece(1, name="O"))
_STONES = (b"\1", b"\2")
_IS_EMPTY = bytes([1]).ljust(256, b"\0")


@dataclass(frozen=True, slots=True)
class Move:
    """The point to play: row `v` and column `h`, counted from the centre."""

    v: int
    h: int


@dataclass(frozen=True)
class Claims:
    """Claimed effects of a stone: the captured pairs, and victory."""

    captures: tuple[tuple[Point, Point], ...] | None = None
    victory: bool | None = None


class State(NamedTuple):
    """A position. `board` has one byte per point: 0 if empty, otherwise the seat + 1."""

    board: bytes
    ply: int = 0
    pairs: tuple[int, int] = (0, 0)
    taken: tuple[int, ...] = ()
    ended: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class Pente(Game[State, Move]):
    """The rules of Pente with its options."""

    name: ClassVar[str] = "pente"
    summary: ClassVar[str] = "five in a row or five captured pairs on a 19x19 board (1997)"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move
    claims_type: ClassVar[type] = Claims
    seat_marks: ClassVar[tuple[str, ...]] = ("X", "O")
    margins: ClassVar[Margins] = Margins(above=1, left=5, below=1)

    half_size: Annotated[int, Interval(ge=9, le=15)] = 9
    """Points from the centre to an edge; 9 is the usual board of 19 lines."""
    second_stone: Literal["box5", "both", "free"] = "box5"
    """Points closed to the first player's second stone: the 5x5 box, the middle lines, or none."""
    fours: Literal["runs", "exact", "windows"] = "runs"
    """A four at the end: a run of four or more, of exactly four, or each window of four."""

    @cached_property
    def size(self) -> int:
        """Points along one edge of the board."""
        return 2 * self.half_size + 1

    def start(self, seats: int, seed: int) -> State:
        """Return the empty board; the seed is not used."""
        return State(bytes(self.size * self.size))

    def turn(self, state: State) -> Seat:
        """Return the seat to move: they alternate."""
        return state.ply & 1

    def legal(self, state: State) -> Iterator[Move]:
        """Return the empty points allowed by the opening rule, row by row."""
        return compress(*self.choices(state))

    def choices(self, state: State) -> tuple[Sequence[Move], bytes]:
        """Return all points, with a flag for each legal one."""
        if state.ended:
            return self._moves, bytes(len(self._moves))
        # `translate` turns the board into a flag for each point, 1 for an empty one, in one call.
        empty = state.board.translate(_IS_EMPTY)
        if state.ply in (0, 2):
            allowed = self._allowed_first if state.ply == 0 else self._allowed_third
            empty = bytes(map(and_, empty, allowed))
        return self._moves, empty

    def apply(self, state: State, move: Move) -> State:
        """Place the stone, remove the captured pairs, and end the game on a win or full board."""
        before, ply, pairs, _, ended = state
        point = self._points_by_place.get((move.v, move.h), -1)
        is_plain = point >= 0 and before[point] == EMPTY and ply > 2 and not ended
        if not is_plain and (objection := self._objection(state, move)):
            raise IllegalMoveError(f"({move.v}, {move.h}): {objection}")
        seat = ply & 1
        board = b"".join((before[:point], _STONES[seat], before[point + 1 :]))
        # The four lines through the stone are cut out of the board and joined by an empty point.
        # So a pattern of stones, five in a row or a pair in brackets, is one search in bytes, and
        # the brackets themselves are looked for only where one was found.
        near = b"\0".join(self._lines[point](board))
        taken: tuple[int, ...] = ()
        # `find`, since `in` tries its left side as a number first, which takes three times as long
        if near.find(_BRACKETED[seat]) >= 0 and (taken := self._captured(board, point)):
            board = bytes(0 if each in taken else stone for each, stone in enumerate(board))
            new = len(taken) // 2
            pairs = (pairs[0] + new, pairs[1]) if seat == 0 else (pairs[0], pairs[1] + new)
        after = State(board, ply + 1, pairs, taken)
        is_five = near.find(_FIVES[seat]) >= 0
        if is_five or pairs[seat] >= PAIRS_TO_WIN or EMPTY not in board:
            return after._replace(ended=self._result(after, seat, is_five=is_five))
        return after

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        return state.ended

    def retire(self, state: State, seat: Seat) -> State:
        """End the game: the seat loses its points, the other gains five."""
        points = list(self._points(state, maker=None))
        points[seat] = 0
        points[1 - seat] += FORFEIT_BONUS
        places = (2, 1) if seat == 0 else (1, 2)
        ended = Outcome((points[0], points[1]), places, f"seat {seat} retired")
        return state._replace(ended=ended)

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return a draw with the current points."""
        return Outcome(self._points(state, maker=None), (1, 1), reason)

    def notation(self, move: Move) -> str:
        """Return the point as `v,h`."""
        return f"{move.v},{move.h}"

    def parse(self, text: str) -> Move:
        """Parse a point like `v,h`."""
        found = _NOTATION.fullmatch(text.strip())
        if found is None:
            raise NotationError(
                f'"{text}" is not a point: write row and column from the centre, like "-2,4"'
            )
        return Move(int(found[1]), int(found[2]))

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show the whole board to both: rows from v = -H down, X is seat 0 and O seat 1."""
        return {
            "turn": self.turn(state),
            "ply": state.ply,
            "board": self._rows(state),
            "pairs": list(state.pairs),
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the board with its coordinates."""
        half = self.half_size
        every = 1 if half < 10 else 2  # adjacent labels of three characters would join
        columns = (str(h) if (h + half) % every == 0 else "" for h in range(-half, half + 1))
        labels = (f"{v} " for v in range(-half, half + 1))
        board = drawn(columns, labels, self._rows(state), left=5, width=3)
        return f"{board}\n{self.caption(state)}"

    def layout(self, seats: int) -> Layout:
        """Return the lines with their coordinates from the centre."""
        numbers = range(-self.half_size, self.half_size + 1)
        centre = Region((self._point(Move(0, 0)),))
        return grid("points", numbers, numbers, "{row},{col}", regions=(centre,))

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the stones."""
        return {point: PIECES[stone - 1] for point, stone in enumerate(state.board) if stone}

    def caption(self, state: State, seat: Seat | None = None) -> str:
        """Return the captured pairs."""
        return f"captured pairs: X {state.pairs[0]}, O {state.pairs[1]}"

    def decisive(self, state: State, move: Move) -> tuple[Place, ...]:
        """Return the row of five or more; () for a win by captures."""
        return rows_through(state.board, self.size, self._point(move), FIVE)

    def gesture(self, move: Move) -> tuple[Place]:
        """Return the point of the stone."""
        return (self._point(move),)

    def claims(self, before: State, move: Move, after: State) -> Claims:
        """Return the captured pairs and whether the stone won."""
        points = [(taken.v, taken.h) for taken in map(self._move, after.taken)]
        captures = tuple(zip(points[::2], points[1::2], strict=True))
        is_won = after.ended is not None and after.ended.places != (1, 1)
        return self.normal_claims(Claims(captures, is_won))

    def normal_claims(self, claims: Claims) -> Claims:
        """Sort the pairs and their stones, since their order has no meaning."""
        if not claims.captures:
            return claims
        captures = sorted((min(pair), max(pair)) for pair in claims.captures)
        return Claims(tuple(captures), claims.victory)

    @cached_property
    def _brackets(self) -> tuple[tuple[tuple[int, ...], ...], ...]:
        return _brackets(self.size)

    @cached_property
    def _lines(self) -> tuple[Callable[[bytes], tuple[bytes, ...]], ...]:
        return _lines(self.size)

    @cached_property
    def _moves(self) -> tuple[Move, ...]:
        return tuple(self._move(point) for point in range(self.size * self.size))

    @cached_property
    def _allowed_first(self) -> bytes:
        first = self.start(2, 0)
        return bytes(self._objection(first, move) is None for move in self._moves)

    @cached_property
    def _allowed_third(self) -> bytes:
        third = self.start(2, 0)._replace(ply=2)
        return bytes(self._objection(third, move) is None for move in self._moves)

    @cached_property
    def _points_by_place(self) -> dict[Point, int]:
        return {(move.v, move.h): point for point, move in enumerate(self._moves)}

    def _point(self, move: Move) -> int:
        return (move.v + self.half_size) * self.size + move.h + self.half_size

    def _move(self, point: int) -> Move:
        v, h = divmod(point, self.size)
        return Move(v - self.half_size, h - self.half_size)

    def _objection(self, state: State, move: Move) -> str | None:
        if state.ended:
            return "the game is over"
        point = self._points_by_place.get((move.v, move.h))
        if point is None:
            return f"off the board: v and h run from {-self.half_size} to {self.half_size}"
        if state.board[point] != EMPTY:
            return "the point is occupied"
        if state.ply == 0 and (move.v or move.h):
            return "the first stone must be at the origin (0, 0)"
        if state.ply == 2:
            return self._second_stone_objection(abs(move.v), abs(move.h))
        return None

    def _second_stone_objection(self, rows: int, columns: int) -> str | None:
        if self.second_stone == "box5" and max(rows, columns) < 3:
            return "the first player's second stone must be outside the 5x5 box at the centre"
        if self.second_stone == "both" and min(rows, columns) < 3:
            return "both coordinates of the first player's second stone must be 3 or more"
        return None

    def _captured(self, board: bytes, point: int) -> tuple[int, ...]:
        own = board[point]
        enemy = 3 - own
        taken: tuple[int, ...] = ()
        for near, far, bracket in self._brackets[point]:
            if board[near] == enemy and board[far] == enemy and board[bracket] == own:
                taken += (near, far)
        return taken

    def _result(self, after: State, seat: Seat, *, is_five: bool) -> Outcome:
        """Return the result after five in a row, a win by pairs or a full board."""
        places = (1, 2) if seat == 0 else (2, 1)
        if is_five:
            return Outcome(self._points(after, maker=seat), places, "five in a row")
        if after.pairs[seat] >= PAIRS_TO_WIN:
            return Outcome(self._points(after, maker=None), places, "five captured pairs")
        return Outcome(self._points(after, maker=None), (1, 1), "full board")

    def _points(self, state: State, *, maker: Seat | None) -> tuple[int, int]:
        fours = [0, 0]
        for run in _RUNS.finditer(b"\0".join(_all_lines(self.size)(state.board))):
            fours[run[0][0] - 1] += self._fours_in(len(run[0]))
        first, second = (
            state.pairs[seat] + fours[seat] + (FIVE if maker == seat else 0) for seat in (0, 1)
        )
        return first, second

    def _fours_in(self, length: int) -> int:
        if self.fours == "windows":
            return max(0, length - 3)
        return int(length == 4 or (length > 4 and self.fours == "runs"))

    def _rows(self, state: State) -> list[str]:
        return list(_cut_into_rows(self.size)(state.board.translate(_GLYPHS).decode()))


_FIVES = (b"\1" * FIVE, b"\2" * FIVE)
_BRACKETED = (b"\1\2\2\1", b"\2\1\1\2")
"""A captured pair and its bracket, by the capturing seat."""
_GLYPHS = bytes.maketrans(bytes(range(len(STONES))), STONES.encode())
_RUNS = re.compile(rb"\x01{4,}|\x02{4,}")
_NOTATION = re.compile(r"(-?[0-9]{1,16})\s*,\s*(-?[0-9]{1,16})")


@lru_cache(maxsize=8)
def _brackets(size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """Return the brackets of each point: two stones to capture and the point behind them."""
    return tuple(tuple(ray for ray in around if len(ray) == 3) for around in rays(size, 3))


@lru_cache(maxsize=8)
def _lines(size: int) -> tuple[Callable[[bytes], tuple[bytes, ...]], ...]:
    """Return, for each point, a function to cut its four lines out of a board.

    A line has up to four points on either side: any five in a row on this part include the point.
    """
    steps = [rows * size + columns for rows, columns in LINES]
    return tuple(
        itemgetter(
            *(
                slice((point, *back)[-1], (point, *forth)[-1] + 1, step)
                for step, forth, back in zip(steps, around[:4], around[4:], strict=True)
            )
        )
        for point, around in enumerate(rays(size, 4))
    )


@lru_cache(maxsize=8)
def _cut_into_rows(size: int) -> Callable[[str], tuple[str, ...]]:
    """Return a function to cut the text of a board into its rows."""
    return itemgetter(*(slice(first, first + size) for first in range(0, size * size, size)))


@lru_cache(maxsize=8)
def _all_lines(size: int) -> Callable[[bytes], tuple[bytes, ...]]:
    """Return a function to cut all lines of four points or more out of a board."""
    return itemgetter(*lines(size, 4))
