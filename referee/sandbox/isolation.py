"""How a bot is shut in: four tiers, the best of which a machine may refuse.

namespaces  bubblewrap: no network, no other process, no files but its own (`bubblewrap.py`)
landlock    the kernel refuses it files and system calls instead (`landlock.py`, `seccomp.py`)
limits      limits alone, and another user if the referee is root (`unprivileged.py`)
none        limits alone

In every tier a bot has an environment and a session of its own, no descriptor of ours, and ends
with its referee. What holds it to each limit is told by `in_force`.
"""

import ctypes
import mmap
import os
import resource
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from referee.job import Limits, Player
from referee.sandbox import landlock, seccomp, unprivileged
from referee.sandbox.bubblewrap import (
    HOME,
    OWN_PROCESSES,
    SCRATCH,
    Report,
    Walls,
    has_process_limit,
    wrapped,
)
from referee.sandbox.cgroup import Group
from referee.sandbox.visible_paths import network_paths, own_paths, system_paths

NAMES: Mapping[str, str] = {
    "namespaces": "namespaces by bubblewrap",
    "landlock": "Landlock and seccomp",
    "limits": "limits alone",
    "none": "none",
}
"""The tiers, best first, as people read them."""

_DEVICES = tuple(Path("/dev", name) for name in ("full", "null", "random", "urandom", "zero"))
_UMASK = 0o022
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Where a bot meets its referee."""

    room: Path
    """The folder of its socket; what it may write lies there too, where it has no other place."""
    port: int | None = None
    """Of its endpoint, if that is one of TCP."""
    user: int = unprivileged.NOBODY
    """Who the bot will be if the referee is root."""
    writable: tuple[Path, ...] = ()
    """Folders that a build may write to as well; a bot has none."""
    has_network: bool = False
    """Whether the whole network is open to it, as a build may have it."""

    def home(self, player: Player) -> Path:
        """Return the folder that the bot may write to for as long as it runs."""
        return HOME if player.tier == "namespaces" else self.room

    def scratch(self, player: Player) -> Path | None:
        """Return where the bot finds the folder that lasts, if it has one."""
        if player.scratch is None:
            return None
        return SCRATCH if player.tier == "namespaces" else self.kept

    @property
    def kept(self) -> Path:
        """Where a copy of the folder that lasts is put; in namespaces it is copied once more."""
        return self.room / "scratch"

    def hand_over(self, player: Player) -> None:
        """Give what is there to the user that the bot will be."""
        if player.tier != "none" and unprivileged.is_root():
            for top in (self.room, *self.writable):
                for path in (top, *top.rglob("*")):
                    os.chown(path, self.user, self.user, follow_symlinks=False)


class Isolation:
    """One bot's: the command that starts it shut in, and what its process does before that."""

    def __init__(
        self, player: Player, limits: Limits, group: Group | None, cell: Cell | None
    ) -> None:
        self.command = list(player.argv)
        self.descriptors: list[int] = []
        """What the new process inherits, to be closed here once it is started."""
        self._trouble = mmap.mmap(-1, mmap.PAGESIZE)
        """Shared with the new process: what it could not do of `prepare`."""
        self.report: Report | None = None
        self._player = player
        self._limits = limits
        self._group = group
        self._port = cell.port if cell else None
        self._room = cell.room if cell else None
        self._kept = cell.kept if cell else None
        self._user = cell.user if cell else unprivileged.NOBODY
        self._writable = cell.writable if cell else ()
        self._has_network = cell.has_network if cell else False
        self._referee = os.getpid()
        self._shown = own_paths(player) if player.tier != "none" else []
        self._filter = b""
        self._change_user = self._user_change()
        held = group.held if group else frozenset()
        self._has_counted_processes = "pids" in held
        self._has_counted_memory = "memory" in held
        if player.tier in ("namespaces", "landlock"):
            is_alone = player.tier == "landlock" and limits.processes == 1
            self._filter = seccomp.filter_program(
                has_tcp=self._port is not None,
                may_fork=not is_alone,
                is_among_others=player.tier == "landlock",
                # finding a host takes what is then refused, and a build meets no rival
                shares_user=self._change_user != "its own" and not self._writable,
                has_network=self._has_network,
                may_change_modes=bool(self._writable),
            )
        if player.tier == "namespaces":
            self._wrap()
        self.in_force = self._in_force()
        self.can_leave_group = player.tier == "none" or (
            player.tier == "limits" and self._change_user in ("", "bare root")
        )
        """Whether the bot may move processes of its own to control groups of others."""

    def close(self) -> None:
        """Close what the new process has inherited."""
        self._trouble.close()
        while self.descriptors:
            os.close(self.descriptors.pop())

    def trouble(self) -> str:
        """Return what went wrong in `prepare`."""
        return self._trouble[:].rstrip(b"\0").decode(errors="replace")

    def prepare(self) -> None:
        """Shut this process in, just before it becomes the bot."""
        try:
            self._prepare()
        except OSError as error:
            self._trouble.write(str(error).encode()[: mmap.PAGESIZE])
            raise

    def _prepare(self) -> None:
        if self._group is not None:
            self._group.join()
        os.umask(_UMASK)
        self._limit()
        if self._change_user == "bare root":
            unprivileged.give_up_capabilities()
        elif self._change_user:
            unprivileged.become(self._user, self._needed())
        # the kernel forgets this when the user changes
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != self._referee:
            os._exit(1)  # the referee ended before the line above took hold
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        if self._player.tier == "landlock":
            readable = [*self._system(), *self._shown, Path("/proc")]
            writable = [*([self._room] if self._room else []), *self._writable]
            landlock.restrict_files(
                readable, [*writable, *_DEVICES], self._port, has_network=self._has_network
            )
            seccomp.install(self._filter)
        elif self._player.tier == "namespaces" and self._is_one_port():
            landlock.restrict_network(self._port or 0)
        # last: the referee's own descriptors are still open here, and may be more than that
        resource.setrlimit(resource.RLIMIT_NOFILE, (self._limits.files, self._limits.files))

    def _limit(self) -> None:
        limits = self._limits
        bounds = [
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, self._file_bytes()),
        ]
        if limits.memory_bytes is not None and not self._has_counted_memory:
            bounds.append((resource.RLIMIT_DATA, limits.memory_bytes))
        for kind, bound in bounds:
            resource.setrlimit(kind, (bound, bound))

    def _file_bytes(self) -> int:
        """Return how large one file may be: in namespaces the file systems say it themselves."""
        limits = self._limits
        largest = max(limits.disk_bytes, limits.scratch_bytes if self._player.scratch else 0)
        return 2 * largest if self._player.tier == "namespaces" else largest

    def _needed(self) -> list[Path]:
        return [*self._shown, *self._writable, *([self._room] if self._room else [])]

    def _system(self) -> list[Path]:
        return [*system_paths(), *(network_paths() if self._has_network else [])]

    def _user_change(self) -> str:
        if self._player.tier == "none" or not unprivileged.is_root():
            return ""
        if not unprivileged.can_become_another(self._needed()):
            return "bare root"
        return "nobody" if self._user == unprivileged.NOBODY else "its own"

    def _is_one_port(self) -> bool:
        return self._port is not None and landlock.is_network_closed()

    def _wrap(self) -> None:
        limits = self._limits
        walls = Walls(
            system=self._system(),
            shown=[*self._shown, *([self._room] if self._room else [])],
            writable=self._writable,
            folder=self._player.folder,
            disk_bytes=limits.disk_bytes,
            scratch=self._kept if self._player.scratch else None,
            scratch_bytes=limits.scratch_bytes,
            has_network=self._port is not None or self._has_network,
            is_renamed=self._change_user == "its own",
        )
        has_own_limit = not self._has_counted_processes and has_process_limit()
        processes = limits.processes if has_own_limit else None
        self.command, self.descriptors, self.report = wrapped(
            self.command, walls, self._filter, processes
        )

    def _in_force(self) -> dict[str, str]:
        tier = self._player.tier
        is_walled = tier == "namespaces"
        force = {
            "tier": tier,
            "user": self._change_user or "that of the referee",
            "memory": self._memory_force(),
            "processes": self._processes_force(),
            "files": "each process by RLIMIT_NOFILE",
            "disk": "a file system of its own" if is_walled else "each file by RLIMIT_FSIZE",
            "network": self._network_force(),
        }
        if self._player.scratch:
            force["scratch"] = "a file system of its own" if is_walled else "its size at the end"
        return force

    def _memory_force(self) -> str:
        if self._has_counted_memory:
            return "control group"
        return "none" if self._limits.memory_bytes is None else "each process by RLIMIT_DATA"

    def _processes_force(self) -> str:
        if self._has_counted_processes:
            return "control group"
        if self._player.tier == "namespaces":
            return "RLIMIT_NPROC" if has_process_limit() else "none"
        is_alone = self._player.tier == "landlock" and self._limits.processes == 1
        return "seccomp" if is_alone else "none"

    def _network_force(self) -> str:
        tier, has_tcp = self._player.tier, self._port is not None
        if (
            self._has_network
            or tier in ("limits", "none")
            or (has_tcp and not landlock.is_network_closed())
        ):
            return "open"
        return "one port" if has_tcp else "none"


def process_limit(player: Player, limits: Limits) -> int:
    """Return how many processes a bot's control group must have room for."""
    extra = OWN_PROCESSES if player.tier == "namespaces" else 0
    return limits.processes + extra + (1 if player.scratch else 0)  # `cp`, before the bot
