"""The application with all its commands."""

from typing import Any

from arena.commands import (
    bots,
    clusters,
    contests,
    games,
    pictures,
    remote,
    results,
    setup,
)
from arena.commands.app import app

__all__ = ["app"]

_MODULES = (contests, games, bots, results, pictures, clusters, remote, setup)
"""The modules of commands, in the order of the help; each adds its commands on import."""


def _module(command: Any) -> int:
    names = [module.__name__ for module in _MODULES]
    return names.index(command.callback.__module__)


# Whatever was imported first:
app.registered_commands.sort(key=_module)
app.registered_groups.sort(key=lambda group: str(group.name))
