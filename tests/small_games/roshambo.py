"""Rock, paper, scissors for two or three: all show a hand at the same time, round after round.

A hand earns a point for each other hand that it beats.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, NotationError, Outcome

HANDS = ("rock", "paper", "scissors")


@dataclass(frozen=True, slots=True)
class Move:
    """A hand."""

    hand: str


class State(NamedTuple):
    """The points, the hands of this round by seat, and those of the round before."""

    points: tuple[int, ...]
    hands: tuple[str, ...]
    shown: tuple[str, ...] = ()
    round: int = 0
    ply: int = 0
    gone: frozenset[Seat] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Roshambo(Game[State, Move]):
    """The rules; the field is the option."""

    name: ClassVar[str] = "roshambo"
    summary: ClassVar[str] = "rock, paper, scissors, all at the same time"
    seats: ClassVar[range] = range(2, 4)
    move_type: ClassVar[type] = Move

    rounds: Annotated[int, Interval(ge=1, le=100)] = 3

    def start(self, seats: int, seed: int) -> State:
        del seed
        return State((0,) * seats, ("",) * seats)

    def turn(self, state: State) -> Seat:
        return next(iter(self._missing(state)), 0)

    def legal(self, state: State) -> Iterator[Move]:
        if self.outcome(state) is None:
            yield from map(Move, HANDS)

    def apply(self, state: State, move: Move) -> State:
        if self.outcome(state) is not None or move.hand not in HANDS:
            raise IllegalMoveError("the game is over, or this is no hand")
        hands = list(state.hands)
        hands[self.turn(state)] = move.hand
        return self._closed(state._replace(hands=tuple(hands), ply=state.ply + 1))

    def is_round_open(self, state: State) -> bool:
        return any(state.hands) and self.outcome(state) is None

    def outcome(self, state: State) -> Outcome | None:
        if len(state.gone) >= len(state.points) - 1:
            return self.adjudicate(state, "the others retired")
        over = state.round == self.rounds
        return self.adjudicate(state, f"{self.rounds} rounds") if over else None

    def retire(self, state: State, seat: Seat) -> State:
        points = list(state.points)
        points[seat] = -1
        gone = state.gone | {seat}
        return self._closed(state._replace(points=tuple(points), gone=gone))

    def adjudicate(self, state: State, reason: str) -> Outcome:
        return Outcome.by_points(state.points, reason)

    def _missing(self, state: State) -> list[Seat]:
        hands = enumerate(state.hands)
        return [seat for seat, hand in hands if not hand and seat not in state.gone]

    def _closed(self, state: State) -> State:
        """Count the round if all have shown their hands."""
        if self._missing(state) or not any(state.hands):
            return state
        points = tuple(
            own + sum(_beats(hand, other) for other in state.hands)
            for own, hand in zip(state.points, state.hands, strict=True)
        )
        hands = ("",) * len(points)
        return state._replace(points=points, hands=hands, shown=state.hands, round=state.round + 1)

    def notation(self, move: Move) -> str:
        return move.hand if move.hand in HANDS else "no hand"

    def parse(self, text: str) -> Move:
        if text not in HANDS:
            raise NotationError(f'"{text}" is not a move: write {", ".join(HANDS)}')
        return Move(text)

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        return {
            "turn": self.turn(state),
            "ply": state.ply,
            "own": state.hands[seat],
            "shown": list(state.shown),
            "points": list(state.points),
        }

    def diagram(self, state: State, seat: Seat | None = None) -> str:
        hidden = self.is_round_open(state)
        hands = [
            "?" if hand and hidden and seat not in (None, number) else hand or "-"
            for number, hand in enumerate(state.hands)
        ]
        return f"{' '.join(hands)} after {' '.join(state.shown) or 'nothing'}"

    def caption(self, state: State, seat: Seat | None = None) -> str:
        del seat
        return f"points: {' '.join(map(str, state.points))}"


def _beats(hand: str, other: str) -> bool:
    return hand in HANDS and other in HANDS and (HANDS.index(hand) - HANDS.index(other)) % 3 == 1
