"""A game's options: a strict model of its dataclass, so that games stay free of pydantic."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from decimal import Decimal
from functools import cache
from typing import Any, get_type_hints

import pydantic
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from protocol.explaining import explain
from protocol.wording import did_you_mean
from referee.catalog import AnyGame, game_class
from referee.rules import OptionError


class Options(BaseModel):
    """Base of the models of `game_model`, with one field per option of a game."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


def make_game(name: str, options: Mapping[str, Any]) -> AnyGame:
    """Return the game with these options; raises UnknownGameError or OptionError."""
    cls = game_class(name)
    try:
        return build_game(cls, options)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        option = str(fault["loc"][0]) if fault["loc"] else ""
        raise OptionError(option, option_fault(cls, fault)) from None


def build_game(cls: type[AnyGame], options: Mapping[str, Any]) -> AnyGame:
    """Return the game with these options; raises one ValidationError for all wrong options."""
    model = game_model(cls).model_validate(_as_fields(dict(options)))
    try:
        return cls(**{name: getattr(model, name) for name in model.model_fields_set})
    except OptionError as error:
        fault = InitErrorDetails(
            type=PydanticCustomError("option", "{detail}", {"detail": error.detail}),
            loc=(error.option,) if error.option else (),
            input=options.get(error.option),
        )
        raise ValidationError.from_exception_data(cls.__name__, [fault]) from None


@cache
def game_model(cls: type[AnyGame]) -> type[Options]:
    """Return the strict, frozen model of a game's options, in the order of its fields."""
    hints = get_type_hints(cls, include_extras=True)
    made: dict[str, Any] = {
        field.name: (hints[field.name], _model_field(field)) for field in _fields(cls)
    }
    doc = f"Options of {cls.name}."
    return create_model(f"{cls.__name__}Options", __base__=Options, __doc__=doc, **made)


def game_options(game: AnyGame) -> dict[str, Any]:
    """Return all options of a game as JSON has them: tuples as lists."""
    return {field.name: _lists(getattr(game, field.name)) for field in _fields(game)}


def option_fault(cls: type[AnyGame], fault: ErrorDetails) -> str:
    """Return the sentence for a validation error of an option."""
    option = str(fault["loc"][0]) if fault["loc"] else ""
    if fault["type"] == "extra_forbidden":
        known = list(game_model(cls).model_fields)
        return f'{cls.name} has no option "{option}"; {did_you_mean(option, known)}'
    joint = ":" if fault["type"] == "option" else ""
    return f"{option}{joint} {explain(fault)}"


def _fields(game: Any) -> list[Field[Any]]:
    return [field for field in fields(game) if field.init]


def _model_field(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return pydantic.Field(default_factory=field.default_factory)
    return pydantic.Field(... if field.default is MISSING else field.default)


def _as_fields(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_fields(item) for key, item in value.items()}
    if isinstance(value, Decimal):
        return float(value)
    return tuple(_as_fields(item) for item in value) if isinstance(value, list | tuple) else value


def _lists(value: Any) -> Any:
    return [_lists(item) for item in value] if isinstance(value, list | tuple) else value
