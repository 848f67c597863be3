"""The table that is printed while an event is played: strengths, pairs, evidence, pace."""

import time
from collections.abc import Sequence
from typing import Protocol, Self

from arena.event.watch.progress import Announcer, Progress
from arena.formats.encounters import points_text
from arena.ratings.pairs import PairBins, bins_text
from arena.ratings.pentanomial import normalized_elo_of
from arena.ratings.text import WIDTH, elo_cells, is_rated, percent, rated
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow, Store
from arena.terminal.pace import Pace
from arena.terminal.tables import standings_text
from arena.text import folded, plural
from referee.job import Job

EVERY = 10
"""Number of matches between two tables, unless a user says otherwise."""
LEAST_S = 10.0
"""Least time between two such tables, in seconds."""
SHARE = 20
"""Least time between them, as a multiple of the time that the last one took to make."""
SHOWN_ROWS = 12
MOST_RATED = 60
"""Number of bots up to which a table has their Elo: that of 60 takes 1.6 s, in which no match can
begin, and the time grows faster than the number of bots."""


class RunningEvidence(Protocol):
    """The evidence of a sequential test, match by match."""

    def add(self, match: MatchRow) -> None:
        """Add a finished match."""

    def text(self) -> str:
        """Return the evidence so far; empty before the first result and after the decision."""


def with_table(
    announcer: Announcer,
    every: int | None,
    store: Store,
    event: EventRow,
    evidence: RunningEvidence | None = None,
) -> Announcer:
    """Return an announcer that also prints a table after every few matches.

    With `every` None they are also some time apart; with 0 there is none.
    """
    return announcer if every == 0 else _TableAnnouncer(announcer, every, store, event, evidence)


class _TableAnnouncer:
    def __init__(
        self,
        inner: Announcer,
        every: int | None,
        store: Store,
        event: EventRow,
        evidence: RunningEvidence | None,
    ) -> None:
        self._inner = inner
        self._every = every
        self._store = store
        self._event = event
        self._evidence = evidence

    def say(self, line: str) -> None:
        """Receive a notice, of one line or more."""
        self._inner.say(line)

    def follow(self, total: int, done: int, table: Table) -> Progress:
        """Return the progress of the event."""
        text = RunningText(self._event, table, self._evidence)
        if done:
            for match in self._store.matches(self._event.id):
                text.count(match)
        inner = self._inner.follow(total, done, table)
        return _TableProgress(inner, Pace(total, done), self._every, text)


class RunningText:
    """The table of a running event as text."""

    def __init__(
        self, event: EventRow, table: Table, evidence: RunningEvidence | None = None
    ) -> None:
        """Start without matches; `table`, kept up to date, has the standings."""
        self._event = event
        self._table = table
        self._evidence = evidence
        self._two = tuple(event.entrants) if len(event.entrants) == 2 else ()
        self._pairs = PairBins(self._two[0]) if self._two else None

    def count(self, match: MatchRow) -> None:
        """Count a match for the pairs."""
        if self._pairs is not None:
            self._pairs.add(match)

    def add(self, match: MatchRow) -> None:
        """Add a match that has just ended."""
        self.count(match)
        if self._evidence is not None:
            self._evidence.add(match)

    def lines(self, pace: Pace) -> str:
        """Return the table, in lines of at most 80 columns unless a name is longer."""
        head = [f"after {pace.done} of {plural(pace.total, 'match')}", pace.rate(), pace.eta()]
        body = self._difference() if self._two else []
        if not body:  # also for two bots that play alone, for a score
            body.append(self._standings())
        if self._evidence is not None:
            body.append(self._evidence.text())
        rows = [f"  {line}" for part in body if part for line in part.split("\n")]
        return "\n".join(
            [", ".join(part for part in head if part), *(folded(row, WIDTH) for row in rows)]
        )

    def _difference(self) -> list[str]:
        """Return the difference of two bots, as runners of engines print it."""
        one, other = self._two
        row = self._table.rows[one]
        played = row.wins + row.draws + row.losses
        if not played:
            return []
        halves = 2 * row.wins + row.draws
        percent_won = f"{50 * halves / played:.1f} %"
        share = f"{points_text(halves)} of {plural(played, 'point')} ({percent_won})"
        parts = [f"{one}: +{row.wins} ={row.draws} -{row.losses}, {share}"]
        bins = self._pairs.bins if self._pairs else ()
        ratings = rated(self._event, self._table.outcomes) if is_rated(self._event) else None
        if ratings is not None and {one, other} <= {*ratings.strengths.index}:
            found = ratings.difference(one, other)
            elo = f"Elo {found.elo.text()} (95 %)"
            if sum(map(bool, bins)) > 1:  # equal pairs have no deviation
                value, error = normalized_elo_of(bins)
                elo += f", nElo {value:+z.0f} ±{error:.0f}"
            parts.append(f"{elo}, LOS {percent(found.superiority)} over {other}")
        if any(bins):
            parts.append(f"{plural(sum(bins), 'pair')}, {bins_text(bins)}")
        return parts

    def _standings(self) -> str:
        elo = {}
        if len(self._table.rows) <= MOST_RATED:
            elo = elo_cells(self._event, rated(self._event, self._table.outcomes))
        return standings_text(self._table, SHOWN_ROWS, elo=elo, width=WIDTH - 2)


class _TableProgress:
    """Prints the table when it is due."""

    def __init__(self, inner: Progress, pace: Pace, every: int | None, text: RunningText) -> None:
        self._inner = inner
        self._pace = pace
        self._every = every
        self._text = text
        self._since = 0
        self._next_s = time.monotonic() + LEAST_S

    def __enter__(self) -> Self:
        self._inner.__enter__()
        return self

    def __exit__(self, *cause: object) -> None:
        self._inner.__exit__(*cause)

    def finished(self, match: MatchRow) -> None:
        """Receive a finished match; print the table if it is due and the event continues."""
        self._inner.finished(match)
        self._pace.finish()
        self._text.add(match)
        self._since += 1
        if self._is_due() and self._pace.done < self._pace.total:
            began_s = time.monotonic()
            self._inner.say(self._text.lines(self._pace))
            self._since = 0
            ended_s = time.monotonic()
            self._next_s = ended_s + max(LEAST_S, SHARE * (ended_s - began_s))

    def _is_due(self) -> bool:
        if self._every is not None:
            return self._since >= self._every
        return self._since >= EVERY and time.monotonic() >= self._next_s

    def expect(self, total: int) -> None:
        """Receive a new total of matches."""
        self._pace.expect(total)
        self._inner.expect(total)

    def running(self, jobs: Sequence[Job]) -> None:
        """Receive the running matches."""
        self._inner.running(jobs)

    def say(self, line: str) -> None:
        """Receive a notice of one line."""
        self._inner.say(line)
