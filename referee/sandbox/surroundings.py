"""The memory around a referee: the control groups above its bots, and the machine.

A kernel without memory for a group ends processes of the groups below it, far below their own
limits. Such a death is the fault of no bot. With version 1 a group's own counters cannot tell which
limit was reached: this module listens at the group above.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MB = 1 << 20
_MEMINFO = Path("/proc/meminfo")


@dataclass(frozen=True)
class Room:
    """All the memory that something has."""

    owner: str
    """The control group or machine, in words."""
    total_bytes: int

    def __str__(self) -> str:
        return f"{self.owner} has {self.total_bytes // MB} MB in all"


class Surroundings:
    """The group in which a referee makes its groups, and those above it."""

    def __init__(self, home: Path, *, is_version_2: bool) -> None:
        self._home, self._is_version_2 = home, is_version_2
        self._alarms = 0
        self._alarm: int | None = None
        if not is_version_2:
            with contextlib.suppress(OSError):
                self._alarm = memory_alarm(home)

    def alarms(self) -> int:
        """Return how often this group or one above it has had no memory, where that is known."""
        if self._alarm is not None:
            with contextlib.suppress(BlockingIOError):
                self._alarms += os.eventfd_read(self._alarm)
        return self._alarms

    def room(self) -> Room:
        """Return the smallest total of memory here: of a group above, or of the machine."""
        return memory_room(self._home, is_version_2=self._is_version_2)

    def close(self) -> None:
        """Stop listening."""
        if self._alarm is not None:
            os.close(self._alarm)
            self._alarm = None


def memory_room(home: Path | None, *, is_version_2: bool) -> Room:
    """Return the smallest total of memory: of this group, of one above it, or of the machine."""
    machine = Room("this machine", _machine_bytes())
    limited = [] if home is None else list(_limited(home, is_version_2=is_version_2))
    return min([machine, *limited], key=lambda room: room.total_bytes)


def _limited(home: Path, *, is_version_2: bool) -> Iterator[Room]:
    name = "memory.max" if is_version_2 else "memory.limit_in_bytes"
    for group in (home, *home.parents):
        with contextlib.suppress(OSError, ValueError):  # no group, or `max`
            yield Room(f"the control group {group}", int((group / name).read_text()))


def memory_alarm(group: Path) -> int:
    """Return a descriptor, readable once a version 1 group or one above it has had no memory."""
    alarm = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
    try:
        with (group / "memory.oom_control").open() as events:
            ring = f"{alarm} {events.fileno()}"
            (group / "cgroup.event_control").write_text(ring)
    except OSError:
        os.close(alarm)
        raise
    return alarm


def _machine_bytes() -> int:
    first = _MEMINFO.read_text().partition("\n")[0]  # "MemTotal: 24684032 kB"
    return int(first.split()[1]) * 1024
