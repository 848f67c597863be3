"""The connection of a director to a scheduler, by Dask; its events arrive in one queue in order."""

import asyncio
import concurrent.futures
import contextlib
import os
import queue
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from distributed import Client, Future, KilledWorker
from tornado.platform.asyncio import AsyncIOLoop

from arena.cluster import tasks
from arena.cluster.dask_settings import CONNECT_S, settle
from arena.cluster.keys import is_of_certificates, no_scheduler, security, strangers
from arena.config.cluster import Address
from arena.errors import MachineError, UsageError
from arena.reading.hosts import host_addresses

ALONE_S = 3.0
"""Limit in seconds of the end of another director."""
CLIENT = "arena"
"""First part of the name of a director among the clients of a scheduler."""


@dataclass(frozen=True)
class WorkerJoined:
    """A worker has connected."""

    address: str


@dataclass(frozen=True)
class WorkerGone:
    """The connection to a worker is lost."""

    address: str


@dataclass(frozen=True)
class TaskDone:
    """A task has ended: with bytes as its result, or with an error."""

    key: str
    data: bytes = b""
    error: str = ""
    is_lost: bool = False
    """Whether the task ended with its worker or with the scheduler."""


LinkEvent = WorkerJoined | WorkerGone | TaskDone


class SchedulerLink:
    """A connected client.

    Raises UsageError without a scheduler at this address, and MachineError if it ends meanwhile.
    """

    def __init__(self, address: Address, keys: Path | None) -> None:
        settle()
        host_addresses(address.host, address.port)
        secure = security(address, keys)
        self.events: queue.SimpleQueue[LinkEvent] = queue.SimpleQueue()
        try:
            self._client = Client(
                address.url,
                security=secure,
                timeout=CONNECT_S,
                name=f"{CLIENT}-{socket.gethostname()}-{os.getpid()}",
                set_as_default=False,
                direct_to_workers=False,
            )
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise UsageError(_refusal(address, error)) from None
        try:
            self._check_alone(address)
            self._loop = cast("AsyncIOLoop", self._client.loop).asyncio_loop
            self._client.subscribe_topic("all", self._hear)
            workers = self._client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, TimeoutError):
            self.close()
            raise MachineError(f"the scheduler at {address} has ended") from None
        for worker in workers:
            self.events.put(WorkerJoined(worker))

    def _check_alone(self, address: Address) -> None:
        """Raise UsageError if another director uses the workers: both would rely on all slots."""
        until_s = time.monotonic() + ALONE_S
        while others := self._client.run_on_scheduler(tasks.other_directors, self._client.id):
            if time.monotonic() > until_s:
                self.close()
                who = others[0].removeprefix(f"Client-{CLIENT}-").rsplit("-", 5)[0]
                raise UsageError(
                    f"the workers at {address} play another event, directed by {who}; wait for it,"
                    " or start another scheduler"
                )
            time.sleep(ALONE_S / 10)

    def is_up(self) -> bool:
        """Whether the scheduler is connected."""
        return self._client.status == "running"

    def submit(
        self, key: str, worker: str, function: Callable[..., bytes], *arguments: bytes
    ) -> Future[Any]:
        """Have one worker call a function; its end arrives as `TaskDone`."""
        future: Future[Any] = self._client.submit(
            function,
            *arguments,
            key=key,
            workers=[worker],
            allow_other_workers=False,
            pure=False,
            retries=0,
        )
        asyncio.run_coroutine_threadsafe(self._follow(key, future), self._loop)
        return future

    def reports(self, worker: str, audience: int) -> "concurrent.futures.Future[list[bytes]]":
        """Ask a worker for the reports of its running matches to an audience."""
        asked = self._reports(worker, audience)
        return asyncio.run_coroutine_threadsafe(asked, self._loop)

    def cancel(self, future: "Future[Any]") -> None:
        """Forget a task, and end its match if necessary; no `TaskDone` need arrive."""
        with contextlib.suppress(Exception):  # a lost scheduler has forgotten it as well
            future.release()

    def close(self) -> None:
        """Disconnect."""
        with contextlib.suppress(Exception):  # nothing is left to be saved
            self._client.close(timeout=2)

    async def _follow(self, key: str, future: "Future[Any]") -> None:
        """Fetch the result at once: until then, it is lost with its worker."""
        try:
            data = await future._result()  # noqa: SLF001 - as `as_completed` does
            done = TaskDone(key, data=data)
        except KilledWorker:
            done = TaskDone(key, error="its worker was lost", is_lost=True)
        except (concurrent.futures.CancelledError, asyncio.CancelledError):
            done = TaskDone(key, error="its task was cancelled", is_lost=True)
        except Exception as error:  # noqa: BLE001 - whatever it is, the match has no result
            done = TaskDone(key, error=f"{type(error).__name__}: {error}")
        self.events.put(done)
        with contextlib.suppress(Exception):
            future.release()

    async def _reports(self, worker: str, audience: int) -> list[bytes]:
        try:
            answers = await self._client._run(  # noqa: SLF001 - `run` would wait
                tasks.reports, audience, workers=[worker], on_error="ignore"
            )
        except Exception:  # noqa: BLE001 - the page shows fewer boards, whatever it is
            return []
        return cast("list[bytes]", answers.get(worker, []))

    def _hear(self, event: tuple[float, Any]) -> None:
        message = event[1]
        if not isinstance(message, dict):
            return
        if message.get("action") == "add-worker":
            self.events.put(WorkerJoined(message["worker"]))
        elif message.get("action") == "remove-worker":
            self.events.put(WorkerGone(message["worker"]))


def _refusal(address: Address, error: Exception) -> str:
    if is_of_certificates(f"{error} {error.__cause__ or ''}"):
        return strangers(address)
    return no_scheduler(address)
