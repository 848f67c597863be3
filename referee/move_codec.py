"""Moves and claims between the wire and the rules, by strict models made from a game's dataclasses.

Rules stay free of pydantic: they receive the right types and judge only the values.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache, lru_cache
from typing import Any, get_type_hints

from pydantic import Field, create_model

from protocol.codec import packed
from protocol.messages import Message, Play
from protocol.vocabulary import Wire
from referee.rules import Game, move_fields, wire_name


@lru_cache(maxsize=8)
def codec_of(game: Game[Any, Any]) -> "MoveCodec":
    """Return the codec of a game, the same one in each of its matches."""
    return MoveCodec(game)


@dataclass(frozen=True, slots=True)
class MoveForms:
    """A move in its other forms."""

    wire: dict[str, Wire]
    notation: str
    packed: bytes


@dataclass(slots=True)
class MoveReply:
    """A reply to `move` in the game's own types."""

    move: Any
    claims: Any = None
    resign: bool | None = None
    done: bool | None = None
    remarks: dict[str, Any] = field(default_factory=dict)
    """Remarks about the move for the record, never judged: fields of `Call` by name."""
    forms: MoveForms | None = None
    """The move in its other forms, once `MoveCodec.forms` was asked for them."""


class MoveCodec:
    """Translates the moves and claims of one game."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self._game = game
        self._move_type = game.move_type
        self._claims_type = game.claims_type
        self._move_fields = [
            (field.name, wire_name(field.name)) for field in fields(game.move_type)
        ]
        claims_type: type = game.claims_type or type(None)
        self.play_model = _play_model(game.move_type, claims_type)
        """The model of a `play` reply in this game."""
        options = fields(game)  # type: ignore[arg-type]  # every game is a dataclass
        values = {field.name: getattr(game, field.name) for field in options}
        self.wire_options: dict[str, Wire] = {
            name: str(value) if isinstance(value, float) else value
            for name, value in values.items()
        }
        """The game's options as they stand in `init`: fractions as text decimals."""

    def forms(self, reply: MoveReply) -> MoveForms:
        """Return the other forms of the move of a reply."""
        if reply.forms is None:
            wire = self.wire_move(reply.move)
            reply.forms = MoveForms(wire, self._game.notation(reply.move), packed(wire))
        return reply.forms

    def to_reply(self, reply: Play[Any, Any]) -> MoveReply:
        """Return a reply off the wire in the game's own types."""
        return MoveReply(
            move=None if reply.move is None else self.move(reply.move),
            claims=None if reply.claims is None else self.claims(reply.claims),
            resign=reply.resign,
            done=reply.done,
            remarks=self._remarks(reply),
        )

    def _remarks(self, reply: Play[Any, Any]) -> dict[str, Any]:
        plan = [self.wire_move(self.move(move)) for move in reply.plan or ()]
        remarks = {
            "note": reply.note,
            "value": reply.value,
            "plan": plan or None,
            "data": reply.data,
        }
        return {name: value for name, value in remarks.items() if value is not None}

    def move(self, model: Message) -> Any:
        """Return the rules' move for a move off the wire."""
        return self._move_type(*model.__dict__.values())

    def claims(self, model: Message) -> Any:
        """Return the rules' claims for claims off the wire."""
        if self._claims_type is None:
            raise TypeError("a game without claims has none to translate")
        return self._claims_type(*model.__dict__.values())

    def wire_move(self, move: Any) -> dict[str, Wire]:
        """Return a move as in a message."""
        return {wire: getattr(move, name) for name, wire in self._move_fields}

    def wire_claims(self, claims: Any) -> dict[str, Wire]:
        """Return claims as in a message, without the absent ones."""
        values = {wire_name(field.name): getattr(claims, field.name) for field in fields(claims)}
        return {name: value for name, value in values.items() if value is not None}

    def draw_forms(self, draw: Any) -> MoveForms:
        """Return the other forms of a draw."""
        wire = move_fields(draw)
        return MoveForms(wire, self._game.notation(draw), packed(wire))

    def read_move(self, wire: dict[str, Any]) -> Any:
        """Return the rules' move for a trusted move, as from a record."""
        return self._move_type(*(_tuples(wire[name]) for _, name in self._move_fields))

    def read_played(self, entry: Mapping[str, Any]) -> Any:
        """Return the move or draw of a trusted entry of a history, as from a record."""
        wire = entry["move"]
        if not entry.get("chance"):
            return self.read_move(wire)
        if (kind := self._game.chance_type) is None:
            raise TypeError(f"{self._game.name} has no draws")
        return kind(*(_tuples(wire[wire_name(each.name)]) for each in fields(kind)))


@cache
def _play_model(move_type: type, claims_type: type) -> type[Play[Any, Any]]:
    moves = _strict_model(move_type)
    claims = claims_type if claims_type is type(None) else _strict_model(claims_type)
    model = Play[moves, claims]  # type: ignore[valid-type]  # made at run time
    model.model_rebuild()  # now, not when a bot has moved
    return model


def _strict_model(source: type) -> type[Message]:
    hints = get_type_hints(source, include_extras=True)
    made: dict[str, Any] = {}
    for each in fields(source):
        needed = each.default is each.default_factory  # both are MISSING
        default = ... if needed else each.default
        made[each.name] = (hints[each.name], Field(default, alias=wire_name(each.name)))
    build: Callable[..., type[Message]] = create_model
    return build(source.__qualname__, __base__=Message, **made)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
