"""The moves of a match as a seat may see them, or as a spectator does, who sees all."""

from collections.abc import Mapping
from typing import Any

from protocol.messages import Fields
from protocol.vocabulary import Seat
from protocol.wording import escaped
from referee.move_codec import MoveCodec
from referee.play.history import Played, seen_entry
from referee.records.calls import Call, entry_of
from referee.records.replay import ReplayStep
from referee.rules import Game


def entry_for(game: Game[Any, Any], step: ReplayStep, seat: Seat | None) -> Fields:
    """Return the move or draw of a step as far as a seat may see it; all for a spectator (None)."""
    assert step.call is not None  # noqa: S101 - the first step has none
    entry = entry_of(step.call)
    if seat is None or step.call.seat == seat or not game.has_hidden_information:
        return entry
    if game.is_round_open(step.state):
        return {name: value for name, value in entry.items() if name != "move"}
    return seen_entry(game, entry, Played(step.before, step.move, step.state), seat)


def notation_for(game: Game[Any, Any], entry: Mapping[str, Any]) -> str:
    """Return a move or draw in notation; by its fields if only a part is seen; "" if nothing is."""
    if not (seen := entry.get("move")):
        return ""
    try:
        return game.notation(MoveCodec(game).read_played(entry))
    except Exception:  # noqa: BLE001 - a part of a move is no move
        return fields_text(seen)


def is_remark_for(game: Game[Any, Any], call: Call, seat: Seat | None) -> bool:
    """Whether a seat, or a spectator (None), may read the remarks and claims of a call."""
    return seat is None or call.seat == seat or not game.has_hidden_information


def fields_text(move: Mapping[str, Any]) -> str:
    """Return a move by its fields."""
    return escaped(" ".join(f"{name} {value}" for name, value in move.items()))
