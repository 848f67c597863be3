"""The application with the commands that a command line needs.

With all commands loaded, `arena games` and `arena show` take 15 % more CPU time.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

import typer

from arena.commands.app import app

MODULES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("tournament", "match", "gate", "merge", "plan"), "events"),
    "tune": "tunes",
    **dict.fromkeys(("play", "count", "games"), "games"),
    **dict.fromkeys(("init", "check", "bots"), "bots"),
    **dict.fromkeys(("show", "rate", "replay", "export", "close"), "results"),
}
"""Module of each frequent command; all others are found by loading every command."""
_ORDER = (
    *("events", "tunes", "games", "bots", "results", "pages"),
    *("league", "clusters", "remote", "setup"),
)
"""All modules of commands, in the order of the help."""


def application(words: Sequence[str] = ()) -> typer.Typer:
    """Return the application with the command that `words` begin with, or with all commands."""
    module = MODULES.get(words[0] if words else "")
    for name in _ORDER if module is None else (module, "setup"):
        import_module(f"arena.commands.{name}")  # each adds its commands
    app.registered_commands.sort(key=_place)  # whatever was imported first
    app.registered_groups.sort(key=lambda group: str(group.name))
    return app


def _place(command: Any) -> int:
    return _ORDER.index(command.callback.__module__.rpartition(".")[2])
