"""The contract of slots: what plays the matches of an event, and the result of each match.

The director cannot tell whether a match is played by a child process on this machine
(`arena/event/local_slots.py`) or by a worker on another one (`arena/cluster/cluster_slots.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from arena.results.workers import Worker
from referee.job import Absence, Job
from referee.result import Finished


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome of a job: its finished match, or the reason for a void match."""

    job: Job
    match: Finished | None
    void: str | None = None
    suspect: Absence | None = None
    """The seat suspected of making the match void, and its fault if it does so again."""
    is_exhausted: bool = False
    """Whether the match is void because the machine lacked resources to start a bot."""
    is_short: bool = False
    """Whether it is void because the machine had too little of something for its running bots."""
    is_absent: bool = False
    """Whether the match did not begin because the suspect, a remote bot, was out of reach."""
    is_returned: bool = False
    """Whether the match was taken back before it began."""
    is_lost: bool = False
    """Whether the match is void because the connection to its machine was lost."""
    is_alone: bool = False
    """Whether that machine was playing no other match."""
    worker: Worker | None = None
    """The worker that has played the match; None for this machine."""

    @property
    def is_played(self) -> bool:
        """Whether the match was played without a fault, and so affects no other."""
        return self.match is not None and not self.match.has_fault


class Place(Protocol):
    """A place for one match."""

    def submit(self, job: Job) -> None:
        """Play a match here, after those submitted before."""


class MatchQueue(Protocol):
    """A running match and the matches sent after it, not begun yet."""

    @property
    def jobs(self) -> Sequence[Job]:
        """The matches in order of play."""

    def take_back(self) -> None:
        """Ask for the matches that have not begun; their results are `is_returned`, or played."""


class Reporting(Protocol):
    """Slots with reports of their running matches."""

    def report_to(self, audience: int) -> None:
        """Have running matches reported to a new audience, where that is possible; 0 is nobody."""

    def reports(self) -> list[bytes]:
        """Return the reports of running matches that have arrived."""


class Slots(Reporting, Protocol):
    """Everything that plays the matches of an event."""

    def free(self) -> Sequence[Place]:
        """Return the places for matches that begin at once."""

    def ahead(self) -> Sequence[Place]:
        """Return the places for the next matches, once the free places are taken.

        A place may occur several times; those of the second match come first.
        """

    def queues(self) -> Sequence[MatchQueue]:
        """Return the queues with a match that has not begun."""

    def running(self) -> Sequence[Job]:
        """Return the running matches."""

    def wait(self, seconds: float) -> list[Result]:
        """Return the available results, after waiting at most `seconds` for the first."""

    def notices(self) -> list[str]:
        """Return what has happened to the machines since the last call, for the user."""

    def close(self) -> None:
        """End all matches and release everything."""
