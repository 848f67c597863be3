"""The processes and threads around a referee: the limits that its bots have together.

A control group above, the user or the machine may refuse a bot a process far below the bot's own
limit. That is the fault of no bot. Kernels count it in different places:

* version 1, and version 2 before Linux 6.11: `pids.events` of the bot's own group, whichever limit
  was reached;
* version 2 since Linux 6.11: `pids.events.local` of the group whose limit was reached;
* a limit of the user (`ulimit -u`) or of the machine: nowhere.
"""

import contextlib
import os
import re
import resource
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from referee.sandbox.controllers import LOCAL_EVENTS, own_group, refusals_in, version_1_home

_PROC = Path("/proc")
_TASKS = re.compile(r"^Threads:\s*(\d+)$", re.MULTILINE)
_MACHINE_LIMITS = ("threads-max", "pid_max")


@dataclass(frozen=True)
class TaskRoom:
    """All the processes and threads that something may have, and those that it has."""

    owner: str
    """The control group, user or machine, in words."""
    total: int
    used: int

    def __str__(self) -> str:
        return f"{self.owner} may have {self.total} processes and threads, and has {self.used}"

    @property
    def left(self) -> int:
        """Number of processes and threads that can still be started."""
        return self.total - self.used


class SurroundingTasks:
    """The limits of processes around the bots of a referee."""

    def __init__(self, home: Path) -> None:
        """Look at the group in which the bots' groups are, and at those above it."""
        self._groups = [home, *home.parents]
        self._events: list[int] = []
        for group in self._groups:
            with contextlib.suppress(OSError):
                self._events.append(os.open(group / LOCAL_EVENTS, os.O_RDONLY))

    def refusals(self) -> int:
        """Return how often a group above has refused any process, where the kernel counts it."""
        return sum(map(refusals_in, self._events))

    def room(self) -> TaskRoom:
        """Return the limit with the fewest processes left."""
        return _tightest(self._groups)

    def close(self) -> None:
        """Close all files."""
        while self._events:
            os.close(self._events.pop())


def task_room_here() -> TaskRoom:
    """Return the limit with the fewest processes left, for bots without groups of their own."""
    homes = [home for home in (own_group(), version_1_home("pids")) if home is not None]
    return _tightest([group for home in homes for group in (home, *home.parents)])


def _tightest(groups: Sequence[Path]) -> TaskRoom:
    return min((_machine(), *_user(), *_limited(groups)), key=lambda room: room.left)


def _limited(groups: Sequence[Path]) -> Iterator[TaskRoom]:
    for group in groups:
        with contextlib.suppress(OSError, ValueError):  # no group, or `max`
            total = int((group / "pids.max").read_text())
            used = int((group / "pids.current").read_text())
            yield TaskRoom(f"the control group {group}", total, used)


def _user() -> Iterator[TaskRoom]:
    limit, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if os.getuid() and limit != resource.RLIM_INFINITY:  # it binds no bot of root's own user
        yield TaskRoom(f"user {os.getuid()}", limit, _tasks_of_user(os.getuid()))


def _machine() -> TaskRoom:
    limits = ((_PROC / "sys" / "kernel" / name).read_text() for name in _MACHINE_LIMITS)
    tasks = (_PROC / "loadavg").read_text().split()[3]  # "1/249": running and all
    return TaskRoom("this machine", min(map(int, limits)), int(tasks.partition("/")[2]))


def _tasks_of_user(user: int) -> int:
    """Return the number of processes and threads of a user that can be seen from here."""
    total = 0
    for folder in _PROC.iterdir():
        with contextlib.suppress(OSError):
            if folder.name.isdigit() and folder.stat().st_uid == user:
                found = _TASKS.search((folder / "status").read_text())
                total += int(found[1]) if found else 0
    return total
