"""A control group a bot: exact CPU time of whole process trees, and their end in one stroke.

Version 2 groups are used wherever the referee may make one below its own; no controller needs to
be enabled for CPU accounting, listing and killing. Where none can be made the referee goes on
with the process clock and says so in the record (`cpu: approximate`). Where the controllers of
memory and processes are to be had, they hold the group to the bot's limits.
"""

import contextlib
import os
import time
from pathlib import Path
from typing import Self

from referee.sandbox.controllers import KINDS, Controller, Kind, enabled_in, version_1_home
from referee.sandbox.locked import abandoned_in, make_locked

MICROSECOND_NS = 1_000
REMOVAL_NS = 1_000_000_000


class Group:
    """One control group, open for reading its CPU time."""

    def __init__(self, home: Path) -> None:
        """Make it below the group `home`."""
        self.path, self._lock = make_locked(home)
        self._stat = os.open(self.path / "cpu.stat", os.O_RDONLY)
        self.procs = os.open(self.path / "cgroup.procs", os.O_WRONLY)
        """Writing "0" moves the writer in: done by the bot's process before it becomes the bot."""
        self._controllers: dict[Kind, Controller] = {}
        self.held: frozenset[Kind] = frozenset()
        """What the group as a whole is held to."""

    def add(self, kind: Kind, home: Path | None) -> None:
        """Have the controller work on the group, if it is to be had; `home` is of version 1."""
        with contextlib.suppress(OSError):
            self._controllers[kind] = Controller(kind, self.path, home)

    def hold(self, memory_bytes: int | None, processes: int | None) -> None:
        """Hold all its processes together to so much memory, and to so many; None is no limit."""
        amounts: dict[Kind, int | None] = {"memory": memory_bytes, "pids": processes}
        held: set[Kind] = set()
        for kind, controller in self._controllers.items():
            with contextlib.suppress(OSError):
                controller.limit(amounts[kind])
                held.add(kind)
            controller.silence()
        self.held = frozenset(kind for kind in held if amounts[kind] is not None)

    def join(self) -> None:
        """Move this process in."""
        os.write(self.procs, b"0")
        for controller in self._controllers.values():
            if controller.procs is not None:
                os.write(controller.procs, b"0")

    @property
    def memory_alarm(self) -> int | None:
        """What becomes readable when one of it was killed for want of memory.

        None where nothing tells, or where the kernel then kills all of it by itself.
        """
        return self._controllers["memory"].alarm if "memory" in self._controllers else None

    def memory_kills(self) -> int:
        """Return how many processes of all that were ever in the group had too much memory."""
        return self._controllers["memory"].kills() if "memory" in self._controllers else 0

    def cpu_ns(self) -> int:
        """Return the CPU time of all processes that were ever in the group."""
        line = os.pread(self._stat, 64, 0)  # "usage_usec N" comes first
        return int(line[11 : line.index(b"\n")]) * MICROSECOND_NS

    def kill(self) -> None:
        """End every process in the group, whatever it has forked or ignores."""
        (self.path / "cgroup.kill").write_text("1")

    def freeze(self) -> None:
        """Have the kernel stop every process in the group, and what they are forking by now."""
        (self.path / "cgroup.freeze").write_text("1")

    def thaw(self) -> None:
        """Let a frozen group go on."""
        (self.path / "cgroup.freeze").write_text("0")

    def pids(self) -> list[int]:
        """Return the processes in the group, orphans included."""
        return [int(pid) for pid in (self.path / "cgroup.procs").read_text().split()]

    def is_empty(self) -> bool:
        """Whether no process is left in the group."""
        return "populated 0" in (self.path / "cgroup.events").read_text()

    def remove(self) -> None:
        """Kill what is left and remove the group; a group that does not empty is left behind."""
        os.close(self._stat)
        os.close(self.procs)
        remove_group(self.path)
        os.close(self._lock)
        for controller in self._controllers.values():
            controller.remove()


class Groups:
    """The groups of one referee, made when needed and used again."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._free: list[Group] = []
        enabled = enabled_in(home)
        self._controllers: dict[Kind, Path | None] = {
            kind: None if kind in enabled else version_1
            for kind in KINDS
            if kind in enabled or (version_1 := version_1_home(kind))
        }
        """Where each is to be had: in the groups themselves, or in those of version 1 below."""

    @classmethod
    def probe(cls) -> Self | None:
        """Return the groups below this process's own, or None where they cannot be made."""
        for home in _homes():
            groups = cls(home)
            with contextlib.suppress(OSError):
                groups.give_back(groups.take())
                return groups
        return None

    @property
    def controllers(self) -> frozenset[Kind]:
        """What groups of these can be held to."""
        group = self.take(memory_bytes=1 << 40, processes=1 << 20)
        try:
            return group.held
        finally:
            self.give_back(group)

    def take(self, memory_bytes: int | None = None, processes: int | None = None) -> Group:
        """Return an empty group, held to so much as far as this machine can."""
        if self._free:
            group = self._free.pop()
        else:
            group = Group(self._home)
            for kind, home in self._controllers.items():
                group.add(kind, home)
        group.hold(memory_bytes, processes)
        return group

    def give_back(self, group: Group) -> None:
        """Keep an empty group for the next bot; one that does not empty is removed."""
        if group.is_empty():
            self._free.append(group)
        else:
            group.remove()

    def close(self) -> None:
        """Remove all groups."""
        while self._free:
            self._free.pop().remove()


def own_group() -> Path | None:
    """Return the version 2 group of this process, if that hierarchy is mounted."""
    try:
        memberships = Path("/proc/self/cgroup").read_text().splitlines()
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return None
    inside = next((line[3:] for line in memberships if line.startswith("0::")), None)
    mount = next((fields[4] for fields in mounts if "cgroup2" in fields[fields.index("-") :]), None)
    if inside is None or mount is None:
        return None
    return Path(mount) / inside.lstrip("/")


def remove_abandoned_groups() -> None:
    """Kill and remove the groups of processes that are gone, of this user."""
    version_1 = [home for kind in KINDS if (home := version_1_home(kind))]
    with abandoned_in(*_homes(), *version_1) as groups:
        for path in groups:
            remove_group(path)


def _homes() -> list[Path]:
    """Return where groups may be made, best first: beside this process if that has controllers.

    A group with processes in it hands none on; so this process's own is second.
    """
    own = own_group()
    if own is None:
        return []
    return [own.parent, own] if enabled_in(own.parent) else [own]


def remove_group(path: Path) -> None:
    """Kill what is in a group and remove it, for at most a second."""
    until_ns = time.monotonic_ns() + REMOVAL_NS
    with contextlib.suppress(OSError):
        (path / "cgroup.kill").write_text("1")
    while time.monotonic_ns() < until_ns:
        try:
            path.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.001)  # the last process is still on its way out
        else:
            return
