"""Fair shares of a core while bots start together, each with a wall-clock limit.

The kernel shares a core between processes; this module shares the core between bots. Otherwise a
bot with many spinning processes could keep a rival from sending its hello in time.
"""

from collections.abc import Collection, Sequence
from typing import ClassVar, Protocol

LEAD_NS = 100_000_000
"""Lead in CPU time, in ns, allowed over another starting bot."""


class Sharer(Protocol):
    """The methods of a bot's process used here."""

    def cpu_ns(self) -> int:
        """Return the CPU time in ns since the start."""

    def suspend(self) -> None:
        """Suspend the process until `resume`."""

    def resume(self) -> None:
        """Resume the process."""


class Shares:
    """Suspends bots with a lead until the others have caught up, or leave the core idle.

    While a bot is suspended the others must use half of the time, or it runs again for a slice:
    otherwise a rival without much work could keep a bot suspended until its time to start is over.
    """

    SLICE_NS: ClassVar = 50_000_000
    """Time in ns between two looks."""

    def __init__(self, processes: Sequence[Sharer]) -> None:
        self._processes = processes
        self._seen_ns = dict.fromkeys(self._processes, 0)
        self._looked_ns = 0
        self._suspended: set[Sharer] = set()

    def look(self, starting: Collection[Sharer], now_ns: int) -> None:
        """Suspend or resume each process, at most once in `SLICE_NS`."""
        passed_ns = now_ns - self._looked_ns
        if passed_ns < self.SLICE_NS:
            return
        self._looked_ns = now_ns
        burnt_ns = {process: process.cpu_ns() for process in self._processes}
        if len(burnt_ns) < 2:
            return
        at_work = [each for each in starting if burnt_ns[each] > self._seen_ns[each]]
        used_ns = sum(burnt_ns[each] - self._seen_ns[each] for each in at_work)
        ahead = {
            process
            for process in self._processes
            if any(burnt_ns[process] - burnt_ns[rival] > LEAD_NS for rival in at_work)
        }
        if 2 * used_ns < passed_ns:
            ahead -= self._suspended
        for process in self._processes:
            if process in ahead:
                process.suspend()
            else:
                process.resume()
        self._seen_ns, self._suspended = burnt_ns, ahead

    def end(self) -> None:
        """Resume all suspended processes."""
        for process in self._suspended:
            process.resume()
