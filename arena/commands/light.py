"""Commands that need no pydantic for texts and paths.

Typer checks every argument by a pydantic validator, and importing pydantic takes longer than most
commands that show something. Here it checks only those that can be wrong: numbers and choices.
"""

import shutil
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup

_Context: Any = TyperCommand.context_class
_LEAST_USUAL_WIDTH = 50
"""Least width in columns of Typer's own help."""


class _Help(_Context.formatter_class):  # type: ignore[misc]  # a class of Typer, found at run time
    """Help that also fits narrow terminals."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        columns = shutil.get_terminal_size().columns - 2
        if columns < _LEAST_USUAL_WIDTH:
            self.width = columns

    def write_dl(self, rows: Any, col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options and their meanings; long options have a line of their own."""
        if self.width < _LEAST_USUAL_WIDTH:
            col_max = self.width // 3
        super().write_dl(rows, col_max, col_spacing)


class _HelpContext(_Context):  # type: ignore[misc]  # as above
    """A context with this help."""

    formatter_class = _Help


class _Light:
    """A command whose parameters have a `_Converter`."""

    context_class: Any = _HelpContext

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
