"""The parameters of OpenSpiel's games as options: their names, types, bounds and defaults."""

import keyword
from collections.abc import Iterator
from dataclasses import Field, field
from functools import cache
from typing import Annotated, Any, Final

from annotated_types import Len

from referee.open_spiel.library import COUNTS, SEED, game_types
from referee.rules import Game, Interval

LARGEST_NUMBER: Final = 1_000_000
"""Limit of a number, above zero and below."""
LONGEST: Final = 2_000
"""Limit of a text in characters."""
_FILES: Final = ("instances_file", "boards_file", "puzzles_root", "word_list_file", "filename")
"""Parameters with the name of a file, never an option: a config may come from a stranger."""
_FIXED: Final = {"ansi_color_output": False}
"""Parameters without a choice, and their values here."""
_NAMES: Final = {"50_move_rule": "fifty_move_rule"}
"""Options that cannot have the name of their parameter."""
_TYPES: Final[dict[type, Any]] = {
    bool: bool,
    int: Annotated[int, Interval(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)],
    float: Annotated[float, Interval(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)],
    str: Annotated[str, Len(0, LONGEST)],
}


def option_fields(name: str) -> Iterator[tuple[str, Any, Field[Any]]]:
    """Yield the name, type and field of each option of a game, as `make_dataclass` takes them."""
    specification = game_types()[name].parameter_specification
    for option, parameter in options_of(name).items():
        default = specification[parameter]
        yield option, _TYPES[type(default)], field(default=default)


@cache
def options_of(name: str) -> dict[str, str]:
    """Return the parameters offered as options, by the names of the options."""
    specification = game_types()[name].parameter_specification
    left_out = {*COUNTS, SEED, *_FILES, *_FIXED}
    return {
        _option(parameter): parameter
        for parameter in sorted(specification)
        if parameter not in left_out and type(specification[parameter]) in _TYPES
    }


def changed(name: str, options: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the parameters different from OpenSpiel's defaults, for `load`."""
    specification = game_types()[name].parameter_specification
    values = {parameter: options[option] for option, parameter in options_of(name).items()}
    values |= {
        parameter: value for parameter, value in _FIXED.items() if parameter in specification
    }
    return tuple(
        (parameter, value)
        for parameter, value in sorted(values.items())
        if value != specification[parameter]
    )


def _option(parameter: str) -> str:
    name = _NAMES.get(parameter, parameter)
    return f"{name}_" if keyword.iskeyword(name) or hasattr(Game, name) else name
