"""The functions called by Dask on a worker for a director."""

from typing import TYPE_CHECKING, cast

from distributed import get_worker

if TYPE_CHECKING:
    from distributed import Scheduler, Worker

    from arena.cluster.machine import Machine
    from arena.cluster.worker import MachinePlugin

PLUGIN = "arena"
"""Name of the plugin with the worker's machine."""


def describe() -> bytes:
    """Return the worker's `Description`."""
    return _plugin().description


def deliver(delivery: bytes, data: bytes) -> bytes:
    """Build the bot of a bundle; return an `WorkerAnswer`."""
    return _machine().deliver(delivery, data)


def play(batch: bytes) -> bytes:
    """Play the matches of a `Batch`; return their ends or an `WorkerAnswer`."""
    return _machine().play(str(get_worker().get_current_task()), batch)


def reports(audience: int, dask_worker: "Worker") -> list[bytes]:
    """Return the new reports of a worker's running matches; Dask calls it there, beside tasks."""
    plugin = cast("MachinePlugin", dask_worker.plugins[PLUGIN])
    return plugin.machine.reports(audience)


def other_directors(own: str, dask_scheduler: "Scheduler") -> list[str]:
    """Return the names of the other directors at a scheduler; Dask calls it there."""
    return [name for name in map(str, dask_scheduler.clients) if "-arena-" in name and name != own]


def _machine() -> "Machine":
    return _plugin().machine


def _plugin() -> "MachinePlugin":
    return cast("MachinePlugin", get_worker().plugins[PLUGIN])
