"""The functions called by Dask on a worker for a director, and its plugin with the slots."""

from typing import TYPE_CHECKING, Any, cast

from distributed import get_worker
from distributed.diagnostics.plugin import WorkerPlugin

from arena.cluster.orders import Description, dump

if TYPE_CHECKING:
    from distributed import Scheduler, Worker

    from arena.cluster.worker_slots import WorkerSlots


class SlotsPlugin(WorkerPlugin):
    """Gives tasks the slots, and ends matches with no waiting director."""

    name = "arena"

    def __init__(self, slots: "WorkerSlots", description: Description) -> None:
        self.slots = slots
        self.description = dump(description)

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """End the match of a task released while running."""
        if start == "executing" and finish == "released":
            self.slots.stop(str(key))


def describe() -> bytes:
    """Return the worker's `Description`."""
    return _plugin().description


def deliver(delivery: bytes, data: bytes) -> bytes:
    """Build the bot of a bundle; return a `WorkerAnswer`."""
    return _slots().deliver(delivery, data)


def play(batch: bytes) -> bytes:
    """Play the matches of a `Batch`; return their ends or a `WorkerAnswer`."""
    return _slots().play(str(get_worker().get_current_task()), batch)


def reports(audience: int, dask_worker: "Worker") -> list[bytes]:
    """Return the new reports of a worker's running matches; Dask calls it there, beside tasks."""
    plugin = cast("SlotsPlugin", dask_worker.plugins[SlotsPlugin.name])
    return plugin.slots.reports(audience)


def other_directors(own: str, dask_scheduler: "Scheduler") -> list[str]:
    """Return the names of the other directors at a scheduler; Dask runs this on the scheduler."""
    return [name for name in map(str, dask_scheduler.clients) if "-arena-" in name and name != own]


def _slots() -> "WorkerSlots":
    return _plugin().slots


def _plugin() -> SlotsPlugin:
    return cast("SlotsPlugin", get_worker().plugins[SlotsPlugin.name])
