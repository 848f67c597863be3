"""Canaries: a match of two house bots on each machine, at its start and every hour.

A machine gets no other match before its first canary has ended well, and none after one that has
not, until another one has. So a machine without memory, disk or a working sandbox spoils no rating.
Canaries are never stored.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from referee.job import Job
from referee.records.match_end import MatchEnd

EVERY_S = 3600.0
"""Time in seconds from a good canary to the next one."""
AGAIN_S = 120.0
"""Time in seconds from a bad canary to the next one."""
PLIES = 40
"""Limit of the moves of a canary."""
_PREFIX = "canary/"


@dataclass(slots=True)
class _Machine:
    """A machine and its canaries."""

    next_s: float
    is_good: bool = False
    running: str | None = None
    """Key of its canary."""
    has_failed: bool = False
    """Whether one of its canaries has ended badly."""


HERE = "this machine"
"""Name of the machine of the director, which is no news while it plays as it should."""


class Canaries:
    """Knows which machines may play."""

    def __init__(self, make: Callable[[], Job | None], now_s: Callable[[], float]) -> None:
        """Make canaries by `make`, which returns None while no house bots are ready."""
        self._make = make
        self._now_s = now_s
        self._machines: dict[str, _Machine] = {}
        self._number = 0

    def is_good(self, machine: str) -> bool:
        """Whether a machine may play."""
        found = self._machines.get(machine)
        return found is not None and found.is_good

    def keep(self, machines: set[str]) -> None:
        """Take in the machines that are there, and forget all others."""
        self._machines = {each: one for each, one in self._machines.items() if each in machines}
        for machine in machines - self._machines.keys():
            self._machines[machine] = _Machine(self._now_s())

    def due(self, machine: str) -> Job | None:
        """Return the canary that a machine should play now, if any."""
        found = self._machines[machine]
        if found.running is not None or self._now_s() < found.next_s:
            return None
        job = self._make()
        if job is None:
            return None
        self._number += 1
        found.running = f"{_PREFIX}{self._number}"
        return replace(job, key=found.running, max_plies=PLIES)

    def end(self, end: MatchEnd) -> str | None:
        """Take in the end of a canary; return a notice of a machine that has become bad."""
        for machine, found in self._machines.items():
            if found.running == end.job.key:
                return self._judge(machine, found, end)
        return None

    def _judge(self, machine: str, found: _Machine, end: MatchEnd) -> str | None:
        found.running = None
        if end.is_returned:
            return None
        was_good, found.is_good = found.is_good, end.is_played
        found.next_s = self._now_s() + (EVERY_S if found.is_good else AGAIN_S)
        if found.is_good:
            is_news = not was_good and (machine != HERE or found.has_failed)
            return f"{machine} plays" if is_news else None
        found.has_failed = True
        why = end.void if end.match is None else end.match.reason
        return f"{machine} plays no match until its canary ends well: {why}"


def is_canary(job: Job) -> bool:
    """Whether a match is a canary."""
    return job.key.startswith(_PREFIX)
