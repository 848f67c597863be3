"""The contract of slots: what plays the matches of an event, and the end of each match.

The director cannot tell whether a match is played by a child process on this machine
(`local_slots.py`) or by a worker on another one (`arena/cluster/cluster_slots.py`).
"""

from collections.abc import Sequence
from typing import Protocol

from referee.job import Job
from referee.records.match_end import MatchEnd


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
        """Ask for the matches that have not begun; their ends are `is_returned`, or played."""


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

    def wait(self, seconds: float) -> list[MatchEnd]:
        """Return the ends that are known, after waiting at most `seconds` for the first."""

    def notices(self) -> list[str]:
        """Return what has happened to the machines since the last call, for the user."""

    def close(self) -> None:
        """End all matches and release everything."""
