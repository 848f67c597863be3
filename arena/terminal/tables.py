"""What a person sees while matches are played: a live view in a terminal, plain lines in a pipe."""

import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

from arena import text
from arena.results.standings import Table
from arena.results.store import MatchRow
from arena.streams import lasting
from referee.job import Job


class Progress(Protocol):
    """Follows an event as it is played."""

    def __enter__(self) -> Self:
        """Begin to show it."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop showing it."""
        ...

    def finished(self, match: MatchRow) -> None:
        """Hear that a match is over and kept."""
        ...

    def expect(self, total: int) -> None:
        """Hear how many matches there will be, where that depends on results."""
        ...

    def running(self, jobs: Sequence[Job]) -> None:
        """Hear what is being played now; called a few times a second."""
        ...

    def say(self, line: str) -> None:
        """Tell something worth a line of its own."""
        ...


class Pace:
    """How far an event is, and how long the rest will take at the pace so far."""

    def __init__(self, total: int, done: int) -> None:
        self.total = total
        self.done = done
        self._before = done
        self._started = time.monotonic()

    def finish(self) -> None:
        """Count a match; one that was running when nothing more was wanted counts too."""
        self.done += 1
        self.total = max(self.total, self.done)

    def eta(self) -> str:
        """Return the time that is left, or nothing while that is unknown."""
        played = self.done - self._before
        if played == 0 or self.done >= self.total:
            return ""
        spent = time.monotonic() - self._started
        return f"ETA {text.duration(spent / played * (self.total - self.done))}"


class PlainProgress:
    """A line a match, on stderr."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace

    def finished(self, match: MatchRow) -> None:
        """Print how it ended."""
        self._pace.finish()
        width = len(str(self._pace.total))
        count = f"[{self._pace.done:>{width}}/{self._pace.total}]"
        self.say("  ".join(part for part in (count, outcome_line(match), self._pace.eta()) if part))

    def expect(self, total: int) -> None:
        """Count to that from now on."""
        self._pace.total = total

    def running(self, jobs: Sequence[Job]) -> None:
        """Say nothing: a pipe wants facts only."""
        del jobs

    def say(self, line: str) -> None:
        """Print the line."""
        tell(line)


def tell(line: str) -> None:
    """Print a line that is no result, and so goes to stderr."""
    print(line, file=lasting(sys.stderr), flush=True)


def follow(pace: Pace, table: Table) -> Progress:
    """Return what suits where stderr goes."""
    if not sys.stderr.isatty():
        return PlainProgress(pace)
    from arena.terminal.live import LiveProgress

    return LiveProgress(pace, table)


def outcome_line(match: MatchRow) -> str:
    """Return one finished match as one line."""
    seats = " - ".join(f"{seat.player} {seat.points}" for seat in match.seats)
    variant = f" ({match.variant})" if match.variant else ""
    return f"match {match.id}: {seats}{variant}: {match.reason} after {match.plies} plies"


def standings_text(
    table: Table,
    limit: int | None = None,
    *,
    elo: Mapping[str, str] | None = None,
    width: int | None = None,
) -> str:
    """Return the standings as a table of text, the first `limit` rows of it.

    `elo` holds the rating of each player as text; if there is any, it is a column. What says least
    is left out where it would not fit the width.
    """
    header = ["#", "bot", "score", "points", "+", "=", "-", "matches", "CPU", "wall", "faults"]
    rows = [
        [
            str(rank),
            row.player,
            text.score(row.score),
            str(row.points),
            str(row.wins),
            str(row.draws),
            str(row.losses),
            str(row.matches),
            text.seconds(row.cpu_ns),
            text.seconds(row.wall_ns),
            str(row.faults),
        ]
        for rank, row in table.ranked()
    ]
    if elo:
        header.insert(3, "Elo ±95%")
        for cells in rows:
            cells.insert(3, elo.get(cells[1], ""))
    shown = rows if limit is None else rows[:limit]
    lines = text.narrowed(header, shown, left=2, spare=("wall", "matches", "CPU"), width=width)
    return lines if len(shown) == len(rows) else f"{lines}\n... and {len(rows) - len(shown)} more"


def crosstable_text(table: Table) -> str:
    """Return wins-draws-losses of every bot against every other, in the order of the standings."""
    order = [row.player for _, row in table.ranked()]
    header = ["", *(str(number) for number in range(1, len(order) + 1))]
    rows = []
    for number, player in enumerate(order, start=1):
        cells = [f"{number} {player}"]
        for other in order:
            duel = table.duels.get((player, other))
            cells.append(f"{duel.wins}-{duel.draws}-{duel.losses}" if duel else ".")
        rows.append(cells)
    return text.table(header, rows)
