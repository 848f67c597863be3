"""Commands without pydantic for texts and paths.

Typer checks every argument by a pydantic validator, but importing pydantic takes longer than most
short commands. Here only numbers and choices are checked by pydantic.

With Typer's own validators `arena games` takes 0.31 s of CPU time instead of 0.20 s, and `arena
show` twice as much as here. What this relies on is undocumented: without it, Typer's own are used.
"""

import re
import shutil
from pathlib import Path
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

_Context: Any = TyperCommand.context_class
_LEAST_USUAL_WIDTH = 50
"""Least width in columns of Typer's own help."""
_ARGUMENT = re.compile(r"\{([^} ]+ [^} ]+|[^} ]+\.{3})\}\.{3}|\{([^}]+)\}|(\[[a-z]+\])")
"""An argument in a usage by Typer, like `{bot}`, `{NEW BASE}...` or `[event]`."""
_ROW = re.compile(r"^([^-].*) <.*>$")
"""An argument and its type in the list of arguments, like `bot <str>`."""


class _Help(_Context.formatter_class):  # type: ignore[misc]  # a class of Typer, found at run time
    """Help for narrow terminals too, with arguments in capitals: BOT, and [EVENT] if optional."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        columns = shutil.get_terminal_size().columns - 2
        if columns < _LEAST_USUAL_WIDTH:
            self.width = columns

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """Write the usage."""
        super().write_usage(prog, _ARGUMENT.sub(_capitals, args), prefix)

    def write_dl(self, rows: Any, col_max: int = 30, col_spacing: int = 2) -> None:
        """Write options and their meanings; long options have a line of their own."""
        if self.width < _LEAST_USUAL_WIDTH:
            col_max = self.width // 3
        plain = [(_ROW.sub(_capitals, name.replace(" range>", ">")), text) for name, text in rows]
        super().write_dl(plain, col_max, col_spacing)


def _capitals(argument: re.Match[str]) -> str:
    name: str = argument[argument.lastindex or 0]
    return name.upper() if name.islower() else name


class _HelpContext(_Context):  # type: ignore[misc]  # as above
    """A context with this help."""

    formatter_class = _Help


class _Light:
    """A command whose parameters have a `_Converter`."""

    context_class: Any = _HelpContext

    def get_params(self, ctx: Any) -> list[Any]:
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]  # of TyperCommand
        for parameter in parameters:
            usual = getattr(parameter, "get_runtime_param", None)  # absent without pydantic
            if usual is not None and not isinstance(usual, _Converter):
                parameter.get_runtime_param = _Converter(parameter, usual)
        return parameters


class LightCommand(_Light, TyperCommand):
    """A light command."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse the arguments; where a required one is missing, show an example of the command."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as error:
            examples = [line.strip() for line in (self.epilog or "").splitlines()[2:]]
            if hasattr(error, "param_type") and not error.message and examples:  # it is missing
                error.message = f"For example: {examples[0]}"
            raise


class LightGroup(_Light, TyperGroup):
    """A group of light commands."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command of a line; `help COMMAND` is its help.

        Typer names similar commands, but only by lower case, and knows no `version` or config.
        """
        word, *rest = args
        if self.get_command(ctx, word) is not None:
            return super().resolve_command(ctx, args)
        if word == "help":
            if not rest:
                _print_help(ctx)
            self._check_topic(ctx, rest)
            return super().resolve_command(ctx, [*rest, "--help"])
        if word == "version":
            ctx.fail(f"No such command {word!r}. Did you mean '--version'?")
        if word.lower() in self.commands:
            ctx.fail(f"No such command {word!r}. Did you mean {word.lower()!r}?")
        if word.endswith((".yaml", ".yml")):
            ctx.fail(f"No such command {word!r}. Did you mean {f'tournament {word}'!r}?")
        return super().resolve_command(ctx, args)

    def _check_topic(self, ctx: Any, words: list[str]) -> None:
        """Refuse words of `help` after a command; an unknown command is refused by its group."""
        found: Any = self
        for place, word in enumerate(words):
            if not isinstance(found, LightGroup):
                ctx.fail(f"Got unexpected extra argument(s) ({' '.join(words[place:])})")
            found = found.get_command(ctx, word)
            if found is None:
                return


def _print_help(ctx: Any) -> NoReturn:
    print(ctx.get_help())
    ctx.exit()
    raise AssertionError  # exit does not return


class _Converter:
    """The conversion of one argument, in the place of Typer's own."""

    def __init__(self, parameter: Any, usual: Any) -> None:
        self._kind = parameter.type_descriptor.annotation
        self._usual = usual

    def __call__(self) -> "_Converter":
        return self

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        if self._kind in (str, bool) and isinstance(value, self._kind):
            return value
        if self._kind is Path:
            return Path(value)  # what opens it says what is wrong with it
        return self._usual().coerce(value, param=param, ctx=ctx)
