"""The followers of an event: a terminal, a pipe, or a live page implements these protocols."""

from collections.abc import Sequence
from typing import Protocol, Self

from arena.results.standings import Table
from arena.results.store import MatchRow
from referee.job import Job


class Progress(Protocol):
    """Follows the matches of one event; entered before the first, exited after the last."""

    def __enter__(self) -> Self:
        """Start showing the event."""

    def __exit__(self, *_: object) -> None:
        """Stop showing the event."""

    def finished(self, match: MatchRow) -> None:
        """Receive a finished and stored match."""

    def expect(self, total: int) -> None:
        """Receive a new total of matches, if the total depends on results."""

    def running(self, jobs: Sequence[Job]) -> None:
        """Receive the running matches, a few times a second."""

    def say(self, line: str) -> None:
        """Receive a notice of one line."""


class Audience(Protocol):
    """Receives the notices and follows the events of a command."""

    def say(self, line: str) -> None:
        """Receive a notice, of one line or more."""

    def follow(self, total: int, done: int, table: Table) -> Progress:
        """Return the progress of an event; `table`, kept current, has its standings."""
