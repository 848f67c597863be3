"""Fair shares of the core while bots start: all start at once, and each has a limit by the wall.

A bot of many processes that spin would else leave its rival so little of the core that the rival
says no hello in time. The kernel shares a core out by process; this shares it out by bot.
"""

from collections.abc import Collection, Sequence
from typing import ClassVar, Protocol

LEAD_NS = 100_000_000
"""CPU time that a bot may be ahead of one that is starting, too."""


class Process(Protocol):
    """What is needed of a bot's process here."""

    def cpu_ns(self) -> int:
        """Return the CPU time spent so far."""
        ...

    def suspend(self) -> None:
        """Stop it until `resume`."""
        ...

    def resume(self) -> None:
        """Let it go on."""
        ...


class Shares:
    """Suspends whoever is ahead until the others, if they work at all, have caught up."""

    SLICE_NS: ClassVar = 50_000_000
    """How long it may take until it is looked at them again."""

    def __init__(self, processes: Sequence[Process]) -> None:
        self._processes = processes if len(processes) > 1 else ()
        self._seen_ns = dict.fromkeys(self._processes, 0)
        self._looked_ns: int | None = None

    def look(self, starting: Collection[Process], now_ns: int) -> None:
        """Look at all of them, unless that was done a moment ago."""
        if self._looked_ns is not None and now_ns - self._looked_ns < self.SLICE_NS:
            return
        self._looked_ns = now_ns
        burnt_ns = {process: process.cpu_ns() for process in self._processes}
        at_work = [each for each in starting if burnt_ns.get(each, 0) > self._seen_ns.get(each, 0)]
        for process in self._processes:
            if any(burnt_ns[process] - burnt_ns[rival] > LEAD_NS for rival in at_work):
                process.suspend()
            else:
                process.resume()
        self._seen_ns = burnt_ns

    def end(self) -> None:
        """Let everybody go on."""
        for process in self._processes:
            process.resume()
