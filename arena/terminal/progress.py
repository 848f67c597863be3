"""The progress of an event on stderr: one line per match in a pipe, a live view in a terminal."""

import sys
from collections.abc import Sequence
from typing import Self

from arena.event.watch.progress import Progress
from arena.results.standings import Table
from arena.results.store import MatchRow
from arena.terminal.output import tell
from arena.terminal.pace import Pace
from arena.terminal.tables import outcome_line
from referee.job import Job


class PlainProgress:
    """Prints each finished match."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def finished(self, match: MatchRow) -> None:
        """Print the outcome."""
        self._pace.finish()
        width = len(str(self._pace.total))
        count = f"[{self._pace.done:>{width}}/{self._pace.total}]"
        self.say("  ".join(part for part in (count, outcome_line(match), self._pace.eta()) if part))

    def expect(self, total: int) -> None:
        """Count to the new total."""
        self._pace.expect(total)

    def running(self, jobs: Sequence[Job]) -> None:
        """Print nothing: a pipe receives facts only."""

    def say(self, line: str) -> None:
        """Print a notice."""
        tell(line)


class Terminal:
    """Prints notices and progress to stderr, whether a terminal or a pipe."""

    def __init__(self) -> None:
        self.link = ""
        """A line to repeat above a live view: the notices before scroll away."""

    def say(self, line: str) -> None:
        """Print a notice."""
        tell(line)

    def follow(self, total: int, done: int, table: Table) -> Progress:
        """Return a live view for a terminal, plain lines for a pipe."""
        pace = Pace(total, done)
        if not sys.stderr.isatty():
            return PlainProgress(pace)
        from arena.terminal.live import LiveProgress  # rich is slow to import

        if self.link:
            self.say(self.link)
        return LiveProgress(pace, table)
