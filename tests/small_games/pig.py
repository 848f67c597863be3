"""Pig: roll the dice as often as you dare; a one loses what the turn has brought.

A die decides who begins. Who holds with `target` points wins, and one more die is added to them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Annotated, ClassVar, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, NotationError, Outcome


@dataclass(frozen=True, slots=True)
class Move:
    """Hold the points of this turn, or roll again."""

    hold: bool


@dataclass(frozen=True, slots=True)
class Die:
    """A die that has fallen."""

    pips: int


class State(NamedTuple):
    """The points; `rolling` dice are due. `turn` is None before the first die."""

    points: tuple[int, int] = (0, 0)
    turn: Seat | None = None
    gained: int = 0
    rolling: int = 1
    ply: int = 0
    loser: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Pig(Game[State, Move | Die]):
    """The rules; the fields are the options."""

    name: ClassVar[str] = "pig"
    summary: ClassVar[str] = "roll as often as you dare; a one loses what the turn has brought"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move
    chance_type: ClassVar[type] = Die

    target: Annotated[int, Interval(ge=1, le=1000)] = 20
    dice: Annotated[int, Interval(ge=1, le=5)] = 2

    def start(self, seats: int, seed: int) -> State:
        del seats, seed
        return State()

    def turn(self, state: State) -> Seat:
        return state.turn or 0

    def legal(self, state: State) -> Iterator[Move]:
        if self.outcome(state) is None and not state.rolling:
            yield from (Move(hold=False), Move(hold=True))

    def draw(self, state: State, stream: Random) -> Die | None:
        return Die(1 + int(6 * stream.random())) if state.rolling else None

    def apply(self, state: State, move: Move | Die) -> State:
        if self.outcome(state) is not None:
            raise IllegalMoveError("the game is over")
        if isinstance(move, Die) != bool(state.rolling):
            raise IllegalMoveError("a die is to fall" if state.rolling else "no die is to fall")
        state = state._replace(ply=state.ply + 1)
        if isinstance(move, Die):
            if not 1 <= move.pips <= 6:
                raise IllegalMoveError(f"a die has no side with {move.pips} pips")
            return self._fallen(state._replace(rolling=state.rolling - 1), move.pips)
        if not move.hold:
            return state._replace(rolling=self.dice)
        points = _add(state.points, self.turn(state), state.gained)
        if max(points) >= self.target:
            return state._replace(points=points, gained=0, rolling=1)
        return state._replace(points=points, gained=0, turn=1 - self.turn(state))

    def _fallen(self, state: State, pips: int) -> State:
        if state.turn is None:
            return state._replace(turn=pips % 2)
        if max(state.points) >= self.target:
            return state._replace(points=_add(state.points, state.turn, pips))
        if pips == 1:
            return state._replace(gained=0, rolling=0, turn=1 - state.turn)
        return state._replace(gained=state.gained + pips)

    def outcome(self, state: State) -> Outcome | None:
        if state.loser is not None:
            return Outcome.by_points(_add((0, 0), 1 - state.loser, 1), "the other retired")
        if max(state.points) < self.target or state.rolling:
            return None
        return self.adjudicate(state, f"{max(state.points)} points")

    def retire(self, state: State, seat: Seat) -> State:
        return state._replace(loser=seat)

    def adjudicate(self, state: State, reason: str) -> Outcome:
        return Outcome.by_points(state.points, reason)

    def notation(self, move: Move | Die) -> str:
        if isinstance(move, Die):
            return f"a {move.pips}"
        return "hold" if move.hold else "roll"

    def parse(self, text: str) -> Move:
        if text not in ("hold", "roll"):
            raise NotationError(f'"{text}" is not a move: write "hold" or "roll"')
        return Move(text == "hold")

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        del seat
        points = list(state.points)
        return {
            "turn": self.turn(state),
            "ply": state.ply,
            "points": points,
            "gained": state.gained,
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        del seat
        return f"{state.points[0]} : {state.points[1]}, this turn {state.gained}"


def _add(points: tuple[int, int], seat: Seat, gained: int) -> tuple[int, int]:
    return (points[0] + gained, points[1]) if seat == 0 else (points[0], points[1] + gained)
