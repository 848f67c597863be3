"""Ships: hide one of two cells on a line, then shoot at the other's; a shooter sees its hits."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, NamedTuple

from protocol.vocabulary import Seat, Wire
from referee.rules import Game, IllegalMoveError, Interval, Outcome

UNPLACED = -2


@dataclass(frozen=True, slots=True)
class Move:
    """A cell: the first of the own ship, and then the one to shoot at."""

    cell: int


class State(NamedTuple):
    """The first cell of each ship, and the shots of each seat."""

    ships: tuple[int, int] = (UNPLACED, UNPLACED)
    shots: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    ply: int = 0
    loser: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Ships(Game[State, Move]):
    """The rules; the field is the option."""

    name: ClassVar[str] = "ships"
    summary: ClassVar[str] = "hide a ship, and shoot at the other's"
    seats: ClassVar[range] = range(2, 3)
    move_type: ClassVar[type] = Move

    size: Annotated[int, Interval(ge=3, le=50)] = 12

    def start(self, seats: int, seed: int) -> State:
        del seats, seed
        return State()

    def turn(self, state: State) -> Seat:
        return state.ply % 2

    def legal(self, state: State) -> Iterator[Move]:
        if self.outcome(state) is not None:
            return
        cells = range(self.size - 1 if state.ply < 2 else self.size)
        yield from (Move(cell) for cell in cells if cell not in state.shots[self.turn(state)])

    def apply(self, state: State, move: Move) -> State:
        if move not in set(self.legal(state)):
            raise IllegalMoveError("no cell, one shot at before, or the game is over")
        seat, after = self.turn(state), state._replace(ply=state.ply + 1)
        if state.ply < 2:
            ships = list(state.ships)
            ships[seat] = move.cell
            return after._replace(ships=(ships[0], ships[1]))
        shots = list(state.shots)
        shots[seat] += (move.cell,)
        return after._replace(shots=(shots[0], shots[1]))

    def seen(self, before: State, move: Move, after: State, seat: Seat) -> dict[str, Wire] | None:
        del after, seat
        return None if before.ply < 2 else {"cell": move.cell}

    def outcome(self, state: State) -> Outcome | None:
        sunk = [seat for seat in (0, 1) if len(_hits(state, 1 - seat)) == 2]
        if state.loser is not None:
            sunk = [state.loser]
        if not sunk:
            return None
        return Outcome.by_points((0, 1) if sunk == [0] else (1, 0), "the other's ship has sunk")

    def retire(self, state: State, seat: Seat) -> State:
        return state._replace(loser=seat)

    def view(self, state: State, seat: Seat) -> dict[str, Wire]:
        return {
            "turn": self.turn(state),
            "ply": state.ply,
            "ship": state.ships[seat],
            "hits": list(_hits(state, seat)),
            "shots": [list(shots) for shots in state.shots],
        }


def _hits(state: State, seat: Seat) -> list[int]:
    first = state.ships[1 - seat]
    return [cell for cell in state.shots[seat] if cell in (first, first + 1)]
