"""A game's options: the strict model of them, made from the fields of the game's dataclass.

Games stay free of pydantic; configs, the command line and stored jobs all come in through here.
"""

import difflib
import math
from collections.abc import Collection, Mapping
from dataclasses import MISSING, Field, fields
from decimal import Decimal
from functools import cache
from typing import Any, get_type_hints

import pydantic
from pydantic import BaseModel, ConfigDict, ValidationError, create_model
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from referee.catalog import AnyGame, game_class
from referee.rules import OptionError

MAX_SHOWN = 60
"""Length limit, in characters, of a wrong value in an error."""


class Options(BaseModel):
    """Base of the models of `game_model`, with one field per option of a game."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False)


def make_game(name: str, options: Mapping[str, Any]) -> AnyGame:
    """Return the game with these options, defaults for the rest; lists may stand for tuples.

    Raises UnknownGameError, or OptionError for the first wrong option.
    """
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


def did_you_mean(wrong: str, known: Collection[str]) -> str:
    """Return the hint of the known name nearest to a wrong one, or of all of them."""
    if nearest := difflib.get_close_matches(wrong, known, n=1):
        return f'did you mean "{nearest[0]}"?'
    return f"known: {', '.join(known)}" if known else "there are none"


def explain(fault: ErrorDetails) -> str:
    """Return the expected and the actual value as a sentence, like "must be true or false"."""
    context = fault.get("ctx", {})
    if fault["type"] in _CUSTOM:
        return fault["msg"].removeprefix("Value error, ")
    if sentence := _SENTENCES.get(fault["type"]):
        return sentence.format(**context)
    wanted = _WANTED.get(fault["type"])
    if wanted is None:
        return f"{fault['msg'][0].lower()}{fault['msg'][1:]}, not {shown(fault['input'])}"
    words = {key: _in_words(value) for key, value in context.items()}
    return f"must be {wanted.format(**words)}, not {shown(fault['input'])}"


def shown(value: object) -> str:
    """Return a wrong value as short text; its kind if the kind is wrong."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "infinity"
    if isinstance(value, int | float | Decimal):
        return _cut(str(value) if abs(value) < 10**MAX_SHOWN else "a huge number")
    if isinstance(value, str):
        return f"the text {_cut(quoted(value))}"
    return "a map" if isinstance(value, Mapping) else "a list"


def quoted(text: str) -> str:
    """Return a text in double quotes with everything a terminal could act on escaped."""
    inner = "".join(c if c.isprintable() and c not in '"\\' else _escape(c) for c in text)
    return f'"{inner}"'


def _escape(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return character.encode("unicode_escape", "backslashreplace").decode("ascii")


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def _in_words(value: object) -> object:
    if isinstance(value, float):
        return f"{value:g}"
    # pydantic writes 'a', 'b' or 'c'; everything here quotes with double quotes
    return value.replace("'", '"') if isinstance(value, str) else value


_CUSTOM = frozenset({"option", "wrong", "value_error", "assertion_error"})
_SENTENCES = {
    "missing": "is missing",
    "too_short": "must have {min_length} or more items",
    "too_long": "must have {max_length} or fewer items",
}
_WANTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "string_type": "text",
    "none_required": "left out",
    "tuple_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "literal_error": "{expected}",
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "less_than": "less than {lt}",
    "multiple_of": "a multiple of {multiple_of}",
    "string_too_short": "{min_length} characters or more",
    "string_too_long": "{max_length} characters or fewer",
}


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
