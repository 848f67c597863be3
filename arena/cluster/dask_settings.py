"""Settings of Dask; `docs/decisions/workers-on-dask.md` has the measurements behind them."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from arena.errors import check_packages

CONNECT_S = 10.0
"""Limit in seconds of connecting to a scheduler."""
TTL_S = 20
"""Seconds without a heartbeat before a worker counts as lost."""
LAST_S = 2.0
"""Seconds for the tasks of a program to end after the program."""
_SETTINGS = {
    "distributed.scheduler.allowed-failures": 0,
    "distributed.scheduler.worker-saturation": 1.0,
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.active-memory-manager.start": False,
    "distributed.scheduler.worker-ttl": f"{TTL_S} s",
    "distributed.admin.large-graph-warning-threshold": "1 GB",
    "distributed.comm.timeouts.connect": "10 s",
    "distributed.comm.timeouts.tcp": "20 s",
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "5 s",
}


def check_extra() -> None:
    """Raise UsageError without the packages of the extra `cluster`."""
    check_packages("a cluster", "cluster", "distributed", "cryptography")


def settle() -> None:
    """Apply the settings of this process; raises UsageError without the extra `cluster`."""
    check_extra()
    import dask

    from arena.cluster.handshakes import limit_handshakes

    dask.config.set(_SETTINGS)
    limit_handshakes()
    for name in (*logging.root.manager.loggerDict, "distributed", "tornado", "asyncio"):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
            logger = logging.getLogger(name)  # Arena says what matters in its own words
            logger.handlers.clear()
            logger.setLevel(logging.CRITICAL + 1)


def without_http(*_: Any, **__: Any) -> None:
    """Start no HTTP server: Dask binds one without authentication to all addresses."""


def run_until_signalled(serve: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine until its end, or until SIGTERM, SIGINT or SIGHUP.

    Remaining tasks have `LAST_S` to end. `asyncio.run` would wait for them, and some of Dask's
    ignore a cancellation after a lost connection.
    """
    import signal

    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

    async def run() -> None:
        task = asyncio.ensure_future(serve)
        loop = asyncio.get_running_loop()
        for number in numbers:
            loop.add_signal_handler(number, task.cancel)
        try:
            await task
        except asyncio.CancelledError:
            return
        finally:
            # A signal while the loop closes would find the loop's own pipe closed.
            for number in numbers:
                loop.remove_signal_handler(number)
                signal.signal(number, signal.SIG_IGN)
            await _end_others()

    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(run())
    finally:
        if not asyncio.all_tasks(loop):
            loop.close()


async def _end_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for other in others:
        other.cancel()
    if others:
        await asyncio.wait(others, timeout=LAST_S)
