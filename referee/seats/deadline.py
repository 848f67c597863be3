"""Wall-clock deadlines, later while the machine keeps a bot from its core."""

from collections.abc import Mapping
from typing import Protocol

from referee.job import TimeControl
from referee.seats.clock import wall_deadline_ns

MAX_EXTENSION = 3
"""Largest extension as a multiple of a call's wall-clock limit, so that every call ends.

The wall bank is extended by the same multiple at most, so that every match ends."""


class RunTimes(Protocol):
    """CPU and waiting times of a process."""

    def cpu_ns(self) -> int:
        """Return the CPU time spent so far."""

    def queued_ns(self) -> Mapping[int, int]:
        """Return the time in ns spent by each thread waiting for a core, ready to run."""


class Deadline:
    """The deadline of one call; `look` extends it by the bot's wait for a core.

    The longest wait of a single thread counts, at most the wall-clock time less the CPU time:
    threads waiting for each other use the core meanwhile. With `clock: wall` nothing is added.
    """

    def __init__(
        self,
        process: RunTimes,
        control: TimeControl,
        *,
        sent_ns: int,
        limit_ns: int,
        grace_ns: int,
        most_ns: int,
    ) -> None:
        """`most_ns` is the rest of the wall bank, extended in the same way."""
        wall_ns = wall_deadline_ns(control, limit_ns, grace_ns)
        self.is_of_bank = most_ns <= wall_ns
        """Whether the wall bank ends the call, not its own limit."""
        self._wall_ns = min(wall_ns, most_ns)
        self._sent_ns = sent_ns
        self._is_fixed = control.clock == "wall"
        self._process = process
        self._begun: tuple[int, int, Mapping[int, int]] | None = None
        self.extension_ns = 0
        """Extension so far, in nanoseconds."""

    @property
    def at_ns(self) -> int:
        """Deadline in nanoseconds of the monotonic clock."""
        return self._sent_ns + self._wall_ns + self.extension_ns

    def __str__(self) -> str:
        """Return the extension as the end of a fault's text; empty without one."""
        if not self.extension_ns:
            return ""
        return f"; {self.extension_ns / 1e6:.0f} ms of waiting for a core are not counted"

    def look(self, now_ns: int) -> None:
        """Extend a deadline missed while the bot waited for a core.

        The first look only reads the threads' waiting times so far.
        """
        if self._is_fixed:
            return
        if self._begun is None:
            self._begun = now_ns, self._process.cpu_ns(), self._process.queued_ns()
        elif now_ns >= self.at_ns:
            waited_ns = min(self._waited_ns(now_ns), MAX_EXTENSION * self._wall_ns)
            self.extension_ns = max(self.extension_ns, waited_ns)

    def free_ns(self, now_ns: int) -> int:
        """Return the part, in ns, of a call ending now that the wall bank does not pay.

        This is the bot's wait for a core, if `look` has read the waiting times before.
        """
        if self._begun is None:
            return 0
        most_ns = (now_ns - self._sent_ns) * MAX_EXTENSION // (MAX_EXTENSION + 1)
        return min(self._waited_ns(now_ns), most_ns)

    def _waited_ns(self, now_ns: int) -> int:
        assert self._begun is not None  # noqa: S101 - the first look has set it
        begun_ns, begun_cpu_ns, before = self._begun
        return _waited_ns(self._process, now_ns - begun_ns, begun_cpu_ns, before)


def start_extension_ns(process: RunTimes, start_ns: int, wall_ns: int) -> int:
    """Return the extension of a limit of `start_ns` for a start that has taken `wall_ns`, in ns.

    It is that of a call, from the start of the process, on either clock: a start is not charged.
    """
    return min(_waited_ns(process, wall_ns, 0, {}), MAX_EXTENSION * start_ns)


def _waited_ns(
    process: RunTimes, wall_ns: int, cpu_before_ns: int, before: Mapping[int, int]
) -> int:
    """Return the wait for a core within a wall-clock time, after these times of the process."""
    idle_ns = wall_ns - (process.cpu_ns() - cpu_before_ns)
    queued = process.queued_ns()
    longest_ns = max((ns - before.get(thread, 0) for thread, ns in queued.items()), default=0)
    return max(0, min(longest_ns, idle_ns))
