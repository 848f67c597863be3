"""Phantom noughts and crosses: three in a row, on a board where each sees only its own marks.

A move to a taken cell fails: the player learns of the mark there and moves again. Nobody learns
where the other has moved.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, NotationError, Outcome
from referee.rules.layout import Layout, Piece, Place

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Move:
    """A cell, from 0 in reading order."""

    cell: int


class State(NamedTuple):
    """The marks by cell, and the cells whose marks each seat knows."""

    marks: tuple[int, ...]
    known: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
    turn: Seat = 0
    ply: int = 0
    loser: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Phantom(Game[State, Move]):
    """The rules; the field is the option."""

    name: ClassVar[str] = "phantom"
    summary: ClassVar[str] = "noughts and crosses without seeing the other's marks"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move

    size: Annotated[int, Interval(ge=3, le=5)] = 3

    def start(self, seats: int, seed: int) -> State:
        del seats, seed
        return State((NOBODY,) * self.size**2)

    def turn(self, state: State) -> Seat:
        return state.turn

    def legal(self, state: State) -> Iterator[Move]:
        if self.outcome(state) is None:
            known = state.known[state.turn]
            yield from (Move(cell) for cell in range(len(state.marks)) if cell not in known)

    def apply(self, state: State, move: Move) -> State:
        if move not in set(self.legal(state)):
            raise IllegalMoveError(f"cell {move.cell} is no cell, or known to be taken")
        known = list(state.known)
        known[state.turn] |= {move.cell}
        after = state._replace(known=(known[0], known[1]), ply=state.ply + 1)
        if state.marks[move.cell] != NOBODY:
            return after
        marks = list(state.marks)
        marks[move.cell] = state.turn
        return after._replace(marks=tuple(marks), turn=1 - state.turn)

    def seen(self, before: State, move: Move, after: State, seat: Seat) -> None:
        del before, move, after, seat

    def outcome(self, state: State) -> Outcome | None:
        if state.loser is not None:
            return _won_by(1 - state.loser, "the other retired")
        for line in self._lines():
            if len(owners := {state.marks[cell] for cell in line}) == 1 and owners != {NOBODY}:
                return _won_by(owners.pop(), f"{self.size} in a row")
        return None if NOBODY in state.marks else self.adjudicate(state, "the board is full")

    def _lines(self) -> Iterator[range]:
        size = self.size
        for number in range(size):
            yield range(number * size, number * size + size)
            yield range(number, size * size, size)
        yield range(0, size * size, size + 1)
        yield range(size - 1, size * size - 1, size - 1)

    def retire(self, state: State, seat: Seat) -> State:
        return state._replace(loser=seat)

    def adjudicate(self, state: State, reason: str) -> Outcome:
        del state
        return Outcome.by_points((0, 0), reason)

    def notation(self, move: Move) -> str:
        return str(move.cell)

    def parse(self, text: str) -> Move:
        if not (text.isdecimal() and text.isascii() and len(text) < 4):
            raise NotationError(f'"{text}" is not a move: write the number of a cell, like "4"')
        return Move(int(text))

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        board = self._board(state, seat)
        rows = [board[at : at + self.size] for at in range(0, len(board), self.size)]
        return {"turn": state.turn, "ply": state.ply, "board": rows}

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        board = self._board(state, seat)
        rows = (board[at : at + self.size] for at in range(0, len(board), self.size))
        return "\n".join(" ".join(row) for row in rows)

    def layout(self, seats: int) -> Layout:
        del seats
        cells = tuple(map(str, range(self.size**2)))
        return Layout(kind="cells", rows=self.size, cols=self.size, names=cells)

    def pieces(self, state: State, seat: Seat | None) -> Mapping[Place, Piece]:
        board = self._board(state, seat)
        return {
            cell: Piece(seat="XO".index(mark), text=mark)
            for cell, mark in enumerate(board)
            if mark != "."
        }

    def gesture(self, move: Move) -> tuple[Place]:
        return (move.cell,)

    def _board(self, state: State, seat: Seat | None) -> str:
        known = range(len(state.marks)) if seat is None else state.known[seat]
        marks = enumerate(state.marks)
        return "".join("XO."[mark] if cell in known else "." for cell, mark in marks)


def _won_by(seat: Seat, reason: str) -> Outcome:
    return Outcome.by_points((1, 0) if seat == 0 else (0, 1), reason)
