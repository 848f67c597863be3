"""Gomoku: five in a row, freestyle, exactly five or by the rules of renju.

Black and White place stones in turn on a board of `size` x `size` points, Black first. Points are
named as in renju: columns from a at the left, rows from 1 at the bottom, so a15 is the top left
corner of the usual board.

* `rule: freestyle`: five or more in a row win. `exact`: exactly five win, a longer row does not.
  `renju`: White wins with five or more, Black with exactly five; Black must not make an overline
  (six or more), a double four or a double three, unless the same stone makes five. A three counts
  only if an allowed stone can make it a straight four (RIF 9.3).
* A full board is a draw; so is a position of renju without an allowed point for Black.
* `opening: free`: the first player has Black. `swap2`: the first player places a black, a white and
  a black stone. The second player then places a white one, and has White; or `swap`s, has Black,
  and the first player places the next, white stone; or answers `two`, places a white and a black
  stone, and the first player chooses in the same way: a white stone, or `swap`.
* Points: 2 for a win, 1 for a draw. A retired seat gets 0, the other one 2.

`X` and seat 0 belong together, as `O` and seat 1: by a `swap` the stones on the board change hands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Annotated, ClassVar, Literal, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, Margins, NotationError, Outcome
from referee.rules.grid import drawn, rays, rows_through
from referee.rules.layout import Layout, Piece, Place, points_layout
from referee.rules.renju import OFF, forbidden

EMPTY = 0
FIVE = 5
COLUMNS = "abcdefghijklmnopqrstuvwxyz"
STONES = ".XO"
PIECES = (Piece(0, name="X"), Piece(1, name="O"))
SWAP = "swap"
TWO = "two"

PLAY, THREE, FIRST_CHOICE, TWO_MORE, LAST_CHOICE = range(5)
"""Stages: play, and before play the stages of swap2 in their order."""
CHOICES: tuple[tuple[str, ...], ...] = ((), (), (SWAP, TWO), (), (SWAP,))
"""Replies other than a stone, by stage."""
STONES_BY_STAGE = {THREE: 3, TWO_MORE: 5}
"""Stones on the board when the stage is over."""
MEANINGS = {
    SWAP: "swap: take Black; the other player places the next stone, a white one",
    TWO: "two: place a white and a black stone, then the other player chooses",
}
"""The choices in words."""

WINS = ((2, 0), (0, 2))
"""Points of both seats, by the seat that wins."""
FULL = Outcome.by_points((1, 1), "full board")
NO_MOVE = Outcome.by_points((1, 1), "no point is left that Black may play")


@dataclass(frozen=True, slots=True)
class Move:
    """A point like h8, or the word of a choice."""

    at: str


class State(NamedTuple):
    """A position. `board` has one byte per point: 0 if empty, otherwise the seat + 1."""

    board: bytes
    ply: int = 0
    turn: Seat = 0
    black: Seat = 0
    stage: int = PLAY
    ended: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class Gomoku(Game[State, Move]):
    """The rules of gomoku with its options."""

    name: ClassVar[str] = "gomoku"
    summary: ClassVar[str] = "five in a row on a 15x15 board: freestyle, exactly five, or renju"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move
    seat_marks: ClassVar[tuple[str, ...]] = ("X", "O")
    margins: ClassVar[Margins] = Margins(above=1, left=4, below=1)

    size: Annotated[int, Interval(ge=5, le=26)] = 15
    """Points along one edge of the board."""
    rule: Literal["freestyle", "exact", "renju"] = "freestyle"
    """A win: five or more, exactly five, or by renju with its forbidden moves of Black."""
    opening: Literal["free", "swap2"] = "free"
    """Whether the first player has Black, or the colors are chosen by swap2."""

    def start(self, seats: int, seed: int) -> State:
        """Return the empty board; the seed is not used."""
        stage = THREE if self.opening == "swap2" else PLAY
        return State(bytes(self.size * self.size), stage=stage)

    def turn(self, state: State) -> Seat:
        """Return the seat to move."""
        return state.turn

    def legal(self, state: State) -> Iterator[Move]:
        """Return the allowed empty points, row by row, then the choices."""
        return compress(*self.choices(state))

    def choices(self, state: State) -> tuple[Sequence[Move], bytes]:
        """Return all points and choices, with a flag for each legal one."""
        if state.ended:
            return self._moves, bytes(len(self._moves))
        points = state.board.translate(_IS_EMPTY)
        if self._is_black_bound(state):
            points = bytes(self._allowed(state))
        words = CHOICES[state.stage]
        return self._moves, points + bytes((SWAP in words, TWO in words))

    def apply(self, state: State, move: Move) -> State:
        """Place the stone or choose, and end the game on a win or when no move is left."""
        if objection := self._objection(state, move):
            raise IllegalMoveError(f"{move.at[:9]!r}: {objection}")
        if move.at == SWAP:
            return self._swapped(state)
        if move.at == TWO:
            return state._replace(ply=state.ply + 1, stage=TWO_MORE)
        point = self._points[move.at]
        board = bytearray(state.board)
        stone = board[point] = self._owner(state) + 1
        after = self._next(state, bytes(board))
        if self._wins(board, point, is_black=stone == state.black + 1):
            return after._replace(ended=Outcome.by_points(WINS[stone - 1], "five in a row"))
        if EMPTY not in board:
            return after._replace(ended=FULL)
        if self._is_black_bound(after) and not any(self._allowed(after)):
            return after._replace(ended=NO_MOVE)
        return after

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        return state.ended

    def retire(self, state: State, seat: Seat) -> State:
        """End the game after a fault or resignation of a seat: the other wins."""
        return state._replace(ended=Outcome.by_points(WINS[1 - seat], f"seat {seat} retired"))

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return a draw."""
        return replace(FULL, reason=reason)

    def notation(self, move: Move) -> str:
        """Return the point, like `h8`, or the choice."""
        return move.at if move.at.isprintable() else "?"

    def parse(self, text: str) -> Move:
        """Parse a point like `h8`, or a choice."""
        word = text.strip().lower()
        if not _NOTATION.fullmatch(word):
            raise NotationError(
                f'"{text}" is no move: write a column and a row, like "h8", or {SWAP} or {TWO}'
            )
        return Move(word)

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show the whole board to both, from the top row down: X is seat 0 and O seat 1."""
        return {
            "turn": state.turn,
            "ply": state.ply,
            "board": self._rows(state),
            "black": state.black,
            "choices": list(CHOICES[state.stage]),
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the board with its coordinates."""
        labels = (f"{row} " for row in range(self.size, 0, -1))
        board = drawn(COLUMNS[: self.size], labels, self._rows(state), left=4)
        return f"{board}\n{self.caption(state, seat)}"

    def layout(self, seats: int) -> Layout:
        """Return the lines with their coordinates."""
        return points_layout(self.size, COLUMNS)

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the stones."""
        return {point: PIECES[stone - 1] for point, stone in enumerate(state.board) if stone}

    def caption(self, state: State, seat: Seat | None = None) -> str:
        """Return the seat of Black and the possible choices."""
        words = CHOICES[state.stage]
        choice = f"; a stone, or {' or '.join(words)}" if words else ""
        return f"Black: {STONES[1 + state.black]} (seat {state.black}){choice}"

    def task(self, state: State) -> str:
        """Return the next stone of the opening, and the number of stones after it."""
        if state.stage == PLAY or state.ended:
            return ""
        color = "black" if self._owner(state) == state.black else "white"
        if state.stage in STONES_BY_STAGE:
            left = STONES_BY_STAGE[state.stage] - (len(state.board) - state.board.count(EMPTY))
            last = "then the other player chooses" if left == 1 else f"{left - 1} more to follow"
            return f"place a {color} stone; {last}"
        return f"place a {color} stone to keep White, or choose {' or '.join(CHOICES[state.stage])}"

    def meaning(self, state: State, move: Move) -> str:
        """Explain the choices."""
        return MEANINGS.get(move.at, "")

    def decisive(self, state: State, move: Move) -> tuple[Place, ...]:
        """Return the row of five or more."""
        if move.at in (SWAP, TWO):
            return ()
        return rows_through(state.board, self.size, self._points[move.at], FIVE)

    def gesture(self, move: Move) -> tuple[Place, ...]:
        """Return the point of the stone; a choice is chosen from a list."""
        return () if move.at in (SWAP, TWO) else (self._points[move.at],)

    def scalars(self, state: State, seat: Seat) -> tuple[float, ...]:
        """Return whether the seat has Black, and a flag for each stage."""
        return (
            seat == state.black,
            *(stage == state.stage for stage in range(PLAY, LAST_CHOICE + 1)),
        )

    @cached_property
    def _points(self) -> dict[str, int]:
        """Index of each point by its name, from the top left."""
        names = self.layout(2).names
        return {name: point for point, name in enumerate(names)}

    @cached_property
    def _moves(self) -> tuple[Move, ...]:
        return tuple(Move(name) for name in (*self._points, SWAP, TWO))

    def _owner(self, state: State) -> Seat:
        """Return the seat of the next stone; during swap2 the colors alternate, not the seats."""
        if state.stage == PLAY:
            return state.turn
        stones = len(state.board) - state.board.count(EMPTY)
        return state.black if stones % 2 == 0 else 1 - state.black

    def _is_black_bound(self, state: State) -> bool:
        """Whether renju may forbid the next stone; the early stones of swap2 are always allowed."""
        return self.rule == "renju" and state.stage == PLAY and state.turn == state.black

    def _allowed(self, state: State) -> Iterator[bool]:
        """Yield for each point whether Black may play on it."""
        board = bytearray(_by_color(state))
        for point, stone in enumerate(state.board):
            yield stone == EMPTY and forbidden(board, self.size, point) is None

    def _objection(self, state: State, move: Move) -> str | None:
        if state.ended:
            return "the game is over"
        words = CHOICES[state.stage]
        if move.at in words:
            return None
        if move.at in (SWAP, TWO):
            return "not a choice here" if words else "there is nothing to choose"
        point = self._points.get(move.at)
        if point is None:
            last = f"{COLUMNS[self.size - 1]}{self.size}"
            return f"not a point of this board: they are a1 to {last}"
        if state.board[point] != EMPTY:
            return "the point is occupied"
        made = None
        if self._is_black_bound(state):
            made = forbidden(bytearray(_by_color(state)), self.size, point)
        return made and f"Black must not make {made}"

    def _swapped(self, state: State) -> State:
        """Return the position after the player to move took Black; the other places White's."""
        board = state.board
        if state.black != state.turn:
            board = board.translate(_EXCHANGED)
        return State(board, state.ply + 1, 1 - state.turn, state.turn)

    def _next(self, state: State, board: bytes) -> State:
        """Return the position after a stone, with the next seat and stage."""
        stage, turn, ply = state.stage, state.turn, state.ply + 1
        stones = len(board) - board.count(EMPTY)
        if stones < STONES_BY_STAGE.get(stage, 0):
            return state._replace(board=board, ply=ply)
        if stage in (THREE, TWO_MORE):
            return state._replace(board=board, ply=ply, turn=1 - turn, stage=stage + 1)
        if stage in (FIRST_CHOICE, LAST_CHOICE):  # a stone chooses White
            if state.black == turn:
                board = board.translate(_EXCHANGED)
            return State(board, ply, 1 - turn, 1 - turn)
        return state._replace(board=board, ply=ply, turn=1 - turn)

    def _wins(self, board: bytearray, point: int, *, is_black: bool) -> bool:
        stone = board[point]
        longest = 1
        around = rays(self.size, FIVE)[point]
        needs_exactly_five = self.rule == "exact" or (self.rule == "renju" and is_black)
        for forth, back in zip(around[:4], around[4:], strict=True):
            run = 1
            for ray in (forth, back):
                for place in ray:
                    if board[place] != stone:
                        break
                    run += 1
            if run == FIVE:
                return True
            longest = max(longest, run)
        return longest > FIVE and not needs_exactly_five

    def _rows(self, state: State) -> list[str]:
        text = state.board.translate(_GLYPHS).decode()
        return [text[start : start + self.size] for start in range(0, len(text), self.size)]


_IS_EMPTY = bytes([1]).ljust(256, b"\0")
_GLYPHS = bytes.maketrans(bytes(range(len(STONES))), STONES.encode())
_EXCHANGED = bytes.maketrans(b"\1\2", b"\2\1")
_NOTATION = re.compile(rf"[a-z][1-9][0-9]?|{SWAP}|{TWO}")


def _by_color(state: State) -> bytes:
    """Return the board with Black's stones as 1, with the byte for all points off the board."""
    board = state.board if state.black == 0 else state.board.translate(_EXCHANGED)
    return board + bytes((OFF,))
