"""A worker: plays the matches of a scheduler until a signal.

When the connection to the scheduler is lost, all referees and their bots are ended at once, and the
worker connects again to the next scheduler.
"""

import asyncio
import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from distributed import Security, Worker

from arena.cluster.dask_settings import CONNECT_S, TTL_S, run_until_signalled, settle, without_http
from arena.cluster.keys import is_of_certificates, no_scheduler, security, strangers
from arena.cluster.orders import DIRECTOR, Description, versions
from arena.cluster.speed import measure_speed
from arena.cluster.tasks import SlotsPlugin
from arena.cluster.worker_slots import WorkerSlots
from arena.config.cluster import Address
from arena.errors import MachineError, UsageError
from arena.event.plan import slot_cores
from arena.machine.tier_choice import best_tier
from arena.reading.hosts import host_addresses
from arena.reading.names import casefolded, name_objection
from protocol.wording import quoted
from referee.cache import arena_cache
from referee.sandbox import TIERS, become_subreaper, private_directory

IDLE_S = 60.0
"""Seconds without a match before bots kept for a next one are ended."""
TAKEN_S = TTL_S + 10.0
"""Limit in seconds of the wait for another worker with the same name."""
PAUSE_S = 1.0
"""Seconds between two tries to connect."""


@dataclass(frozen=True, kw_only=True)
class WorkerTerms:
    """The way a worker serves."""

    scheduler: Address
    slots: int | None = None
    """Number of slots; None is as many as the cores allow."""
    cores: int = 1
    """Cores per slot."""
    name: str | None = None
    """Name in messages; None is host and process."""
    keys: Path | None = None
    """Folder of the keys of this machine."""
    wait_s: float = 600
    """Limit in seconds of the wait for a scheduler."""
    is_pinned: bool = True
    """Whether each slot has its own cores."""
    tell: Callable[[str], None] = lambda _: None
    """Receives lines for the user."""


class _Worker(Worker):
    start_http_server = without_http


def run_worker(terms: WorkerTerms) -> None:
    """Serve a scheduler until a signal; raises UsageError, MachineError after a long absence."""
    settle()
    host_addresses(terms.scheduler.host, terms.scheduler.port)
    if terms.name is not None and (reason := name_objection(terms.name)):
        raise UsageError(f"--name {quoted(terms.name)}: the name {reason}")
    if terms.name is not None and casefolded(terms.name) == DIRECTOR:
        raise UsageError(f"--name {terms.name} is that of the director's own machine; take another")
    secure = security(terms.scheduler, terms.keys)
    terms.tell(f"connecting to {terms.scheduler}; Ctrl-C ends it")
    become_subreaper()
    cores = slot_cores(terms.slots or "auto", terms.cores, "auto" if terms.is_pinned else "none")
    run_until_signalled(_Serving(terms, cores, secure).serve())


class _Serving:
    """A worker's connections to its scheduler, one after another."""

    def __init__(
        self, terms: WorkerTerms, cores: Sequence[tuple[int, ...]], secure: Security
    ) -> None:
        self._terms = terms
        self._cores = cores
        self._security = secure
        self._description = Description(
            name=terms.name or f"{socket.gethostname()}-{os.getpid()}",
            slots=len(cores),
            cores=terms.cores,
            speed=round(measure_speed(cores), 3),
            isolation=TIERS[best_tier().tier].title,
            **versions(),
        )
        self._failures = ConnectionFailures(terms.scheduler, self._description.name)

    async def serve(self) -> None:
        """Connect again whenever the connection is lost; raises MachineError after `wait_s`."""
        until_s = time.monotonic() + self._terms.wait_s
        is_waiting = False
        while True:
            slots = WorkerSlots(self._cores, arena_cache() / "workers", self._description.speed)
            try:
                if await self._connection(slots):
                    is_waiting = False
                    until_s = time.monotonic() + self._terms.wait_s
            finally:
                slots.close()
            if time.monotonic() > until_s:
                raise MachineError(no_scheduler(self._terms.scheduler))
            if not is_waiting:
                is_taken = self._failures.taken_since_s is not None
                awaited = "another worker to free its name" if is_taken else "a scheduler"
                self._terms.tell(f"waiting for {awaited} at {self._terms.scheduler}")
                is_waiting = True
            await asyncio.sleep(PAUSE_S)

    async def _connection(self, slots: WorkerSlots) -> bool:
        """Serve until the connection is lost; return False without a connection."""
        with private_directory() as folder:
            try:
                worker = self._new_worker(slots, folder)
                await asyncio.wait_for(worker.start(), CONNECT_S)  # type: ignore[no-untyped-call]
            except (OSError, TimeoutError, RuntimeError) as error:
                self._failures.check(error)
                return False
            self._failures.taken_since_s = None
            watch = asyncio.ensure_future(_end_idle(slots))
            try:
                self._terms.tell(
                    f"worker {self._description.name}: connected to {self._terms.scheduler}"
                )
                await worker.finished()  # type: ignore[no-untyped-call]
                self._terms.tell(
                    f"worker {self._description.name}: the scheduler is gone, bots are ended"
                )
            finally:
                watch.cancel()
                with suppress(Exception, asyncio.CancelledError):  # it ends anyway
                    await worker.close(executor_wait=False)
            return True

    def _new_worker(self, slots: WorkerSlots, folder: Path) -> _Worker:
        return _Worker(
            self._terms.scheduler.url,
            nthreads=self._description.slots,
            name=self._description.name,
            host=_own_address(self._terms.scheduler),
            security=self._security,
            local_directory=str(folder),
            memory_limit=0,
            dashboard=False,
            plugins=(SlotsPlugin(slots, self._description),),
        )


class ConnectionFailures:
    """Failed connections of a worker, and whether another try may succeed."""

    def __init__(self, scheduler: Address, name: str) -> None:
        self.taken_since_s: float | None = None
        """Since when another worker has the name of this one, on a monotonic clock."""
        self._scheduler = scheduler
        self._name = name

    def check(self, error: Exception) -> None:
        """Return if another try may succeed; raise UsageError or `error` otherwise.

        After a cut connection, a scheduler reserves a worker's name until the worker counts as
        lost, even for the same worker.
        """
        why = _text(error)
        if is_of_certificates(why):
            raise UsageError(strangers(self._scheduler)) from None
        is_taken = "name taken" in why
        if isinstance(error, RuntimeError) and not is_taken:
            raise error
        now_s = time.monotonic()
        self.taken_since_s = (self.taken_since_s or now_s) if is_taken else None
        if self.taken_since_s is not None and now_s > self.taken_since_s + TAKEN_S:
            raise UsageError(
                f"another worker at {self._scheduler} is named {quoted(self._name)}; give"
                " each its own --name, or leave it out"
            ) from None


def _text(error: BaseException | None) -> str:
    """Return the texts of an error and of its causes."""
    texts = []
    while error is not None:
        texts.append(str(error))
        error = error.__cause__ or error.__context__
    return " ".join(texts)


async def _end_idle(slots: WorkerSlots) -> None:
    """End the kept bots of an event without further matches."""
    while True:
        await asyncio.sleep(IDLE_S / 2)
        await asyncio.to_thread(slots.end_idle, IDLE_S)


def _own_address(scheduler: Address) -> str:
    """Return the address of this machine on the way to the scheduler."""
    family, _, _, _, address = socket.getaddrinfo(
        scheduler.host, scheduler.port, type=socket.SOCK_DGRAM
    )[0]
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect(address)
        return str(probe.getsockname()[0])
