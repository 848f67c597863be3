"""The workers of a league: machines that add slots while they are there, and may be cut off.

They are those of any cluster (`arena.cluster`), with two differences. A league waits for none of
them: a scheduler that is lost is connected again beside the loop. And a match that no worker can
play goes back to the director, which plays it on this machine.
"""

import queue
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from arena.bots.manifest import Manifest
from arena.cluster.cluster import Cluster
from arena.cluster.cluster_slots import ClusterSlots
from arena.cluster.link import LinkEvent, SchedulerLink, TaskDone
from arena.cluster.members import Loss, Member
from arena.cluster.orders import Cast
from arena.config.cluster import Address
from arena.config.event import Config
from arena.errors import ArenaError
from referee.job import Job, Player

RECONNECT_S = 2.0
"""Time in seconds between two tries to reach the scheduler."""
Connect = Callable[[Address, Path | None], SchedulerLink]


class AbsentLink:
    """The connection to a scheduler that is not there."""

    def __init__(self) -> None:
        self.events: queue.SimpleQueue[LinkEvent] = queue.SimpleQueue()

    def is_up(self) -> bool:
        """Whether the scheduler is connected."""
        return False

    def submit(self, *_: object) -> None:
        """Do nothing."""

    def cancel(self, *_: object) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class Workers(Cluster):
    """The workers of a league's scheduler, and the bots of its season."""

    def __init__(
        self,
        address: Address,
        keys: Path | None,
        config: Config,
        connect: Connect = SchedulerLink,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin without a connection; `next_events` makes one."""
        self._config = config
        self._now_s = now_s
        self._real = connect
        self._thread = ThreadPoolExecutor(1, "league-scheduler")
        self._coming: Future[SchedulerLink] | None = None
        self._next_s = now_s()
        super().__init__(address, keys, connect=lambda *_: AbsentLink())  # type: ignore[arg-type]  # a link without a scheduler
        self.name = config.name

    def pack(self, player: Player, manifest: Manifest, args: tuple[str, ...] = ()) -> None:
        """Keep the files of a bot for workers; raises BotError."""
        config = self._config
        cast = Cast(
            bundle="",
            content="",
            args=args,
            isolation=config.isolation,
            network=config.build_network,
        )
        self._pack(player, manifest, cast, config.installations)

    def next_events(self, seconds: float) -> list[TaskDone | Loss]:
        """Return what has happened; without a scheduler, try to reach it beside the loop."""
        if self.link.is_up():
            return super().next_events(seconds)
        lost = self._lose_all()
        self._mend()
        if not lost:
            time.sleep(min(seconds, RECONNECT_S))
        return lost

    def close(self) -> None:
        """Disconnect, and forget the bots."""
        if self._coming is not None and not self._coming.cancel():
            with suppress(Exception):
                self._coming.result().close()
        self._thread.shutdown()
        super().close()

    def _wait_for_workers(self) -> None:
        """Wait for none: a league plays on its own slots meanwhile."""

    def _lose_all(self) -> list[TaskDone | Loss]:
        lost = list(self.members.values())
        if lost:
            self._notices.append(f"the scheduler at {self._address} is lost")
        self.members.clear()
        self.refusals.clear()
        self._asked.clear()
        return [Loss(member, has_scheduler=False) for member in lost]

    def _mend(self) -> None:
        if self._coming is None:
            if self._now_s() >= self._next_s:
                self._coming = self._thread.submit(self._real, self._address, self._keys)
        elif self._coming.done():
            coming, self._coming = self._coming, None
            self._next_s = self._now_s() + RECONNECT_S
            with suppress(ArenaError):
                link = coming.result()
                self.link.close()
                self.link = link


class SlotsOfWorkers(ClusterSlots):
    """Slots on the workers of a league."""

    def __init__(self, workers: Workers) -> None:
        super().__init__(workers)
        self._workers = workers
        self.unplayable: set[str] = set()
        """Keys of matches that no worker could play."""

    def members(self) -> Mapping[str, Member]:
        """Return the workers by address."""
        return self._workers.members

    def give(self, job: Job, member: Member) -> None:
        """Have one worker play a match."""
        self._give(job, member)

    def _place_homeless(self) -> None:
        """Send waiting matches to workers, or back to the director."""
        homeless, self._homeless = self._homeless, []
        for job in homeless:
            self.submit(job)
        if self.members():
            self.unplayable |= {job.key for job in self._homeless}
        self._return(self._homeless)
        self._homeless = []
