"""The four tiers of isolation, best first. A machine may refuse the better ones.

namespaces  bubblewrap: own network, processes and file systems (`bubblewrap.py`)
landlock    files and system calls refused by the kernel (`landlock.py`, `seccomp.py`)
limits      limits only, and another user if the referee is root (`unprivileged.py`)
none        limits only

A new tier is a subclass of `Isolation` in `TIERS`.
"""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import ClassVar

from referee.sandbox import bubblewrap, kept, landlock, seccomp, unprivileged
from referee.sandbox.isolation import ITS_ONLY_PROCESS, Isolation, max_timers
from referee.sandbox.limits import Limits, Tier
from referee.sandbox.program import Program
from referee.sandbox.steps import Step
from referee.sandbox.visible_paths import network_paths, recent_system_paths

_DEVICES = tuple(Path("/dev", name) for name in ("full", "null", "random", "urandom"))
_ZERO = Path("/dev/zero")
"""Shared memory for everybody who maps it."""


class _Filtered(Isolation):
    """Common part of the tiers that hide files and filter system calls."""

    hides_files: ClassVar = True
    is_among_others: ClassVar[bool]
    """Whether processes and files of the same user are reachable by system calls."""

    @staticmethod
    def missing() -> str | None:
        """Return the missing requirement: a known processor."""
        supported = seccomp.is_supported()
        return None if supported else "the system calls of this processor are unknown to Arena"

    def _can_leave_group(self) -> bool:
        return False

    @property
    def may_start_processes(self) -> bool:
        """Whether its system calls for new processes are allowed."""
        return self._group is not None or self._program.asks_for_processes or self._is_build()

    def _clock_force(self) -> str:
        return super()._clock_force() if self.may_start_processes else ITS_ONLY_PROCESS

    def _is_build(self) -> bool:
        return bool(self._access.writable)

    def _is_one_port(self) -> bool:
        return self._access.port is not None and landlock.is_network_closed()

    def _network_force(self) -> str:
        if self._access.has_network:
            return "open"
        if self._access.port is None:
            return "none"
        return "one port" if landlock.is_network_closed() else "open"

    def _system(self) -> list[Path]:
        return [*recent_system_paths(), *(network_paths() if self._access.has_network else [])]

    def _filter(self, *, may_fork: bool = True) -> bytes:
        is_build = self._is_build()
        return seccomp.filter_program(
            seccomp.Rights(
                has_tcp=self._access.port is not None,
                may_fork=may_fork,
                may_start_processes=self.may_start_processes,
                is_among_others=self.is_among_others,
                # resolvers need sendmsg, and a build runs beside no rival
                shares_user=self.shares_user and not is_build,
                has_network=self._access.has_network,
                may_change_modes=is_build,
                is_memory_counted=self._is_memory_counted() or is_build,
                has_group=self._group is not None or is_build,
            )
        )


class Namespaces(_Filtered):
    """Namespaces of Linux, made by bubblewrap."""

    name: ClassVar = "namespaces"
    title: ClassVar = "namespaces by bubblewrap"
    own_home: ClassVar = bubblewrap.HOME
    own_scratch: ClassVar = bubblewrap.SCRATCH
    extra_processes: ClassVar = bubblewrap.OWN_PROCESSES
    is_among_others: ClassVar = False

    @staticmethod
    def missing() -> str | None:
        """Return the missing requirement: bubblewrap, or a known processor."""
        return bubblewrap.why_missing() or _Filtered.missing()

    def _set_up(self) -> None:
        access, limits, program = self._access, self._limits, self._program
        is_by_root = self._can_mount()
        has_network = access.port is not None or access.has_network
        has_kept_network = is_by_root and not has_network and self._group is not None
        inside = bubblewrap.Inside(
            system=tuple(self._system()),
            visible=tuple(self._visible),
            writable=access.writable,
            folder=program.folder,
            disk_bytes=limits.disk_bytes,
            scratch=access.scratch_copy if program.has_scratch else None,
            scratch_bytes=limits.scratch_bytes,
            may_start_processes=self.may_start_processes,
            directory=access.directory,
            keeps_network=has_network or has_kept_network,
            is_renamed=self._user_change == "its own",
            has_zero=self._is_memory_counted(),
        )
        self._root = root = inside.root() if is_by_root else None
        self.command, self.descriptors, self.status = bubblewrap.wrap(
            self.command, inside, self._filter(), self._bounds_inside(), root
        )
        self._first: list[Step] = []
        self._shared: list[tuple[kept.Kept, Hashable]] = []
        if has_kept_network:
            self._share(kept.NETWORKS, self._group, ("make network",))
        if root is not None:
            if self._group is None:
                self._first.append(root.step)
            else:
                self._share(kept.ROOTS, (self._group, root.key()), root.step)
            self._first.append(("make terminals",))

    def _bounds_inside(self) -> dict[str, int]:
        """Return the limits set inside by name; outside, all bots of a user have one count."""
        bounds = {}
        if self._processes_force() == "RLIMIT_NPROC":
            bounds["nproc"] = self._limits.processes + 1  # the first process inside counts as well
        if not self._has_timers_of_its_user():
            bounds["sigpending"] = max_timers()
        return bounds

    def _has_timers_of_its_user(self) -> bool:
        return self._user_change == "its own" or not bubblewrap.has_limits_inside()

    def _share(self, shared: kept.Kept, key: Hashable, make: Step) -> None:
        """Enter a kept namespace before bubblewrap, or make one and keep it."""
        self._first.append(shared.step(key, make, self.descriptors))
        self._shared.append((shared, key))

    def keep(self, pid: int) -> None:
        """Keep the namespaces of this process, bubblewrap, for the processes of later bots."""
        for shared, key in self._shared:
            shared.keep(key, pid)

    def _places_in_memory(self) -> tuple[Path, ...]:
        scratch = (bubblewrap.SCRATCH,) if self._program.has_scratch else ()
        return bubblewrap.HOME, bubblewrap.SHARED_MEMORY, *scratch

    def _can_mount(self) -> bool:
        """Return whether root makes the mounts, in a place that the bot's user can reach."""
        is_other = self._user_change in ("its own", "nobody") and unprivileged.has_admin()
        return is_other and not unprivileged.hidden([self._access.directory])

    def _user_steps(self) -> list[Step]:
        if self._root is None:
            return [*self._first, *super()._user_steps()]
        return [*self._first, ("become", self._access.user, {})]

    def _restrictions(self) -> list[Step]:
        return [("restrict network", self._access.port)] if self._is_one_port() else []

    def _max_file_bytes(self) -> int:
        return 2 * super()._max_file_bytes()  # the size of the file systems is the limit

    def _processes_force(self) -> str:
        force = super()._processes_force()
        return "RLIMIT_NPROC" if force == "none" and bubblewrap.has_limits_inside() else force


class Landlock(_Filtered):
    """Landlock and a seccomp filter."""

    name: ClassVar = "landlock"
    title: ClassVar = "Landlock and seccomp"
    is_among_others: ClassVar = True

    @staticmethod
    def missing() -> str | None:
        """Return the missing requirement: Landlock, or a known processor."""
        reason = (
            None
            if landlock.landlock_version()
            else "this kernel has no Landlock, or it is turned off"
        )
        return _Filtered.missing() or reason

    def _restrictions(self) -> list[Step]:
        readable = [*self._system(), *self._visible, Path("/proc")]
        return [
            (
                "restrict files",
                list(map(str, readable)),
                list(map(str, [*self._writable(), *self._devices()])),
                self._access.port,
                self._access.has_network,
            ),
            ("filter", self._filter(may_fork=self._limits.processes > 1)),
        ]

    def _devices(self) -> list[Path]:
        return [*_DEVICES, *([_ZERO] if self._is_memory_counted() else [])]

    def _processes_force(self) -> str:
        force = super()._processes_force()
        return "seccomp" if force == "none" and self._limits.processes == 1 else force


class LimitsOnly(Isolation):
    """Limits, and another user if the referee is root."""

    name: ClassVar = "limits"
    title: ClassVar = "limits alone"


class NoIsolation(Isolation):
    """Limits, and the referee's user."""

    name: ClassVar = "none"
    title: ClassVar = "none"

    def _find_visible(self) -> list[Path]:
        return []

    def _choose_user(self) -> str:
        return ""


TIERS: Mapping[Tier, type[Isolation]] = {
    tier.name: tier for tier in (Namespaces, Landlock, LimitsOnly, NoIsolation)
}
"""All tiers by name, best first."""
BEST: Tier = next(iter(TIERS))


def process_limit(program: Program, limits: Limits) -> int:
    """Return the process limit of a bot's control group: the bot's own plus the tier's."""
    copier = 1 if program.has_scratch else 0  # `cp`, before the bot
    return limits.processes + TIERS[program.tier].extra_processes + copier
