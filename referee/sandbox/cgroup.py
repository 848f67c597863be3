"""A control group for each bot: exact CPU time and immediate end of its process tree.

Version 2 groups are used if the referee may create one below its own; CPU accounting, listing and
killing need no controller. Without groups the referee uses process clocks, and the record says so
(`is_clock_exact`). The controllers of memory and processes, if available, enforce the limits.
"""

import contextlib
import os
import select
import signal
import time
from collections import deque
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from referee.sandbox.child import Standby
from referee.sandbox.controllers import (
    KINDS,
    Controller,
    Kind,
    enabled_in,
    own_group,
    version_1_home,
)
from referee.sandbox.locked import abandoned_in, make_locked
from referee.sandbox.shortage import Use
from referee.sandbox.surrounding_tasks import SurroundingTasks
from referee.sandbox.surroundings import Surroundings

if TYPE_CHECKING:
    from referee.sandbox.launcher import Launcher

MICROSECOND_NS = 1_000
REMOVAL_NS = 1_000_000_000
END_MS = 20
"""Time in ms for killed processes to end: another group costs more than this group's next bot."""
MAX_LEFT_BYTES = 4 << 20
"""Limit of the memory that a bot leaves in a group to be used again. In a weak tier it may leave
segments or files of shared memory: the next bot, such as its rival, would reach the limit."""
_MAX_EVENTS = 4096
_OUTSIDE = 0
"""PID in a list of a process that this one cannot see."""


class Group:
    """A control group, with its files open: opening one takes longer than using it."""

    def __init__(
        self,
        home: Path,
        around: Surroundings | None = None,
        tasks: SurroundingTasks | None = None,
    ) -> None:
        """Create a group below the group `home`, with what is around it, where that is limited."""
        self._around, self._tasks = around, tasks
        self._alarms = self._refusals = 0
        self.path, self._lock = make_locked(home)
        self._stat = os.open(self.path / "cpu.stat", os.O_RDONLY)
        self.procs = os.open(self.path / "cgroup.procs", os.O_WRONLY)
        """Descriptor of `cgroup.procs`; a new process writes "0" to it before `exec` to join."""
        self._kill = os.open(self.path / "cgroup.kill", os.O_WRONLY)
        self._freeze = os.open(self.path / "cgroup.freeze", os.O_WRONLY)
        self._events = os.open(self.path / "cgroup.events", os.O_RDONLY)
        self._controllers: dict[Kind, Controller] = {}
        self.held: frozenset[Kind] = frozenset()
        """Limits in force for the group as a whole."""
        self.standby: Standby | None = None
        """Process that waits in this group to become a bot."""

    def add(self, kind: Kind, home: Path | None) -> None:
        """Add a controller, if available; `home` is its parent group of version 1, if any."""
        with contextlib.suppress(OSError):
            self._controllers[kind] = Controller(kind, self.path, home)

    def hold(self, memory_bytes: int | None, processes: int | None) -> None:
        """Limit the memory and the number of all processes together; None is no limit."""
        amounts: dict[Kind, int | None] = {"memory": memory_bytes, "pids": processes}
        held: set[Kind] = set()
        for kind, controller in self._controllers.items():
            with contextlib.suppress(OSError):
                controller.limit(amounts[kind])
                held.add(kind)
            controller.begin()
        self._alarms = self._around.alarms() if self._around is not None else 0
        self._refusals = self._tasks.refusals() if self._tasks is not None else 0
        self.held = frozenset(kind for kind in held if amounts[kind] is not None)

    @property
    def all_procs(self) -> list[int]:
        """Descriptors of every `cgroup.procs`: a process that writes "0" to each joins."""
        procs = (controller.procs for controller in self._controllers.values())
        return [self.procs, *(each for each in procs if each is not None)]

    def take_standby(self) -> Standby | None:
        """Return its standby process, if any, to become a bot."""
        standby, self.standby = self.standby, None
        return standby

    @property
    def memory_alarm(self) -> int | None:
        """Descriptor that becomes readable when the group, or one above it, has had no memory.

        None if not available, or if the kernel then kills the whole group.
        """
        return self._controllers["memory"].alarm if "memory" in self._controllers else None

    def silence(self) -> None:
        """Clear the memory alarm."""
        if "memory" in self._controllers:
            self._controllers["memory"].silence()

    @property
    def has_killed(self) -> bool:
        """Whether the kernel has killed a process for lack of memory since `hold`."""
        memory = self._controllers.get("memory")
        return memory is not None and memory.has_killed()

    @property
    def has_reached_limit(self) -> bool:
        """Whether the memory limit was reached since `hold`, and no group above had too little."""
        memory = self._controllers.get("memory")
        if memory is None or not memory.has_reached_limit():
            return False
        return self._around is None or self._around.alarms() == self._alarms

    @property
    def lack(self) -> Kind | None:
        """What a limit around the group has denied it since `hold`, below its own limit.

        Of processes it may also have been denied to another group, where the kernel counts only
        that.
        """
        if self.has_killed and not self.has_reached_limit:
            return "memory"
        pids, tasks = self._controllers.get("pids"), self._tasks
        if pids is None or tasks is None:
            return None
        refused_by = pids.refused_by(lambda: tasks.room().left)
        is_denied = refused_by == "around" or tasks.refusals() > self._refusals
        return "pids" if is_denied and refused_by != "its limit" else None

    def use(self, kind: Kind) -> Use | None:
        """Return the largest use since `hold`; None if unknown."""
        controller, total = self._controllers.get(kind), 0
        if controller is None:
            return None
        if kind == "memory":
            total = 0 if self._around is None else self._around.room().total_bytes
        else:
            total = 0 if self._tasks is None else self._tasks.room().total
        return Use(controller.peak(), controller.most, total) if total else None

    def around(self, kind: Kind) -> str:
        """Return in words what all groups here have together."""
        room = self._around if kind == "memory" else self._tasks
        return "" if room is None else str(room.room())

    @property
    def is_reusable(self) -> bool:
        """Whether nothing of its last bot can be taken for something of the next one."""
        pids = self._controllers.get("pids")
        return self.used_bytes() <= MAX_LEFT_BYTES and not (pids and pids.has_full_peak)

    def used_bytes(self) -> int:
        """Return the memory charged to the group, even without a process; 0 if unknown."""
        return self._controllers["memory"].used() if "memory" in self._controllers else 0

    def cpu_ns(self) -> int:
        """Return the CPU time in ns of all processes since the group was made."""
        line = os.pread(self._stat, 64, 0)  # "usage_usec N" comes first
        return int(line[11 : line.index(b"\n")]) * MICROSECOND_NS

    def kill(self) -> None:
        """Kill every process in the group."""
        _kill_all(self._kill, self.pids)

    def freeze(self) -> None:
        """Suspend every process in the group, and processes being forked."""
        os.pwrite(self._freeze, b"1", 0)

    def thaw(self) -> None:
        """Resume a frozen group."""
        os.pwrite(self._freeze, b"0", 0)

    def pids(self) -> list[int]:
        """Return the PIDs in the group, orphans included."""
        return _pids_in(self.path)

    def is_empty(self, wait_ms: int = 0) -> bool:
        """Return whether the group has no process; `wait_ms` is for the last one to end."""
        if b"populated 0" in os.pread(self._events, _MAX_EVENTS, 0):
            return True
        change = select.poll()
        change.register(self._events, select.POLLPRI)
        return bool(change.poll(wait_ms)) and self.is_empty()

    def remove(self) -> None:
        """Kill the remaining processes and remove the group, if it becomes empty."""
        if (standby := self.take_standby()) is not None:
            standby.end()
        for descriptor in (self._stat, self.procs, self._kill, self._freeze, self._events):
            os.close(descriptor)
        remove_group(self.path)
        os.close(self._lock)
        for controller in self._controllers.values():
            controller.remove()


class Groups:
    """The groups of one referee, created on demand and reused."""

    def __init__(self, home: Path) -> None:
        self.launcher: Launcher | None = None
        """Starts the processes that wait in the groups; None: each bot is forked when it starts."""
        self._home = home
        self._free: deque[Group] = deque()
        """Empty groups, but for a standby process each; the longest unused first."""
        enabled = enabled_in(home)
        self._controllers: dict[Kind, Path | None] = {
            kind: None if kind in enabled else version_1
            for kind in KINDS
            if kind in enabled or (version_1 := version_1_home(kind))
        }
        """Parent group of version 1 for each available controller; None with version 2."""
        self._around: Surroundings | None = None
        if "memory" in self._controllers:
            version_1 = self._controllers["memory"]
            self._around = Surroundings(version_1 or home, is_version_2=version_1 is None)
        self._tasks: SurroundingTasks | None = None
        if "pids" in self._controllers:
            self._tasks = SurroundingTasks(self._controllers["pids"] or home)

    @classmethod
    def probe(cls) -> Self | None:
        """Return the groups below this process's own, or None if none can be created."""
        for home in _homes():
            groups = cls(home)
            with contextlib.suppress(OSError):
                groups.give_back(groups.take())
                return groups
        return None

    @property
    def controllers(self) -> frozenset[Kind]:
        """Limits that these groups can enforce."""
        group = self.take(memory_bytes=1 << 40, processes=1 << 20)
        try:
            return group.held
        finally:
            self.give_back(group)

    def take(self, memory_bytes: int | None = None, processes: int | None = None) -> Group:
        """Return an empty group with these limits, as far as this machine can enforce them."""
        group = self._free.popleft() if self._free else self._new()
        group.hold(memory_bytes, processes)
        return group

    def stand_by(self, count: int) -> None:
        """Start a standby process in each of the next `count` groups that has none."""
        if self.launcher is None:
            return
        while len(self._free) < count:
            self._free.append(self._new())
        for group in islice(self._free, count):
            if group.standby is None:
                group.standby = self.launcher.start(group.all_procs)

    def own_pids(self) -> set[int]:
        """Return the PIDs of the launcher and of the standby processes."""
        waiting = {group.standby.pid for group in self._free if group.standby is not None}
        return waiting | {self.launcher.pid} if self.launcher is not None else waiting

    def _new(self) -> Group:
        group = Group(self._home, self._around, self._tasks)
        for kind, home in self._controllers.items():
            group.add(kind, home)
        return group

    def give_back(self, group: Group) -> None:
        """Keep the group for the next bot if nothing is left in it, otherwise remove it."""
        if group.is_empty(END_MS) and group.is_reusable:
            self._free.append(group)
        else:
            group.remove()

    def close(self) -> None:
        """Remove all groups."""
        while self._free:
            self._free.pop().remove()
        if self._around is not None:
            self._around.close()
        if self._tasks is not None:
            self._tasks.close()
        if self.launcher is not None:
            self.launcher.close()


def remove_abandoned_groups() -> None:
    """Kill and remove the groups of this user's ended processes."""
    version_1 = [home for kind in KINDS if (home := version_1_home(kind))]
    with abandoned_in(*_homes(), *version_1) as groups:
        for path in groups:
            remove_group(path)


def _homes() -> list[Path]:
    """Return the possible parent groups, best first.

    A group with processes in it cannot enable controllers, so the parent of this process's own
    group comes first if it has them.
    """
    own = own_group()
    if own is None:
        return []
    return [own.parent, own] if enabled_in(own.parent) else [own]


def remove_group(path: Path) -> None:
    """Kill the processes of a group and remove it, for at most a second."""
    until_ns = time.monotonic_ns() + REMOVAL_NS
    with contextlib.suppress(OSError), (path / "cgroup.kill").open("wb") as killer:
        _kill_all(killer.fileno(), lambda: _pids_in(path))
    while time.monotonic_ns() < until_ns:
        try:
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.001)  # the last process is still ending
        else:
            return


def _pids_in(path: Path) -> list[int]:
    return [int(pid) for pid in (path / "cgroup.procs").read_text().split()]


def _kill_all(killer: int, pids: Callable[[], Iterable[int]]) -> None:
    """Kill a group by its `cgroup.kill`, and the processes that the kernel passes over there.

    It does so if the first thread of a process has ended. Repeats until no new process is found.
    """
    seen = {_OUTSIDE}
    while True:
        os.pwrite(killer, b"1", 0)
        if not (found := set(pids()) - seen):
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        seen |= found
