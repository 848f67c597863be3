"""The application with all its commands."""

# Each of these modules adds its commands on import; the order is the order of the help.
# isort: off
from arena.commands import contests, games, bots, results, pictures, clusters  # noqa: F401
from arena.commands import remote, setup  # noqa: F401
from arena.commands.app import app
# isort: on

__all__ = ["app"]
