"""Slots of this machine beside those of workers, for the matches with remote bots.

Remote bots come to the door of this machine, so their matches are played here, with all others on
the workers. No worker needs a way to the door, and both seatings of two players on a board are
played on one machine.
"""

import os
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from arena.cluster.cluster import SLOWEST
from arena.cluster.cluster_slots import ClusterSlots, WorkerMachines
from arena.cluster.orders import DIRECTOR
from arena.cluster.scaling import scaled
from arena.cluster.speed import measure_speed
from arena.config.event import Config
from arena.errors import UsageError
from arena.event.plan import slot_cores
from arena.event.slots.contract import MatchQueue, Place, Slots
from arena.event.slots.local_slots import LocalSlots
from arena.machine.tier_choice import isolated
from arena.text import plural
from referee.job import Job, Player
from referee.records.match_end import MatchEnd, Worker

WAITING_MATCHES = 64
"""Limit of matches waiting for a slot of this machine.

The workers have enough to do meanwhile: a schedule mixes its players.
"""
_SLICE_S = 0.01
"""Wait in seconds for the workers while matches are running here."""


class AllMachines:
    """The machines of an event with remote bots: workers, and this one."""

    def __init__(self, workers: WorkerMachines, config: Config, local: int | None) -> None:
        """Measure this machine, which has started `local` workers; raises UsageError if slow."""
        self._workers = workers
        self._remote = [entrant.name for entrant in config.bots if entrant.remote is not None]
        self._cores, self._is_shared = own_cores(config, local)
        self._self = Worker(DIRECTOR, round(measure_speed(self._cores), 3))
        self._is_scaled = config.time.scale == "speed"
        fastest = max(member.description.speed for member in workers.members.values())
        if self._self.speed < SLOWEST * fastest:
            raise UsageError(
                f"this machine plays the matches of {', '.join(self._remote)}, and its speed"
                f" {self._self.speed} is below half of the fastest worker's, {fastest}; run `arena"
                " host` and the event on a faster machine"
            )

    @property
    def slots(self) -> int:
        """Number of matches played at a time."""
        return self._workers.slots + len(self._cores)

    def admit(
        self, config: Config, players: Mapping[str, Player], db: Path
    ) -> tuple[dict[str, Player], str]:
        """Return the players as they play here and on workers, and a text about all machines."""
        placed, isolation = isolated(config, players, db)
        admitted, workers = self._workers.admit(config, placed, db)
        own = (
            f"{DIRECTOR}: {plural(len(self._cores), 'slot')} of this machine, speed"
            f" {self._self.speed:.2f}, for the matches of {', '.join(self._remote)}"
        )
        lines = [workers, own, isolation]
        if self._is_shared:
            lines.append(
                "warning: the workers and the slots of this machine share its cores, and wall-clock"
                " time depends on what else runs there; start fewer workers for even times"
            )
        return admitted, "\n".join(lines)

    def open(self) -> Slots:
        """Return slots on all machines."""
        with ExitStack() as stack:
            there = self._workers.open()
            stack.callback(there.close)
            here = LocalSlots(self._cores, spared=self._workers.own_pids)
            stack.pop_all()
        return BothSlots(here, there, self._self, is_scaled=self._is_scaled)


def own_cores(config: Config, local: int | None) -> tuple[tuple[tuple[int, ...], ...], bool]:
    """Return the cores of the slots of this machine, and whether workers are known to share them.

    Workers started by this machine have the first cores; too few are left unpinned.
    """
    if local is None:
        return slot_cores(config.slots, config.cores, config.pin), False
    left = sorted(os.sched_getaffinity(0))[local * config.cores :]
    fitting = len(left) // config.cores
    wanted = max(1, fitting) if config.slots == "auto" else config.slots
    if wanted > fitting or config.pin == "none":
        return ((),) * wanted, wanted > fitting
    each = range(0, wanted * config.cores, config.cores)
    return tuple(tuple(left[first : first + config.cores]) for first in each), False


@dataclass(frozen=True)
class _Queue:
    """The matches waiting for a slot of this machine, behind a running one."""

    slots: "BothSlots"
    jobs: Sequence[Job]

    def take_back(self) -> None:
        self.slots.take_back()


class BothSlots:
    """Slots of this machine, and of the workers for all matches without remote bots."""

    def __init__(
        self, here: LocalSlots, there: ClusterSlots, own: Worker, *, is_scaled: bool
    ) -> None:
        self._here, self._there, self._own = here, there, own
        self._is_scaled = is_scaled
        self._waiting: deque[Job] = deque()
        self._returned: list[MatchEnd] = []

    def free(self) -> Sequence[Place]:
        """Return the places for matches to begin at once, on any machine."""
        if len(self._waiting) >= WAITING_MATCHES or self._there.is_full:
            return []
        return [self] * (len(self._there.free()) + len(self._here.free()))

    def ahead(self) -> Sequence[Place]:
        """Return the places for the next matches on workers."""
        return [] if len(self._waiting) >= WAITING_MATCHES else [self] * len(self._there.ahead())

    def submit(self, job: Job) -> None:
        """Play a match with remote bots here, and any other on a worker."""
        if any(player.is_remote for player in job.players):
            self._waiting.append(job)
            self._place()
        else:
            self._there.submit(job)

    def queues(self) -> Sequence[MatchQueue]:
        """Return the queues with a match not begun yet."""
        first = self._here.running()[:1]
        queue = [_Queue(self, [*first, *self._waiting])] if self._waiting else []
        return [*self._there.queues(), *queue]

    def take_back(self) -> None:
        """Take back the matches waiting for a slot of this machine."""
        self._returned += [MatchEnd(job, is_returned=True) for job in self._waiting]
        self._waiting.clear()

    def running(self) -> Sequence[Job]:
        """Return the running matches."""
        return [*self._here.running(), *self._there.running()]

    def wait(self, seconds: float) -> list[MatchEnd]:
        """Return the ends that are known, after waiting at most `seconds` for the first."""
        found, self._returned = self._returned, []
        until_s = time.monotonic() + seconds
        while True:
            ended = self._here.wait(0)
            found += [replace(one, worker=self._own) if one.match else one for one in ended]
            left_s = 0.0 if found else max(0.0, until_s - time.monotonic())
            slice_s = min(left_s, _SLICE_S) if self._here.running() else left_s
            found += self._there.wait(slice_s)
            if found or left_s <= 0:
                break
        self._place()
        return found

    def report_to(self, audience: int) -> None:
        """Have the running matches reported to a new audience."""
        self._here.report_to(audience)
        self._there.report_to(audience)

    def reports(self) -> list[bytes]:
        """Return the reports of running matches that have arrived."""
        return [*self._here.reports(), *self._there.reports()]

    def notices(self) -> list[str]:
        """Return the news of the workers."""
        return self._there.notices()

    def close(self) -> None:
        """End all matches."""
        self._waiting.clear()
        with ExitStack() as stack:
            stack.callback(self._there.close)
            self._here.close()

    def _place(self) -> None:
        """Begin waiting matches on the free slots of this machine."""
        for place in self._here.free() if self._waiting else ():
            if self._waiting:
                job = self._waiting.popleft()
                place.submit(scaled(job, self._own.speed) if self._is_scaled else job)
