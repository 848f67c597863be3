"""What a bot holds that no limit of the kernel covers: looked at now and then, while it plays.

Without a control group, limits are those of a process, and the files of a `tmpfs` take memory that
its size does not count. Descriptors hold pages of pipes, which the kernel counts for all bots of a
user together, and the buffers of sockets.
"""

import contextlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import ClassVar

from referee.sandbox.proctree import live_place

MAX_FILES = 10_000
"""Limit of the files and folders in one file system in memory; each takes 1 kB outside of its size.
"""
TASKS = 4
"""Limit of the threads and processes where nothing else limits them, as a multiple of the limit of
a bot with a control group."""
DESCRIPTORS = 4
"""Limit of the descriptors of all processes, as a multiple of the limit of one process. With 64
for a process, pipes then take an eighth of the pages that the kernel allows a user."""

_REFUSED = re.compile(
    "cannot fork|(?<!timer_create failed: )operation not permitted|EPERM", re.IGNORECASE
)
"""Messages of shells and languages about a refused new process, not Ruby's about its timer."""
_FIELD = rb"^(?:%b):\s*(\d+) kB$"
_OWN = re.compile(_FIELD % b"VmPTE|RssAnon|VmSwap", re.MULTILINE)
"""Memory of a process that is not that of a file, with its page tables."""
_TABLES = re.compile(_FIELD % b"VmPTE", re.MULTILINE)
_SHARES = re.compile(_FIELD % b"Pss_Anon|SwapPss", re.MULTILINE)
"""The same, divided among the processes that share it after a fork: slow to read."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits that the referee has to watch; None is no limit."""

    places: Collection[Path] = ()
    """File systems in memory, as the bot sees them, whose files nothing counts."""
    memory_bytes: int | None = None
    """Memory of all processes together."""
    descriptors: int | None = None
    """Descriptors of all processes together."""
    tasks: int | None = None
    """Processes and threads, each of which takes memory of the kernel."""


class Watch:
    """Looks at one bot for its bounds, at most once in `LOOK_NS`."""

    LOOK_NS: ClassVar = 50_000_000

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._looked_ns = 0
        self.excess = ""
        """What was beyond a bound, in words; empty for nothing."""

    def look(
        self, now_ns: int, root: Callable[[], Path | None], pids: Callable[[], Sequence[int]]
    ) -> bool:
        """Return whether the bot has just been found beyond a bound.

        `root` returns the bot's root directory as seen from here, `pids` all its processes.
        """
        if self.excess or now_ns - self._looked_ns < self.LOOK_NS:
            return False
        self._looked_ns = now_ns
        self.excess = next(chain(self._of_files(root), self._of_processes(pids)), "")
        return bool(self.excess)

    def _of_files(self, root: Callable[[], Path | None]) -> Iterator[str]:
        if not self._bounds.places or (top := root()) is None:
            return
        for place in self._bounds.places:
            if (files := _files_in(top / place.relative_to("/"))) > MAX_FILES:
                yield f"{files} files in {place}; without a control group {MAX_FILES} are allowed"

    def _of_processes(self, pids: Callable[[], Sequence[int]]) -> Iterator[str]:
        opened, memory = self._bounds.descriptors, self._bounds.memory_bytes
        tasks = self._bounds.tasks
        found = pids() if (opened, memory, tasks) != (None, None, None) else ()
        if tasks is not None and (number := sum(map(_tasks_of, found))) > tasks:
            yield f"{number} processes and threads; without a control group {tasks} are allowed"
        places = [live_place(pid) for pid in found]
        if opened is not None and (number := sum(map(_descriptors_in, places))) > opened:
            yield f"{number} open files of all its processes; {opened} are allowed"
        own = (_kilobytes(place, "status", _OWN) for place in places)
        if memory is None or sum(own) << 10 <= memory:
            return
        if (used := sum(map(_shared_kilobytes, places)) << 10) > memory:
            yield f"{used >> 20} MB in all its processes; {memory >> 20} MB are allowed"


def _files_in(place: Path) -> int:
    """Return the number of files in a file system; 0 if it cannot be seen."""
    try:
        status = os.statvfs(place)
    except OSError:
        return 0
    return status.f_files - status.f_ffree


def _descriptors_in(place: str) -> int:
    """Return the number of open files of a process; 0 once it has ended."""
    folder = f"{place}/fd"
    with contextlib.suppress(OSError):
        # since Linux 6.2 the size of the folder
        return os.stat(folder).st_size or len(os.listdir(folder))  # noqa: PTH116, PTH208 - faster
    return 0


def _tasks_of(pid: int) -> int:
    """Return the number of threads of a process; 0 once it has ended."""
    with contextlib.suppress(OSError):
        return os.stat(f"/proc/{pid}/task").st_nlink - 2  # noqa: PTH116 - faster
    return 0


def _shared_kilobytes(place: str) -> int:
    """Return the memory of a process, or its part of it where others share it after a fork."""
    shares = _kilobytes(place, "smaps_rollup", _SHARES)
    # unreadable for a process that made itself so
    own = _kilobytes(place, "status", _TABLES if shares else _OWN)
    return shares + own


def _kilobytes(place: str, name: str, fields: re.Pattern[bytes]) -> int:
    """Return the sum of some fields of a file about a process; 0 once it has ended."""
    try:
        with open(f"{place}/{name}", "rb", buffering=0) as file:  # noqa: PTH123 - faster
            return sum(map(int, fields.findall(file.read())))
    except OSError:
        return 0


def was_refused(output: str) -> bool:
    """Return whether a bot that may start no processes probably ended for that, by its output."""
    return _REFUSED.search(output) is not None
