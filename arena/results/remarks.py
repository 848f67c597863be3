"""Remarks of bots about their moves, as text: a plan need not be legal, nor a value right."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.results.seen import fields_text
from protocol.messages import Fields
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.move_codec import MoveCodec
from referee.records.calls import Call, Calls
from referee.rules import Game
from referee.rules.layout import Place


@dataclass(frozen=True)
class FollowedPlan:
    """A plan, split where it stops being legal."""

    moves: tuple[Any, ...]
    """The legal moves, as the game's own."""
    places: tuple[tuple[Place, ...], ...]
    """The places of each of them."""
    notations: tuple[str, ...]
    rest: tuple[Fields, ...]
    """The first illegal move and all that follow, as on the wire."""

    @property
    def text(self) -> str:
        """The plan in notation, the rest by its fields."""
        parts = [escaped(notation) for notation in self.notations]
        if self.rest:
            parts.append(f"(not legal: {', '.join(map(fields_text, self.rest))})")
        return " ".join(parts)


def plan_of(game: Game[Any, Any], state: Any, plan: Sequence[Fields]) -> FollowedPlan:
    """Follow a plan from the position after its reply as far as it is legal."""
    codec, moves, places, notations = MoveCodec(game), [], [], []
    for wire in plan:
        try:
            if game.outcome(state) is not None:
                break
            move = game.completed(state, codec.read_move(wire))
            clicked = tuple(game.gesture_in(state, move))
            state, notation = game.apply(state, move), game.notation(move)
        except Exception:  # noqa: BLE001 - no rule has judged these values before
            break
        moves.append(move)
        places.append(clicked)
        notations.append(notation)
    return FollowedPlan(tuple(moves), tuple(places), tuple(notations), tuple(plan[len(moves) :]))


def value_text(value: int) -> str:
    """Return a value with its sign, as in +120."""
    return f"{value:+d}" if value else "0"


def data_text(data: dict[str, int]) -> str:
    """Return figures with their names, as in "depth 7, nodes 12345"."""
    return ", ".join(f"{escaped(name)} {number}" for name, number in data.items())


def remarks_of(game: Game[Any, Any], state: Any, call: Call) -> list[str]:
    """Return the remarks of the reply that led to this position, one text each."""
    parts = []
    if call.value is not None:
        parts.append(f"value {value_text(call.value)}")
    if call.plan:
        parts.append(f"plan {plan_of(game, state, call.plan).text}")
    if call.data:
        parts.append(data_text(call.data))
    if call.note is not None:
        parts.append(f"note: {escaped(call.note)}")
    return parts


def values_text(calls: Calls, seat: Seat) -> str:
    """Return a seat's values of a match in short; empty without any."""
    pairs = zip(calls.column("seat"), calls.column("value"), strict=True)
    values = [value for by, value in pairs if by == seat and value is not None]
    if not values:
        return ""
    found = {"first": values[0], "lowest": min(values), "highest": max(values), "last": values[-1]}
    return ", ".join(f"{name} {value_text(value)}" for name, value in found.items())
