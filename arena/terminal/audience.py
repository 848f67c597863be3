"""The terminal as the audience of an event."""

import sys

from arena.event.progress import Progress
from arena.results.standings import Table
from arena.terminal.output import tell
from arena.terminal.plain import Pace, PlainProgress


class Terminal:
    """Prints notices and progress to stderr, whether a terminal or a pipe."""

    def say(self, line: str) -> None:
        """Print a notice."""
        tell(line)

    def follow(self, total: int, done: int, table: Table) -> Progress:
        """Return a live view for a terminal, plain lines for a pipe."""
        pace = Pace(total, done)
        if not sys.stderr.isatty():
            return PlainProgress(pace)
        from arena.terminal.live import LiveProgress  # rich is slow to import

        return LiveProgress(pace, table)
