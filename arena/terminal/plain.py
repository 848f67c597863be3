"""The progress of an event in a pipe: one line per match, on stderr."""

from collections.abc import Sequence
from typing import Self

from arena.results.store import MatchRow
from arena.terminal.pace import Pace
from arena.terminal.tables import outcome_line
from arena.terminal.tell import tell
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
        self._pace.total = total

    def running(self, jobs: Sequence[Job]) -> None:
        """Print nothing: a pipe receives facts only."""
        del jobs

    def say(self, line: str) -> None:
        """Print a notice."""
        tell(line)
