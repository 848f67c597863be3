"""The bots of the next match, which wait in their sandboxes while a match is played.

A sandbox takes longer to make than a short match takes to play. So where a slot has cores that no
match uses, the sandboxes of its next match are made there. The bots' programs begin only when their
match does, on the cores of the slot.
"""

import time
from collections.abc import Callable

from protocol.vocabulary import Seat
from referee.bot import Bot
from referee.errors import BrokenMatchError
from referee.job import Job
from referee.sandbox.tiers import TIERS

LONGEST_NS = 60_000_000_000
"""Longest time in ns to wait in a sandbox: later mounts and replaced files are not seen there."""
LOOK_NS = 10_000_000
"""Least time in ns between two looks for the next match."""


class Ahead:
    """The bots of one match that has not begun; empty most of the time."""

    def __init__(
        self, start: Callable[[Job, Seat], Bot], now_ns: Callable[[], int] = time.monotonic_ns
    ) -> None:
        """`start` returns a bot that waits in its sandbox."""
        self._start = start
        self._now_ns = now_ns
        self._next_look_ns = 0
        self._job: Job | None = None
        self._since_ns = 0
        self._bots: dict[Seat, Bot] = {}

    def look(self, following: Callable[[], Job | None]) -> None:
        """Prepare the next match once it is known, unless the last look was just now."""
        now_ns = self._now_ns()
        if self._job is not None or now_ns < self._next_look_ns:
            return
        self._next_look_ns = now_ns + LOOK_NS
        if (job := following()) is not None:
            self.prepare(job)

    def prepare(self, job: Job) -> None:
        """Start the bots of a match, or none if one of them cannot be started now or cannot wait.

        An error is found again when the match begins.
        """
        self._job, self._since_ns = job, self._now_ns()
        seats = {*job.seats()} - {absence.seat for absence in job.absences}
        if job.restart == "never" or not all(_can_wait(job, seat) for seat in seats):
            return
        try:
            for seat in sorted(seats):
                self._bots[seat] = self._start(job, seat)
        except (BrokenMatchError, OSError):
            self._end_bots()

    def take(self, job: Job) -> dict[Seat, Bot]:
        """Return the bots that wait for this match; end those of another one."""
        if job is not self._job or self._now_ns() - self._since_ns > LONGEST_NS:
            self.drop()
        self._job, bots, self._bots = None, self._bots, {}
        self._next_look_ns = 0
        return bots

    def drop(self) -> None:
        """End all of them: their match is not the next one, or never begins."""
        self._job = None
        self._end_bots()

    def pids(self) -> set[int]:
        """Return the PIDs of their processes."""
        return {bot.process.pid for bot in self._bots.values()}

    def _end_bots(self) -> None:
        while self._bots:
            self._bots.popitem()[1].stop()


def _can_wait(job: Job, seat: Seat) -> bool:
    """Return whether a bot can be started before the matches ahead of its own have ended."""
    player = job.player(seat)
    return TIERS[player.tier].can_wait and player.door is None and not player.scratch
