"""When a call is out of time by the wall: later, if the machine kept the bot from its core."""

from collections.abc import Mapping
from typing import Protocol

from referee.clock import wall_deadline_ns
from referee.job import TimeControl

MAX_EXTENSION = 3
"""How many times its time by the wall a call may be given more, so that every call ends.

As many times the wall bank a match may take more, so that every match ends."""


class Process(Protocol):
    """What is needed of a bot's process here."""

    def cpu_ns(self) -> int:
        """Return the CPU time spent so far."""
        ...

    def queued_ns(self) -> Mapping[int, int]:
        """Return for how long each thread has stood ready to run and did not."""
        ...


class Deadline:
    """The deadline of one call, which `look` puts off by the time that the bot was kept waiting.

    What counts is the longest wait of any one thread, and no more than the time by the wall less
    the CPU time: threads that wait for each other use the core meanwhile. With `clock: wall` a
    deadline is what it is.
    """

    def __init__(
        self, process: Process, control: TimeControl, *, sent_ns: int, limit_ns: int, most_ns: int
    ) -> None:
        """`most_ns` is what is left of the wall bank, on which waiting does not draw either."""
        wall_ns = wall_deadline_ns(control, limit_ns)
        self.is_of_bank = most_ns <= wall_ns
        """Whether the wall bank ends the call, not its own limit."""
        self._wall_ns = min(wall_ns, most_ns)
        self._sent_ns = sent_ns
        self._is_fixed = control.clock == "wall"
        self._process = process
        self._begun: tuple[int, int, Mapping[int, int]] | None = None
        self.extension_ns = 0
        """How much later it is than it was first."""

    @property
    def at_ns(self) -> int:
        """When the call is out of time."""
        return self._sent_ns + self._wall_ns + self.extension_ns

    def __str__(self) -> str:
        """Say how much later it is than it was first, if it is, as it ends a text of a fault."""
        if not self.extension_ns:
            return ""
        return f"; {self.extension_ns / 1e6:.0f} ms that it stood ready to run are not counted"

    def look(self, now_ns: int) -> None:
        """Put the deadline off, if it has come and the bot was kept waiting.

        The first look only notes how long each thread has waited before.
        """
        if self._is_fixed:
            return
        if self._begun is None:
            self._begun = now_ns, self._process.cpu_ns(), self._process.queued_ns()
        elif now_ns >= self.at_ns:
            waited_ns = min(self._waited_ns(now_ns), MAX_EXTENSION * self._wall_ns)
            self.extension_ns = max(self.extension_ns, waited_ns)

    def free_ns(self, now_ns: int) -> int:
        """Return how much of a call that ends now does not draw on the wall bank.

        That is what the bot was kept waiting, if `look` has noted what it had waited before.
        """
        if self._begun is None:
            return 0
        most_ns = (now_ns - self._sent_ns) * MAX_EXTENSION // (MAX_EXTENSION + 1)
        return min(self._waited_ns(now_ns), most_ns)

    def _waited_ns(self, now_ns: int) -> int:
        assert self._begun is not None  # noqa: S101 - the first look has set it
        begun_ns, begun_cpu_ns, before = self._begun
        idle_ns = now_ns - begun_ns - (self._process.cpu_ns() - begun_cpu_ns)
        queued = self._process.queued_ns()
        longest_ns = max((ns - before.get(thread, 0) for thread, ns in queued.items()), default=0)
        return max(0, min(longest_ns, idle_ns))
