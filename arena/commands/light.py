"""Commands that need no pydantic for texts and paths.

Typer checks every argument by a pydantic validator, and importing pydantic takes longer than most
commands that show something. Here it checks only those that can be wrong: numbers and choices.
"""

from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup


class _Light:
    """A command whose parameters have a `_Converter`."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters of the command."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of TyperCommand
        for parameter in parameters:
            usual = getattr(parameter, "get_runtime_param", None)  # absent without pydantic
            if usual is not None and not isinstance(usual, _Converter):
                parameter.get_runtime_param = _Converter(parameter, usual)
        return parameters


class LightCommand(_Light, TyperCommand):
    """A light command."""


class LightGroup(_Light, TyperGroup):
    """A group of light commands."""


class _Converter:
    """The conversion of one argument, in the place of Typer's own."""

    def __init__(self, parameter: Any, usual: Any) -> None:
        self._kind = parameter.type_descriptor.annotation
        self._usual = usual

    def __call__(self) -> "_Converter":
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value for the command."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if self._kind in (str, bool) and isinstance(value, self._kind):
            return value
        if self._kind is Path:
            return Path(value)  # what opens it says what is wrong with it
        return self._usual().coerce(value, param=param, ctx=ctx)
