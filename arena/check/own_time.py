"""Time that a bot had for itself: its CPU time, and the time in which it was seen waiting.

A limit by the wall clock would be a limit on the machine: a busy one keeps a bot from its core for
longer than the 50 ms of its exit, and wakes the check late.
"""

import time
from collections.abc import Callable, Iterator

from referee.sandbox import descendants, threads
from referee.seats.deadline import RunTimes

COUNTED_LOOK_NS = 2_000_000
"""Longest time in nanoseconds that a look counts: more passed while this process had no core."""
MOST_NS = 60_000_000_000
"""Wall time in nanoseconds after which a wait ends in any case."""
_WORKING = (b"R", b"D")
"""States of a thread that has a core, waits for one, or waits for a disk."""


class OwnTime:
    """Measures the own time of a bot from now on, by a look about every millisecond."""

    def __init__(
        self,
        process: RunTimes,
        is_working: Callable[[], bool],
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._process = process
        self._is_working = is_working
        self._now_ns = now_ns
        self._begun_ns = self._looked_ns = now_ns()
        self._cpu_ns = process.cpu_ns()
        self._waited_ns = 0

    def look(self, limit_ns: int) -> bool:
        """Look at the bot; return whether it had more than this time, or took far too long."""
        now_ns = self._now_ns()
        passed_ns, self._looked_ns = now_ns - self._looked_ns, now_ns
        if not self._is_working():
            self._waited_ns += min(passed_ns, COUNTED_LOOK_NS)
        own_ns = self._waited_ns + self._process.cpu_ns() - self._cpu_ns
        return own_ns > limit_ns or now_ns - self._begun_ns > MOST_NS


def is_working(pid: int) -> bool:
    """Return whether a thread of a process or of its descendants has, or waits for, a core."""
    return any(state in _WORKING for each in (pid, *descendants(pid)) for state in _states(each))


def _states(pid: int) -> Iterator[bytes]:
    for thread in threads(pid):
        try:
            with open(f"/proc/{pid}/task/{thread}/stat", "rb") as stat:  # noqa: PTH123 - procfs
                yield stat.read().rpartition(b")")[2].split()[0]  # a name may be no text
        except (OSError, IndexError):
            continue  # the thread has ended
