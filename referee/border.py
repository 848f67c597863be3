"""The border between the wire and the rules: strict models made from a game's own dataclasses.

Rules stay free of pydantic; whatever crosses here has the right types, and only its values are left
for the rules to judge.
"""

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any, get_type_hints

from pydantic import Field, create_model

from protocol.codec import packed
from protocol.messages import Message, Play
from protocol.vocabulary import Wire
from referee.rules import Game

MAX_PACKED = 1 << 14
"""Moves in the cache of packed moves; a full cache is emptied."""


def wire_name(field: str) -> str:
    """Return the wire name of a field: `from_` is `from`, a keyword in Python."""
    return field.removesuffix("_")


class Border:
    """Translates the moves and claims of one game."""

    def __init__(self, game: Game[Any, Any]) -> None:
        self._move_type = game.move_type
        self._claims_type = game.claims_type
        self._move_fields = [
            (field.name, wire_name(field.name)) for field in fields(game.move_type)
        ]
        self._values = attrgetter(*(name for name, _ in self._move_fields))
        self._packed: dict[Any, bytes] = {}
        claims_type: type = game.claims_type or type(None)
        self.play_model = _play_model(game.move_type, claims_type)
        """The model of a `play` reply in this game."""
        options = fields(game)  # type: ignore[arg-type]  # every game is a dataclass
        self._options = {field.name: getattr(game, field.name) for field in options}

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

    def packed_moves(self, moves: Iterable[Any]) -> list[bytes]:
        """Return the packed bytes of each move.

        They are cached: the legal moves of a match are many and largely the same each turn.
        """
        known, moves = self._packed, tuple(moves)
        values = tuple(map(self._values, moves))  # much faster keys than the moves themselves
        try:
            return [known[value] for value in values]
        except KeyError:
            if len(known) > MAX_PACKED:
                known.clear()
            for value, move in zip(values, moves, strict=True):
                if value not in known:
                    known[value] = packed(self.wire_move(move))
            return [known[value] for value in values]

    def wire_claims(self, claims: Any) -> dict[str, Wire]:
        """Return claims as in a message, without the absent ones."""
        values = {wire_name(field.name): getattr(claims, field.name) for field in fields(claims)}
        return {name: value for name, value in values.items() if value is not None}

    def wire_options(self) -> dict[str, Wire]:
        """Return the game's options as they stand in `init`: fractions as text decimals."""
        return {
            name: str(value) if isinstance(value, float) else value
            for name, value in self._options.items()
        }

    def read_move(self, wire: dict[str, Any]) -> Any:
        """Return the rules' move for a trusted move, as from a record."""
        return self._move_type(*(_tuples(wire[name]) for _, name in self._move_fields))


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
    for field in fields(source):
        needed = field.default is field.default_factory  # both are MISSING
        default = ... if needed else field.default
        made[field.name] = (hints[field.name], Field(default, alias=wire_name(field.name)))
    build: Callable[..., type[Message]] = create_model
    return build(source.__qualname__, __base__=Message, **made)


def _tuples(value: Any) -> Any:
    return tuple(_tuples(item) for item in value) if isinstance(value, list) else value
