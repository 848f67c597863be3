"""Rules of what leaves a game in messages and records."""

import json
from dataclasses import fields
from typing import Any, Final

import msgpack

from arena.testing.examination import Examination
from protocol.codec import MAX_CALL_BYTES, decode, packed
from protocol.messages import LEGAL_LIMIT_BYTES, parse
from referee.move_codec import MoveCodec
from referee.options import build_game, game_options
from referee.play.move_calls import LEGAL_LIMIT
from referee.rules.values import value_fault, view_fault

LARGEST = 2**53
VIEW_LIMIT_BYTES: Final = MAX_CALL_BYTES // 2
"""Limit of a view; legal moves and the history have the rest of a call."""


def moves_survive_the_wire(exam: Examination) -> None:
    """Moves and true claims are the same after a message and in a record."""
    codec = MoveCodec(exam.game)
    for before, move, after in exam.steps():
        reply: dict[str, Any] = {"type": "play", "id": 1, "move": codec.wire_move(move)}
        truth = exam.game.claims(before, move, after)
        if (exam.game.claims_type is None) != (truth is None):
            raise exam.broken(f"claims_type is {exam.game.claims_type}, the claims are {truth!r}")
        if truth is not None:
            reply["claims"] = codec.wire_claims(truth)
            _check_claims(exam, truth, reply["claims"])
        said = parse(codec.play_model, decode(msgpack.packb(reply)))
        if said.move is None or (read := codec.move(said.move)) != move:
            raise exam.broken(f"a bot's message with this move is read as {read!r}")
        if truth is not None and (said.claims is None or codec.claims(said.claims) != truth):
            raise exam.broken(f"the claims {truth!r} are read as {said.claims!r}")
        kept = json.loads(json.dumps(codec.wire_move(move)))
        if (read := codec.read_move(kept)) != move:
            raise exam.broken(f"a record with this move is read as {read!r}")


def _check_claims(exam: Examination, truth: Any, sent: Any) -> None:
    kind = exam.game.claims_type
    if kind is not None and len(sent) != len(fields(kind)):
        raise exam.broken(f"true claims must set every field of {kind.__name__}, not {sent}")
    if (normal := exam.game.normal_claims(truth)) != truth:
        raise exam.broken(f"the true claims {truth!r} are not in normal form, which is {normal!r}")
    nothing = kind() if kind is not None else None
    if exam.game.normal_claims(nothing) != nothing:
        raise exam.broken("`normal_claims` must leave empty claims as they are")


def views_can_be_sent(exam: Examination) -> None:
    """A view has `turn` and `ply`, and only values that a message allows."""
    for ply, state in _numbered(exam):
        for seat in range(exam.seats):
            view = exam.game.view(state, seat)
            if fault := view_fault(view):
                raise exam.broken(f"`view` for seat {seat} {fault}")
            if (size := len(packed(view))) > VIEW_LIMIT_BYTES:
                raise exam.broken(
                    f"`view` for seat {seat} has {size} bytes; {VIEW_LIMIT_BYTES} fit into a call"
                )
            expected = (exam.game.turn(state), ply)
            if (found := (view.get("turn"), view.get("ply"))) != expected:
                counted = "; `ply` counts moves and draws" if exam.game.has_chance else ""
                raise exam.broken(f"the view has turn and ply {found}, not {expected}{counted}")
            if decode(msgpack.packb({"v": view}), limit=LARGEST)["v"] != _decoded(view):
                raise exam.broken(f"the view for seat {seat} is another after a message")


def _numbered(exam: Examination) -> Any:
    for seed in (1, 1997):
        for ply, (state, _) in enumerate(exam.playout(seed)):
            yield ply, state


def legal_moves_can_be_sent(exam: Examination) -> None:
    """The list of legal moves fits into a message."""
    codec = MoveCodec(exam.game)
    for state in exam.some_positions():
        moves = [codec.wire_move(move) for move in exam.game.legal(state)]
        if moves:
            check_clean(exam, moves, "legal moves")
        size = len(packed(moves))
        if len(moves) >= LEGAL_LIMIT or size >= LEGAL_LIMIT_BYTES:
            raise exam.broken(
                f"{len(moves)} legal moves of {size} bytes; fewer than {LEGAL_LIMIT} moves and"
                f" {LEGAL_LIMIT_BYTES} bytes fit"
            )


def options_can_be_sent(exam: Examination) -> None:
    """The options fit into a message, and make the same game again."""
    options = MoveCodec(exam.game).wire_options
    if not options:
        raise exam.broken("a game needs an option: a field of its class, like `rounds: int = 3`")
    check_clean(exam, options, "options")
    again = build_game(type(exam.game), json.loads(json.dumps(game_options(exam.game))))
    if again != exam.game:
        raise exam.broken(f"the options make {again!r}")


def check_clean(exam: Examination, value: Any, where: str) -> None:
    """Raise BrokenRuleError for a value that messages do not allow."""
    if fault := value_fault(value, where):
        raise exam.broken(fault)


def _decoded(value: Any) -> Any:
    """Return a view as decoded."""
    if isinstance(value, dict):
        return {key: _decoded(item) for key, item in value.items()}
    return tuple(map(_decoded, value)) if isinstance(value, list | tuple) else value


RULES: Final = (
    moves_survive_the_wire,
    views_can_be_sent,
    legal_moves_can_be_sent,
    options_can_be_sent,
)
