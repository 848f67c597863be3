"""Liar's dice for two or three: bid on all dice, seeing only your own, or doubt the last bid.

A bid says how many dice show a face at least; it must be higher than the last. After a doubt all
dice are shown, the bidder or the doubter loses a die, and all roll again.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, ClassVar, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, Outcome, move_fields

FACES = 6


@dataclass(frozen=True, slots=True)
class Move:
    """A bid names a number of dice and a face; a bid of zero dice is a doubt."""

    count: int
    face: int


@dataclass(frozen=True, slots=True)
class Roll:
    """The dice of a seat."""

    seat: Seat
    dice: tuple[int, ...]


class State(NamedTuple):
    """The dice by seat, those to be rolled, the last bid, and the dice of the round before."""

    counts: tuple[int, ...]
    dice: tuple[tuple[int, ...], ...]
    turn: Seat = 0
    bid: Move = Move(0, 0)
    shown: tuple[tuple[int, ...], ...] = ()
    ply: int = 0
    gone: frozenset[Seat] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Liars(Game[State, Move | Roll]):
    """The rules; the field is the option."""

    name: ClassVar[str] = "liars"
    summary: ClassVar[str] = "bid on all dice, seeing only your own"
    seats: ClassVar[range] = range(2, 4)
    move_type: ClassVar[type] = Move
    chance_type: ClassVar[type] = Roll

    dice: Annotated[int, Interval(ge=1, le=5)] = 3

    def start(self, seats: int, seed: int) -> State:
        del seed
        return State((self.dice,) * seats, ((),) * seats)

    def turn(self, state: State) -> Seat:
        return state.turn

    def draw(self, state: State, stream: Random) -> Roll | None:
        if (seat := _unrolled(state)) is None:
            return None
        dice = [1 + int(FACES * stream.random()) for _ in range(state.counts[seat])]
        return Roll(seat, tuple(dice))

    def legal(self, state: State) -> Iterator[Move]:
        if self.outcome(state) is not None or _unrolled(state) is not None:
            return
        if state.bid.count:
            yield Move(0, 0)
        for count in range(1, sum(state.counts) + 1):
            for face in range(1, FACES + 1):
                if (count, face) > (state.bid.count, state.bid.face):
                    yield Move(count, face)

    def apply(self, state: State, move: Move | Roll) -> State:
        if isinstance(move, Roll):
            return self._rolled(state, move)
        if not self._is_legal(state, move):
            raise IllegalMoveError("not a higher bid, or nothing to doubt")
        after = state._replace(ply=state.ply + 1)
        if move.count:
            return after._replace(bid=move, turn=_next(state, state.turn))
        face = state.bid.face
        is_true = sum(dice.count(face) for dice in state.dice) >= state.bid.count
        loser = state.turn if is_true else _last(state)
        return self._without(after._replace(shown=state.dice), loser)

    def _is_legal(self, state: State, move: Move) -> bool:
        if self.outcome(state) is not None or _unrolled(state) is not None:
            return False
        if move == Move(0, 0):
            return bool(state.bid.count)
        is_higher = (move.count, move.face) > (state.bid.count, state.bid.face)
        return is_higher and 1 <= move.count <= sum(state.counts) and 1 <= move.face <= FACES

    def _rolled(self, state: State, roll: Roll) -> State:
        if self.outcome(state) is not None or roll.seat != _unrolled(state):
            raise IllegalMoveError("no dice of this seat are to be rolled")
        if len(roll.dice) != state.counts[roll.seat] or not set(roll.dice) <= set(range(1, 7)):
            raise IllegalMoveError("other dice are to be rolled")
        dice = list(state.dice)
        dice[roll.seat] = roll.dice
        return state._replace(dice=tuple(dice), ply=state.ply + 1)

    def _without(self, state: State, loser: Seat) -> State:
        counts = list(state.counts)
        counts[loser] -= 1
        after = state._replace(counts=tuple(counts), dice=((),) * len(counts), bid=Move(0, 0))
        return after._replace(turn=loser if counts[loser] else _next(after, loser))

    def seen(self, before: State, move: Any, after: State, seat: Seat) -> dict[str, Wire]:
        del before, after
        if isinstance(move, Roll) and move.seat != seat:
            return {"seat": move.seat, "count": len(move.dice)}
        return move_fields(move)

    def outcome(self, state: State) -> Outcome | None:
        if sum(map(bool, state.counts)) > 1:
            return None
        return self.adjudicate(state, "the last with dice")

    def retire(self, state: State, seat: Seat) -> State:
        counts, dice = list(state.counts), list(state.dice)
        counts[seat], dice[seat] = 0, ()
        after = state._replace(
            counts=tuple(counts), dice=tuple(dice), gone=state.gone | {seat}, bid=Move(0, 0)
        )
        return after._replace(turn=_next(after, seat)) if state.turn == seat else after

    def adjudicate(self, state: State, reason: str) -> Outcome:
        points = [-1 if seat in state.gone else count for seat, count in enumerate(state.counts)]
        return Outcome.by_points(tuple(points), reason)

    def notation(self, move: Move | Roll) -> str:
        if isinstance(move, Roll):
            return f"seat {move.seat} rolls {' '.join(map(str, move.dice))}"
        return super().notation(move)

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        return {
            "turn": state.turn,
            "ply": state.ply,
            "dice": list(state.dice[seat]),
            "counts": list(state.counts),
            "bid": [state.bid.count, state.bid.face],
            "shown": [list(dice) for dice in state.shown],
        }


def _unrolled(state: State) -> Seat | None:
    pairs = enumerate(zip(state.counts, state.dice, strict=True))
    return next((seat for seat, (count, dice) in pairs if count and not dice), None)


def _next(state: State, seat: Seat) -> Seat:
    seats = len(state.counts)
    order = ((seat + step) % seats for step in range(1, seats))
    return next((other for other in order if state.counts[other]), seat)


def _last(state: State) -> Seat:
    """Return the seat that has made the last bid."""
    seats = len(state.counts)
    order = ((state.turn - step) % seats for step in range(1, seats))
    return next((other for other in order if state.counts[other]), state.turn)
