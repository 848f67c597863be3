"""The live view of an event, imported only for a terminal since rich is slow to import."""

import sys
from collections import deque
from collections.abc import Sequence
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from arena.results.standings import Table
from arena.results.store import MatchRow
from arena.streams import lasting
from arena.terminal.pace import Pace
from arena.terminal.tables import outcome_line, standings_text
from referee.job import Job

SHOWN_ROWS = 12
SHOWN_RESULTS = 5
REFRESH_S = 0.25


class LiveProgress:
    """A bar, the standings so far, the last results and the running matches, redrawn in place."""

    def __init__(self, pace: Pace, table: Table) -> None:
        self._pace = pace
        self._table = table
        self._jobs: Sequence[Job] = ()
        self._last: deque[str] = deque(maxlen=SHOWN_RESULTS)
        console = Console(file=lasting(sys.stderr))
        self._live = Live(console=console, refresh_per_second=1 / REFRESH_S, transient=True)

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def finished(self, match: MatchRow) -> None:
        """Count the match, and print its outcome if a player had a fault."""
        self._pace.finish()
        self._last.append(outcome_line(match))
        if match.has_fault:
            self.say(outcome_line(match))

    def expect(self, total: int) -> None:
        """Count to the new total."""
        self._pace.expect(total)

    def running(self, jobs: Sequence[Job]) -> None:
        """Redraw the live view."""
        self._jobs = jobs
        self._live.update(self._view())

    def say(self, line: str) -> None:
        """Print the line above the live view."""
        self._live.console.print(line, markup=False, highlight=False)

    def _view(self) -> RenderableType:
        bar = Grid.grid(padding=(0, 1))
        bar.add_row(
            ProgressBar(total=self._pace.total, completed=self._pace.done, width=40),
            f"{self._pace.done}/{self._pace.total} matches",
            self._pace.eta(),
        )
        now = [f"  now: {' - '.join(job.names())}" for job in self._jobs]
        width, height = self._live.console.size
        standings = standings_text(self._table, SHOWN_ROWS, width=width)
        room = max(0, height - 2 - standings.count("\n") - 1 - len(now))
        last = [f"  {line}" for line in self._last][max(0, len(self._last) - room) :]
        lines = "\n".join([*last, *now])
        return Group(
            bar, Text(standings, no_wrap=True), Text(lines, no_wrap=True, overflow="ellipsis")
        )
