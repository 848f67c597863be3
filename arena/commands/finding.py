"""The application with the commands that a command line needs."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

import typer

from arena.commands.app import app

MODULES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("tournament", "match", "gate", "merge"), "contests"),
    **dict.fromkeys(("play", "count", "games"), "games"),
    **dict.fromkeys(("init", "check", "bots"), "bots"),
    **dict.fromkeys(("show", "rate", "replay", "export"), "results"),
}
"""Module of each frequent command; all others are found by loading every command."""


def application(words: Sequence[str]) -> typer.Typer:
    """Return the application with the command that `words` begin with, or with all commands."""
    if (module := MODULES.get(words[0] if words else "")) is None:
        from arena.commands import every

        return every.app
    for name in (module, "setup"):
        import_module(f"arena.commands.{name}")
    return app
