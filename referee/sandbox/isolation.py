"""Isolation of one process: the command that starts it, and the steps before its `exec`.

This module holds the parts that all tiers share; `referee.sandbox.tiers` has a class for each
tier. In every tier a bot gets its own environment and session, inherits no descriptor of the
referee, and ends with its referee.
"""

import abc
import os
import resource
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from referee.sandbox import unprivileged
from referee.sandbox.bubblewrap import Status
from referee.sandbox.cgroup import Group
from referee.sandbox.disk import BotDisk
from referee.sandbox.limits import Limits
from referee.sandbox.program import Program
from referee.sandbox.steps import Step
from referee.sandbox.uncounted import DESCRIPTORS, TASKS, Bounds
from referee.sandbox.users import give_directory
from referee.sandbox.visible_paths import recent_own_paths

ADDRESSES = 64
LEAST_ADDRESSES = 16 << 30
"""Address space of a process: a multiple of its memory, and at least this much, since runtimes
reserve gigabytes. The kernel counts page tables for no limit: they are at most a 512th of it."""
MAX_TIMERS = 256
"""Limit of a bot's POSIX timers and queued signals. A timer costs its bot nothing when it goes off,
but whatever runs then: thousands of them would be charged to its rival."""

CONTROL_GROUP = "control group"
ITS_ONLY_PROCESS = "its only process"
_OWN_FILE_SYSTEM = "a file system of its own"
_UMASK = 0o022


@dataclass(frozen=True, kw_only=True)
class Access:
    """Directories, network and user id of one bot or build."""

    directory: Path
    """Sandbox directory: holds the socket, and the bot's files in tiers without own file system."""
    port: int | None = None
    """TCP port of the referee; None for a Unix socket."""
    user: int = unprivileged.NOBODY
    """User id of the bot if the referee is root."""
    writable: tuple[Path, ...] = ()
    """Further writable directories of a build; empty for a bot."""
    has_network: bool = False
    """Whether the whole network is open, as for a build with `build_network: allow`."""

    @property
    def scratch_copy(self) -> Path:
        """The copy of the bot's scratch directory."""
        return self.directory / "scratch"


def max_timers() -> int:
    """Return the limit of a bot's timers that this process may set."""
    hard = resource.getrlimit(resource.RLIMIT_SIGPENDING)[1]
    return MAX_TIMERS if hard == resource.RLIM_INFINITY else min(MAX_TIMERS, hard)


def max_core() -> int:
    """Return the limit of core files in bytes that this process may set, for none to be written.

    With exactly 1, no crash starts a program of the host, as a pattern with a pipe asks; with 0 it
    does, as root, at the cost of nobody.
    """
    return 0 if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0 else 1


def max_addresses(memory: int) -> int:
    """Return the limit of the address space of a process with this much memory, in bytes."""
    wanted = max(LEAST_ADDRESSES, ADDRESSES * memory)
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)


class Isolation(abc.ABC):
    """Isolation of one process; each tier is a subclass."""

    name: ClassVar[str]
    title: ClassVar[str]
    """Name of the tier in messages."""
    hides_files: ClassVar[bool] = False
    """Whether the bot reads listed paths only (`visible_paths.py`)."""
    own_home: ClassVar[Path | None] = None
    own_scratch: ClassVar[Path | None] = None
    """Home and scratch directory in file systems that exist only inside, while the bot runs."""
    extra_processes: ClassVar[int] = 0
    """Processes of the tier's own program, which count among the bot's."""

    @staticmethod
    def missing() -> str | None:
        """Return the missing requirement of this tier, or None. Starts nothing."""
        return None

    @classmethod
    def home(cls, access: Access) -> Path:
        """Return the writable directory of the bot, as the bot sees it."""
        return cls.own_home or access.directory

    @classmethod
    def scratch(cls, access: Access) -> Path:
        """Return the scratch directory, as the bot sees it."""
        return cls.own_scratch or access.scratch_copy

    def __init__(
        self, program: Program, limits: Limits, group: Group | None, access: Access
    ) -> None:
        self.command = list(program.argv)
        self.descriptors: list[int] = []
        """Descriptors that the new process inherits; `close` closes them here."""
        self.status: Status | None = None
        """Status messages of bubblewrap, if it starts the bot."""
        self._program = program
        self._limits = limits
        self._group = group
        self._access = access
        self._controllers = group.held if group else frozenset()
        self._referee = os.getpid()
        self._visible = self._find_visible()
        self._user_change = self._choose_user()
        self.can_leave_group = self._can_leave_group()
        """Whether the bot can move its processes to another control group."""
        self._set_up()

    def close(self) -> None:
        """Close the descriptors for the new process, which has its own copies now."""
        while self.descriptors:
            os.close(self.descriptors.pop())

    def hand_over(self) -> None:
        """Change the owner of the bot's writable files to the bot's user."""
        if not self._keeps_user():
            for top in self._writable():
                give_directory(top, self._access.user)

    def keep(self, pid: int) -> None:  # noqa: B027 - one tier needs more
        """Keep what later bots can use of this process, which has executed the command."""

    def steps(self) -> list[Step]:
        """Return the steps of the new process between its fork and the exec of the bot."""
        return [
            ("umask", _UMASK),
            ("end first without memory",),
            *self._limit_steps(),
            *self._user_steps(),
            # the kernel clears this setting when the user changes
            ("end with", self._referee),
            ("refuse new privileges",),
            *self._restrictions(),
            # last: the referee's descriptors are still open here and may exceed the bot's limit
            ("limit", resource.RLIMIT_NOFILE, self._limits.files),
        ]

    @property
    def in_force(self) -> dict[str, str]:
        """The mechanism that enforces each limit, for the match record."""
        force = {
            "tier": self.name,
            "user": self._user_change or "that of the referee",
            "clock": self._clock_force(),
            "memory": self._memory_force(),
            "processes": self._processes_force(),
            "files": "each process by RLIMIT_NOFILE",
            "disk": _OWN_FILE_SYSTEM if self.own_home else "each file by RLIMIT_FSIZE",
            "network": self._network_force(),
        }
        if self._program.has_scratch:
            force["scratch"] = _OWN_FILE_SYSTEM if self.own_scratch else "its size at the end"
        return force

    def shared_disk(self) -> BotDisk | None:
        """Return the disk of a bot's files that others use, too; None for any other program."""
        if self.own_home is not None or self._access.writable:
            return None  # a file system of its own, or a build, which judges its disk itself
        limits = self._limits
        limit = limits.disk_bytes + (limits.scratch_bytes if self._program.has_scratch else 0)
        return BotDisk(self._access.directory, limit)

    @property
    def may_start_processes(self) -> bool:
        """Whether nothing refuses new processes; threads are always allowed."""
        return True

    @property
    def has_exact_clock(self) -> bool:
        """Whether its CPU time includes every process that it may start."""
        return self._clock_force() in (CONTROL_GROUP, ITS_ONLY_PROCESS)

    def _clock_force(self) -> str:
        if self._group is not None and not self.can_leave_group:
            return CONTROL_GROUP
        return "its processes, approximate"

    def watched(self) -> Bounds:
        """Return the limits that the kernel does not cover for this bot, for the referee."""
        is_counted, may_start = self._is_memory_counted(), self.may_start_processes
        is_open = may_start and self.hides_files and (self.shares_user or not is_counted)
        return Bounds(
            places=() if is_counted or self.own_home is None else self._places_in_memory(),
            memory_bytes=None if is_counted or not may_start else self._limits.memory_bytes,
            descriptors=DESCRIPTORS * self._limits.files if is_open else None,
            tasks=TASKS * self._limits.processes if self._has_uncounted_tasks() else None,
        )

    @property
    def shares_user(self) -> bool:
        """Whether its rivals may have the same user."""
        return self._user_change != "its own"

    def _has_uncounted_tasks(self) -> bool:
        return self.hides_files and self._processes_force() == "none"

    def _places_in_memory(self) -> tuple[Path, ...]:
        """Return the writable file systems in memory of its own, as the bot sees them."""
        return ()

    def _limit_steps(self) -> list[Step]:
        bounds = {resource.RLIMIT_CORE: max_core(), resource.RLIMIT_FSIZE: self._max_file_bytes()}
        if self._has_timers_of_its_user():
            bounds[resource.RLIMIT_SIGPENDING] = max_timers()
        _, bounds[resource.RLIMIT_DATA] = resource.getrlimit(resource.RLIMIT_DATA)  # as before ours
        later: list[Step] = []
        if not self._is_memory_counted() and (memory := self._limits.memory_bytes) is not None:
            bounds[resource.RLIMIT_DATA] = memory
            bounds[resource.RLIMIT_AS] = max_addresses(memory)
            later = [("limit later", resource.RLIMIT_STACK, memory)]
        return [*(("limit", kind, bound) for kind, bound in bounds.items()), *later]

    def _has_timers_of_its_user(self) -> bool:
        """Return whether its timers and pending signals count for its user, not for it alone."""
        return True

    def _is_memory_counted(self) -> bool:
        """Return whether a control group counts the memory, or none has to."""
        return "memory" in self._controllers or self._limits.memory_bytes is None

    def _user_steps(self) -> list[Step]:
        if self._user_change == "bare root":
            return [("give up capabilities",)]
        if self._user_change:
            return [("become", self._access.user, unprivileged.hidden(self._needed()))]
        return []

    def _set_up(self) -> None:  # noqa: B027 - two tiers need no more
        """Extend the command, or compute a filter, before the start."""

    def _restrictions(self) -> list[Step]:
        """Return the steps of the tier's further restrictions."""
        return []

    def _max_file_bytes(self) -> int:
        limits = self._limits
        return max(limits.disk_bytes, limits.scratch_bytes if self._program.has_scratch else 0)

    def _find_visible(self) -> list[Path]:
        return recent_own_paths(self._program)

    def _writable(self) -> list[Path]:
        return [self._access.directory, *self._access.writable]

    def _needed(self) -> list[Path]:
        return [*self._visible, *self._writable()]

    def _choose_user(self) -> str:
        """Return the bot's user in the words of `in_force`; empty for the referee's own user."""
        if not unprivileged.is_root():
            return ""
        if not unprivileged.can_become(self._access.user, self._needed()):
            return "bare root"
        return "nobody" if self._access.user == unprivileged.NOBODY else "its own"

    def _keeps_user(self) -> bool:
        """Return whether the bot has the user of the referee, who owns its files already."""
        return self._user_change in ("", "bare root")

    def _can_leave_group(self) -> bool:
        return self._keeps_user()

    def _network_force(self) -> str:
        return "open"

    def _memory_force(self) -> str:
        if "memory" in self._controllers:
            return CONTROL_GROUP
        return "none" if self._limits.memory_bytes is None else "each process by RLIMIT_DATA"

    def _processes_force(self) -> str:
        return CONTROL_GROUP if "pids" in self._controllers else "none"
