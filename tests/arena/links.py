"""A connection to workers that exist in a test only."""

import queue
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from arena.cluster import tasks
from arena.cluster.link import LinkEvent, TaskDone, WorkerGone, WorkerJoined
from arena.cluster.orders import (
    Batch,
    Delivery,
    Description,
    MatchOrder,
    WorkerAnswer,
    dump,
    load,
    versions,
)
from referee.records.match_end import MatchEnd
from referee.service.pipe import end_bytes


@dataclass
class Sent:
    """A task that was sent to a worker."""

    key: str
    worker: str
    orders: tuple[MatchOrder, ...]
    is_forgotten: bool = False

    @property
    def keys(self) -> list[str]:
        """The keys of its matches."""
        return [order.job.key for order in self.orders]


@dataclass
class FakeLink:
    """Workers that answer as a test says."""

    events: queue.SimpleQueue[LinkEvent] = field(default_factory=queue.SimpleQueue)
    sent: list[Sent] = field(default_factory=list)
    """Matches on workers, in the order in which they were sent."""
    deliveries: list[tuple[str, Delivery]] = field(default_factory=list)
    descriptions: dict[str, Description] = field(default_factory=dict)
    asked: list[tuple[str, int, Future[list[bytes]]]] = field(default_factory=list)
    """Questions for reports: worker, audience and the answer."""
    unable: dict[str, str] = field(default_factory=dict)
    """Reasons to refuse bundles, by worker."""
    is_connected: bool = True
    has_bundles: bool = True

    def join(self, name: str, slots: int = 1, speed: float = 1.0, **changes: Any) -> None:
        """Connect a worker."""
        facts = {"cores": 1, "isolation": "none", **versions(), **changes}
        self.descriptions[name] = Description(name=name, slots=slots, speed=speed, **facts)
        self.events.put(WorkerJoined(name))

    def is_up(self) -> bool:
        return self.is_connected

    def submit(
        self, key: str, worker: str, function: Callable[..., bytes], *arguments: bytes
    ) -> Sent | None:
        if function is tasks.describe:
            self.events.put(TaskDone(key, data=dump(self.descriptions[worker])))
        elif function is tasks.deliver:
            delivery = load(Delivery, arguments[0])
            self.deliveries.append((worker, delivery))
            unable = {delivery.bundle: self.unable[worker]} if worker in self.unable else {}
            self.events.put(TaskDone(key, data=dump(WorkerAnswer(unable=unable))))
        else:
            self.sent.append(Sent(key, worker, load(Batch, arguments[0]).orders))
            return self.sent[-1]
        return None

    def reports(self, worker: str, audience: int) -> Future[list[bytes]]:
        self.asked.append((worker, audience, Future()))
        return self.asked[-1][2]

    def cancel(self, sent: Sent) -> None:
        sent.is_forgotten = True

    def close(self) -> None:
        self.is_connected = False

    def open_tasks(self, worker: str) -> list[Sent]:
        """Return the matches on a worker."""
        return [sent for sent in self.sent if sent.worker == worker and not sent.is_forgotten]

    def end(self, sent: Sent, *ends: MatchEnd, average_s: float = 0) -> None:
        """End matches as their referee would, after an average time in seconds."""
        spent_s = average_s * max(1, sum(not end.is_returned for end in ends))
        self.done(sent, b"%f\n" % spent_s + b"".join(map(end_bytes, ends)))

    def done(self, sent: Sent, data: bytes) -> None:
        """End a task with any answer."""
        sent.is_forgotten = True
        self.events.put(TaskDone(sent.key, data=data))

    def lack(self, sent: Sent, *bundles: str) -> None:
        """Answer that the worker lacks bundles."""
        sent.is_forgotten = True
        self.events.put(TaskDone(sent.key, data=b"!" + dump(WorkerAnswer(missing=bundles))))

    def lose(self, worker: str) -> None:
        """Lose a worker: its matches fail, and the scheduler says so."""
        for sent in self.open_tasks(worker):
            self.events.put(TaskDone(sent.key, error="its worker was lost", is_lost=True))
        self.events.put(WorkerGone(worker))
