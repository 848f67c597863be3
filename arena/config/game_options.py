"""The options of a game as its class declares them: types, limits, choices and meanings."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Interval

from arena.config.schema import option_docs
from referee.catalog import AnyGame


@dataclass(frozen=True)
class GameOption:
    """One option of a game."""

    name: str
    hint: Any
    """Its type as declared."""
    default: Any
    """Its default; `dataclasses.MISSING` without one."""
    meaning: str
    """Its docstring; empty if the source of the game is not there."""
    type: Any
    """Its type without limits and None; Literal for a choice."""
    choices: tuple[Any, ...] = ()
    least: Any = None
    """Smallest number; None without a limit."""
    most: Any = None


def options_of(cls: type[AnyGame]) -> Sequence[GameOption]:
    """Return the options of a game."""
    hints = get_type_hints(cls, include_extras=True)
    try:
        docs = option_docs(cls)
    except (OSError, SyntaxError, TypeError):
        docs = {}
    return [
        GameOption(
            *(field.name, hints[field.name], field.default, docs.get(field.name, "")),
            *_values(hints[field.name]),
        )
        for field in fields(cls)  # type: ignore[arg-type]  # every game is a dataclass
        if field.init
    ]


def _values(hint: Any) -> tuple[Any, ...]:
    """Return type, choices and limits."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Annotated:
        limits = next((part for part in inside[1:] if isinstance(part, Interval)), Interval())
        return *_values(inside[0])[:2], limits.ge, limits.le
    if origin in (Union, UnionType):
        return _values(next(part for part in inside if part is not NoneType))
    return (Literal, inside) if origin is Literal else (hint, ())
