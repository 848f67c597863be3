"""Controllers of a bot's control group: total memory, and total number of processes.

With version 2 they act on the group itself, if enabled in the groups above. With version 1 each
controller has separate groups, and the bot joins one of each.
"""

import contextlib
import os
import re
import select
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

from referee.sandbox.locked import make_locked
from referee.sandbox.surroundings import memory_alarm

Kind = Literal["memory", "pids"]

KINDS: tuple[Kind, ...] = ("memory", "pids")
UNLIMITED = "max"

_KILLS = re.compile(rb"^oom_kill (\d+)$", re.MULTILINE)
_SHORTAGES = re.compile(rb"^oom (\d+)$", re.MULTILINE)
_REFUSALS = re.compile(rb"^max (\d+)$", re.MULTILINE)
"""In the events of processes: forks that were refused."""
LOCAL_EVENTS = "pids.events.local"
"""Since Linux 6.11, beside a `pids.events` of version 2 that counts only at the own limit."""
_MAX_EVENTS = 4096
PRECISION = 4 << 20
"""Bytes below a limit that count as the limit: the kernel charges many pages at once."""


class _Files(NamedTuple):
    limit: str
    and_swap: str | None
    events: str | None
    used: str | None
    peaks: tuple[str, ...]
    """Files of the largest memory so far, the first of them that exists counts."""


_PIDS = _Files("pids.max", None, "pids.events", "pids.current", ("pids.peak",))
_VERSION_1: Mapping[Kind, _Files] = MappingProxyType(
    {
        "memory": _Files(
            "memory.limit_in_bytes",
            "memory.memsw.limit_in_bytes",
            "memory.oom_control",
            "memory.usage_in_bytes",
            ("memory.memsw.max_usage_in_bytes", "memory.max_usage_in_bytes"),
        ),
        "pids": _PIDS,
    }
)
_VERSION_2: Mapping[Kind, _Files] = MappingProxyType(
    {
        "memory": _Files("memory.max", None, "memory.events", "memory.current", ("memory.peak",)),
        "pids": _PIDS,
    }
)


class Controller:
    """A controller of a group."""

    def __init__(self, kind: Kind, group: Path, home: Path | None) -> None:
        """Control the version 2 `group`, or a new version 1 group below `home`."""
        self._kind, self._is_version_1 = kind, home is not None
        self._lock: int | None = None
        self._folder = group
        if home is not None:
            self._folder, self._lock = make_locked(home)
        self._files = (_VERSION_1 if self._is_version_1 else _VERSION_2)[kind]
        self._unlimited = "-1" if self._files.and_swap else UNLIMITED
        self.procs: int | None = None
        """Descriptor: writing "0" moves the writer in; None with version 2."""
        self.alarm: int | None = None
        """Descriptor: readable when this group or one above it has had no memory."""
        if self._is_version_1:
            self.procs = os.open(self._folder / "cgroup.procs", os.O_WRONLY)
        self._limit = os.open(self._folder / self._files.limit, os.O_WRONLY)
        self._and_swap = self._open(self._files.and_swap, os.O_WRONLY)
        self._events = self._open(self._files.events, os.O_RDONLY)
        self._used = self._open(self._files.used, os.O_RDONLY)
        self._peak = next(filter(None, map(self._open_peak, self._files.peaks)), None)
        self.most: int | None = None
        """The limit in bytes or processes; None is no limit."""
        self._before: dict[re.Pattern[bytes], int] = {}
        """Counts at `begin`."""
        self._peak_before = 0
        self._counts_own_refusals = (
            kind == "pids" and not self._is_version_1 and (group / LOCAL_EVENTS).exists()
        )
        if kind == "memory" and not self._is_version_1:
            self._end_as_one()
        elif kind == "memory":
            with contextlib.suppress(OSError):
                self.alarm = memory_alarm(self._folder)

    def limit(self, amount: int | None) -> None:
        """Limit the group's bytes or processes; None is no limit."""
        self.most = amount
        text = (self._unlimited if amount is None else str(amount)).encode()
        if self._and_swap is not None:
            os.pwrite(self._and_swap, self._unlimited.encode(), 0)  # never below the other
        os.pwrite(self._limit, text, 0)
        if self._and_swap is not None:
            os.pwrite(self._and_swap, text, 0)

    def begin(self) -> None:
        """Forget all that has happened before, as far as the kernel allows that."""
        self.silence()
        lines = (_REFUSALS,) if self._kind == "pids" else (_KILLS, _SHORTAGES)
        self._before = {line: self._count(line) for line in lines}
        if self._peak is not None:
            with contextlib.suppress(OSError):  # an older kernel
                os.pwrite(self._peak, b"0", 0)
            self._peak_before = _number(self._peak)

    def silence(self) -> None:
        """Clear earlier alarms."""
        if self.alarm is not None:
            with contextlib.suppress(BlockingIOError):
                os.eventfd_read(self.alarm)

    def has_killed(self) -> bool:
        """Whether a process was killed for lack of memory, of this group or of one above."""
        return self._has_counted(_KILLS)

    def has_reached_limit(self) -> bool:
        """Whether this group's own limit of memory was reached, so that a process had to end.

        Version 2 counts just that. With version 1 the alarm may be that of a group above, and the
        peak that of a file of which a part could be dropped from the memory instead.
        """
        if not self._is_version_1:
            return self._has_counted(_SHORTAGES)
        has_rung = self.alarm is None or bool(select.select([self.alarm], [], [], 0)[0])
        return has_rung and self.most is not None and self.peak() > self.most - PRECISION

    def refused_by(self, left: Callable[[], int]) -> Literal["", "its limit", "around"]:
        """Return which limit of processes has refused a process of the group since `begin`.

        Since Linux 6.11, version 2 counts here what the own limit refused, and nothing else. Other
        kernels count every refusal: it was not the own limit if the peak is below. Without a peak,
        or with that of an earlier bot, it was not if the limit is out of reach: `left` returns how
        many processes all may start.
        """
        if not self._has_counted(_REFUSALS):
            return ""
        if self._counts_own_refusals or self.most is None:
            return "its limit" if self._counts_own_refusals else "around"
        if self._peak is None or self._peak_before >= self.most:
            is_own = self.used() + left() >= self.most
        else:
            is_own = _number(self._peak) >= self.most
        return "its limit" if is_own else "around"

    @property
    def has_full_peak(self) -> bool:
        """Whether the largest number of processes, never reset, hides that of a next bot."""
        return self.most is not None and self._peak is not None and self.peak() >= self.most

    def used(self) -> int:
        """Return the memory charged to the group, or its processes and threads; 0 if unknown."""
        return _number(self._used) if self._used is not None else 0

    def peak(self) -> int:
        """Return the largest use since `begin`, or the present one if unknown."""
        peak = 0 if self._peak is None else _number(self._peak)
        return peak if peak > self._peak_before else self.used()

    def _has_counted(self, line: re.Pattern[bytes]) -> bool:
        return self._count(line) > self._before.get(line, 0)

    def _count(self, line: re.Pattern[bytes]) -> int:
        return 0 if self._events is None else _count_in(self._events, line)

    def _open(self, name: str | None, how: int) -> int | None:
        """Open a file of the group; None if there is no such file."""
        with contextlib.suppress(FileNotFoundError):
            return None if name is None else os.open(self._folder / name, how)
        return None

    def _open_peak(self, name: str) -> int | None:
        """Open a file of the peak to be reset, or to be read by an older kernel's user."""
        try:
            return self._open(name, os.O_RDWR)
        except PermissionError:
            return self._open(name, os.O_RDONLY)

    def _end_as_one(self) -> None:
        """Have the kernel kill the whole group at the memory limit."""
        for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
            with contextlib.suppress(OSError):  # a machine without swap may have no such file
                (self._folder / name).write_text(value)

    def remove(self) -> None:
        """Close the controller; remove its version 1 group if empty."""
        files = (
            *(self.alarm, self.procs, self._limit),
            *(self._and_swap, self._events, self._used, self._peak),
        )
        for descriptor in files:
            if descriptor is not None:
                os.close(descriptor)
        if self.procs is not None:
            with contextlib.suppress(OSError):
                self._folder.rmdir()
        if self._lock is not None:
            os.close(self._lock)


def refusals_in(events: int) -> int:
    """Return the number of refused processes in an open file of events."""
    return _count_in(events, _REFUSALS)


def _count_in(events: int, line: re.Pattern[bytes]) -> int:
    found = line.search(os.pread(events, _MAX_EVENTS, 0))
    return int(found[1]) if found else 0


def _number(file: int) -> int:
    return int(os.pread(file, _MAX_EVENTS, 0))


def version_1_home(kind: Kind) -> Path | None:
    """Return this process's version 1 group of the controller, or None if not mounted."""
    return _home("cgroup", kind)


def own_group() -> Path | None:
    """Return the version 2 group of this process, or None if not mounted."""
    return _home("cgroup2", "")


def enabled_in(home: Path) -> tuple[Kind, ...]:
    """Return the controllers enabled for the children of a version 2 group."""
    try:
        enabled = (home / "cgroup.subtree_control").read_text().split()
    except OSError:
        return ()
    return tuple(kind for kind in KINDS if kind in enabled)


def _home(file_system: str, controller: str) -> Path | None:
    """Return this process's group in a hierarchy; that of version 2 has the controller ""."""
    try:
        memberships = Path("/proc/self/cgroup").read_text().splitlines()
        mounts = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    except OSError:
        return None
    parts = [line.split(":", 2) for line in memberships]
    inside = next((path for _, names, path in parts if controller in names.split(",")), None)
    for fields in mounts:
        kind, options = fields[fields.index("-") + 1], fields[-1].split(",")
        if inside is not None and kind == file_system and (not controller or controller in options):
            return Path(fields[4]) / inside.lstrip("/")
    return None
