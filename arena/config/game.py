"""The key `game` of a config: the name of a game and its options, read as the game itself."""

from collections.abc import Mapping
from typing import Annotated, TypeAlias

from pydantic import PlainSerializer, PlainValidator, ValidationError, WithJsonSchema
from pydantic_core import InitErrorDetails, PydanticCustomError

from arena.reading.fields import objection, wrong
from protocol.wording import value_text
from referee.catalog import AnyGame, BrokenGameError, UnknownGameError, game_class
from referee.options import build_game, game_options


def _read(value: object) -> AnyGame:
    """Return the game; errors of its options keep their location."""
    if not isinstance(value, Mapping):
        raise wrong(f"must be a map, like {{name: pente}}, not {value_text(value)}")
    options = dict(value)
    if "name" not in options:
        raise _fault_at("name", "missing", None)
    name = options.pop("name")
    if not isinstance(name, str):
        raise _fault_at("name", "string_type", name)
    try:
        return build_game(game_class(name), options)
    except (UnknownGameError, BrokenGameError) as error:
        raise _fault_at("name", objection(str(error)), name) from None


def _fault_at(key: str, kind: str | PydanticCustomError, value: object) -> ValidationError:
    fault = InitErrorDetails(type=kind, loc=(key,), input=value)
    return ValidationError.from_exception_data("game", [fault])


ChosenGame: TypeAlias = Annotated[
    AnyGame,
    PlainValidator(_read),
    PlainSerializer(lambda game: {"name": game.name, **game_options(game)}),
    WithJsonSchema({"type": "object"}),
]
"""A game with its options."""
