"""Go on a board of `size` x `size` points.

Black (seat 0) and White (seat 1) place stones in turn, Black first, or pass. Points are named as in
GTP: columns from A at the left, without I, rows from 1 at the bottom, so A19 is the top left
corner of the usual board.

* A stone takes all enemy groups without a liberty left, then its own group if without a liberty.
  Taking only own stones is illegal unless `suicide` is allowed.
* `ko`: a stone must not make the board as it was before at any time (`positional`), or with the
  same player to move (`situational`), or before the opponent's last move or this one (`simple`).
  With `simple`, a repeated board with the same player to move is a draw, also after a pass.
* Two passes in a row end the game. All stones on the board are alive then, since no referee can
  recognise dead stones: capture them before. With `scoring: area` (Tromp-Taylor, Chinese rules)
  this costs nothing: a player has its stones and the empty regions surrounded by them alone. With
  `territory` a player has these regions and the captured stones. These rules are near to Japanese
  ones, but a stone played to capture dead ones costs a point, and points of a seki count like
  others.
* White has `komi` points more, a multiple of 0.5; less than 0 is in Black's favour. `handicap`
  stones of Black stand on the fixed points of GTP at the start, and White begins, without points
  for them.
* Points: 2 for a win, 1 for a draw, which takes a whole komi. A retired seat gets 0, the other 2. A
  game stopped before its end is scored as if both had passed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Annotated, ClassVar, Literal, NamedTuple

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
from referee.rules.bitboard import single_bits
from referee.rules.grid import drawn
from referee.rules.layout import Layout, Piece, Place, Region, points_layout
from referee.rules.stones import Boards, Placed, Points

COLUMNS = "ABCDEFGHJKLMNOPQRST"
STONES = ".XO"
PASS = "pass"  # noqa: S105 - a move
PIECES = (Piece(0, name="X"), Piece(1, name="O"))
LARGEST_KOMI = 361
REPEATED = Outcome.by_points((1, 1), "the board came up again")


@dataclass(frozen=True, slots=True)
class Move:
    """A point like D4, or "pass"."""

    at: str


class State(NamedTuple):
    """A position. Stones are sets of bits, see `referee.rules.stones`."""

    stones: tuple[int, int]
    ply: int = 0
    turn: Seat = 0
    passes: int = 0
    taken: tuple[int, int] = (0, 0)
    """Stones captured by each seat."""
    seen: Boards = Boards()
    """All earlier boards and this one; with the player to move unless `ko` is `positional`."""
    last: int = -1
    """The board before the last move."""
    most: int = 0
    """The largest number of stones of a board seen."""
    ended: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class Go(Game[State, Move]):
    """The rules of Go with its options."""

    name: ClassVar[str] = "go"
    summary: ClassVar[str] = (
        "Go on 5x5 to 19x19 boards, with komi, superko, area or territory scoring"
    )
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move
    seat_names: ClassVar[tuple[str, ...]] = ("black", "white")
    seat_marks: ClassVar[tuple[str, ...]] = ("X", "O")
    margins: ClassVar[Margins] = Margins(above=1, left=4, below=1)

    size: Annotated[int, Interval(ge=5, le=19)] = 19
    """Points along one edge of the board."""
    komi: Annotated[float, Interval(ge=-LARGEST_KOMI, le=LARGEST_KOMI)] = 7.5
    """White's points before the first move: a multiple of 0.5."""
    scoring: Literal["area", "territory"] = "area"
    """Counted points: stones and surrounded points, or surrounded points and captured stones."""
    ko: Literal["positional", "situational", "simple"] = "positional"
    """Forbidden repetitions: all boards, all with the same player to move, or the last."""
    suicide: bool = False
    """Whether a stone may take its own group off the board."""
    handicap: Annotated[int, Interval(ge=0, le=9)] = 0
    """Black's stones at the start: 0 or 2 to 9."""

    def __post_init__(self) -> None:
        """Refuse contradictory options."""
        if 2 * self.komi % 1:
            raise OptionError("komi", f"must be a multiple of 0.5, not {self.komi}")
        most = len(_handicap_points(self.size)) - 1
        if self.handicap == 1 or self.handicap > most:
            allowed = f"0 or 2 to {most}" if most else "0"
            raise OptionError(
                "handicap", f"must be {allowed} on a board of size {self.size}, not {self.handicap}"
            )

    def start(self, seats: int, seed: int) -> State:
        """Return the board with the handicap; the seed is not used."""
        stones = 0
        for point in _handicap_points(self.size)[self.handicap]:
            stones |= self._bits[point]
        turn = 1 if self.handicap else 0
        first = State((stones, 0), turn=turn, most=self.handicap)
        return first._replace(seen=Boards().plus(self._key(first.stones, turn)))

    def turn(self, state: State) -> Seat:
        """Return the seat to move."""
        return state.turn

    def legal(self, state: State) -> Iterator[Move]:
        """Return the legal points row by row from the top, then the pass."""
        return compress(*self.choices(state))

    def choices(self, state: State) -> tuple[Sequence[Move], bytes]:
        """Return all points and the pass, with a flag for each legal one."""
        if state.ended:
            return self._moves, bytes(len(self._moves))
        own, enemy = self._sides(state)
        empty = self._board.all ^ own ^ enemy
        legal = empty
        doubtful = empty
        if own.bit_count() + enemy.bit_count() >= state.most:
            # A stone with a liberty makes a new board, unless it captures: then a group has no
            # other liberty, and one of its stones beside the point none at all.
            captured = enemy & self._board.beside_one(empty)
            doubtful &= ~self._board.beside(empty) | self._board.beside(captured)
        for bit in single_bits(doubtful):
            if self._objection(state, self._board.placed(own, enemy, bit)):
                legal ^= bit
        return self._moves, self._board.flags(legal) + b"\1"

    def apply(self, state: State, move: Move) -> State:
        """Place the stone and remove captured ones, or pass; two passes end the game."""
        if state.ended:
            raise IllegalMoveError(f"{move.at[:9]!r}: the game is over")
        if move.at == PASS:
            return self._passed(state)
        bit = self._bits.get(move.at)
        if bit is None:
            last = f"{COLUMNS[self.size - 1]}{self.size}"
            raise IllegalMoveError(
                f"{move.at[:9]!r}: not a point of this board: they are A1 to {last}"
            )
        if bit & (state.stones[0] | state.stones[1]):
            raise IllegalMoveError(f"{move.at}: the point is occupied")
        placed = self._board.placed(*self._sides(state), bit)
        if objection := self._objection(state, placed):
            raise IllegalMoveError(f"{move.at}: {objection}")
        return self._after(state, placed)

    def outcome(self, state: State) -> Outcome | None:
        """Return the result, None before the end."""
        return state.ended

    def retire(self, state: State, seat: Seat) -> State:
        """End the game after a fault or resignation of a seat: the other wins."""
        points = (0, 2) if seat == 0 else (2, 0)
        return state._replace(ended=Outcome.by_points(points, f"seat {seat} retired"))

    def adjudicate(self, state: State, reason: str) -> Outcome:
        """Return the result of the present board."""
        return replace(self._scored(state), reason=reason)

    def margin(self, state: State) -> float:
        """Return Black's points less White's and the komi, with all stones alive."""
        black, white = state.stones
        mine, yours = self._board.territory(black, white)
        if self.scoring == "area":
            score = black.bit_count() + mine.bit_count() - white.bit_count() - yours.bit_count()
        else:
            score = mine.bit_count() + state.taken[0] - yours.bit_count() - state.taken[1]
        return score - self.komi

    def notation(self, move: Move) -> str:
        """Return the point, like `D4`, or `pass`."""
        return move.at if move.at.isprintable() else "?"

    def parse(self, text: str) -> Move:
        """Parse a point like `D4`, or `pass`."""
        word = text.strip()
        if word.lower() == PASS:
            return Move(PASS)
        if not _NOTATION.fullmatch(word.upper()):
            raise NotationError(
                f'"{text}" is no move: write a column and a row, like "D4" (no column is'
                f" named I), or {PASS}"
            )
        return Move(word.upper())

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        """Show the whole board to both, from the top row down: X is Black and O White."""
        return {
            "turn": state.turn,
            "ply": state.ply,
            "board": self._rows(state),
            "taken": list(state.taken),
            "passes": state.passes,
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        """Draw the board with its coordinates."""
        labels = (f"{row} " for row in range(self.size, 0, -1))
        board = drawn(COLUMNS[: self.size], labels, self._rows(state), left=4)
        return f"{board}\n{self.caption(state, seat)}"

    def layout(self, seats: int) -> Layout:
        """Return the lines with their coordinates and the handicap points."""
        board = points_layout(self.size, COLUMNS)
        if self.size < 7:
            return board
        marked = _handicap_points(self.size)[-1]
        return replace(board, regions=(Region(tuple(map(board.names.index, marked))),))

    def pieces(self, state: State, seat: Seat | None) -> dict[Place, Piece]:
        """Return the stones."""
        text = "".join(self._rows(state))
        return {
            place: PIECES[STONES.index(stone) - 1]
            for place, stone in enumerate(text)
            if stone != STONES[0]
        }

    def caption(self, state: State, seat: Seat | None = None) -> str:
        """Return the captured stones, the komi and a pass."""
        passed = "; the last move was a pass" if state.passes == 1 else ""
        taken = f"captured: X {state.taken[0]}, O {state.taken[1]}"
        return f"{taken}; komi {self.komi:g}{passed}"

    def gesture(self, move: Move) -> tuple[Place, ...]:
        """Return the point of the stone; a pass is chosen from a list."""
        return () if move.at == PASS else (self._places[move.at],)

    @cached_property
    def _board(self) -> Points:
        return Points(self.size)

    @cached_property
    def _places(self) -> dict[str, Place]:
        names = points_layout(self.size, COLUMNS).names
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def _bits(self) -> dict[str, int]:
        return {name: self._board.bits[place] for name, place in self._places.items()}

    @cached_property
    def _moves(self) -> tuple[Move, ...]:
        return tuple(Move(name) for name in (*self._places, PASS))

    def _sides(self, state: State) -> tuple[int, int]:
        """Return the stones of the player to move, and the other's."""
        return state.stones if state.turn == 0 else (state.stones[1], state.stones[0])

    def _key(self, stones: tuple[int, int], turn: Seat) -> int:
        """Return the number of a board, with the player to move unless `ko` is positional."""
        board = self._board.number(*stones)
        return board if self.ko == "positional" else 2 * board + turn

    def _objection(self, state: State, placed: Placed) -> str | None:
        """Return the rule broken by a stone on an empty point, or None."""
        own, enemy, _, lost = placed
        if lost and not self.suicide:
            return "suicide: the stone's group has no liberty"
        stones = (own, enemy) if state.turn == 0 else (enemy, own)
        if self.ko != "simple":
            is_repeated = self._key(stones, 1 - state.turn) in state.seen
            return f"{self.ko} superko: the board has been so before" if is_repeated else None
        if self._board.number(*stones) in (state.last, self._board.number(*state.stones)):
            return "ko: the board would be as before this move or the opponent's last"
        return None

    def _after(self, state: State, placed: Placed) -> State:
        """Return the position after an allowed stone."""
        own, enemy, taken, lost = placed
        turn = state.turn
        stones = (own, enemy) if turn == 0 else (enemy, own)
        key = self._key(stones, 1 - turn)
        return State(
            stones,
            state.ply + 1,
            1 - turn,
            0,
            _credited(state.taken, turn, taken.bit_count(), lost.bit_count()),
            state.seen.plus(key),
            self._board.number(*state.stones),
            max(state.most, own.bit_count() + enemy.bit_count()),
            REPEATED if key in state.seen else None,  # only with simple ko
        )

    def _passed(self, state: State) -> State:
        turn = 1 - state.turn
        key = self._key(state.stones, turn)
        after = state._replace(
            ply=state.ply + 1,
            turn=turn,
            passes=state.passes + 1,
            seen=state.seen.plus(key),
            last=self._board.number(*state.stones),
        )
        if after.passes == 2:
            return after._replace(ended=self._scored(after))
        is_repeated = self.ko == "simple" and key in state.seen
        return after._replace(ended=REPEATED) if is_repeated else after

    def _scored(self, state: State) -> Outcome:
        margin = self.margin(state)
        if not margin:
            return Outcome.by_points((1, 1), "equal scores")
        if margin > 0:
            return Outcome.by_points((2, 0), f"Black wins by {margin:g}")
        return Outcome.by_points((0, 2), f"White wins by {-margin:g}")

    def _rows(self, state: State) -> list[str]:
        black, white = (int.from_bytes(self._board.flags(stones)) for stones in state.stones)
        # a byte for each point: their sum has no carry, since a point has one stone at most
        places = (black + 2 * white).to_bytes(self.size * self.size)
        text = places.translate(_GLYPHS).decode()
        return [text[start : start + self.size] for start in range(0, len(text), self.size)]


_GLYPHS = bytes.maketrans(bytes(range(len(STONES))), STONES.encode())
_NOTATION = re.compile(r"[A-HJ-T](?:1[0-9]|[1-9])")


def _credited(taken: tuple[int, int], turn: Seat, captured: int, lost: int) -> tuple[int, int]:
    """Return the captured stones of both after a move; lost stones are the opponent's."""
    black, white = (captured, lost) if turn == 0 else (lost, captured)
    return taken[0] + black, taken[1] + white


def _handicap_points(size: int) -> Sequence[tuple[str, ...]]:
    """Return the points for each number of handicap stones, as GTP's `fixed_handicap` has them."""
    if size < 7:
        return ((),)
    near = 3 if size < 13 else 4
    far, middle = size + 1 - near, (size + 1) // 2

    def point(column: int, row: int) -> str:
        return f"{COLUMNS[column - 1]}{row}"

    corners = (point(near, near), point(far, far), point(near, far), point(far, near))
    found = [(), (), *(corners[:count] for count in (2, 3, 4))]
    if size % 2 and size >= 9:
        centre = point(middle, middle)
        sides = (point(near, middle), point(far, middle), point(middle, near), point(middle, far))
        found += [
            (*corners, centre),
            (*corners, *sides[:2]),
            (*corners, *sides[:2], centre),
            (*corners, *sides),
            (*corners, *sides, centre),
        ]
    return found
