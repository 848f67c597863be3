"""Open the cluster of an event by its address."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from arena.cluster.dask_settings import check_extra
from arena.config.cluster import Address, parse_cluster
from arena.config.event import Config
from arena.event.plan import Machines

SOON_S = 1.5
"""Seconds of silence before the user reads the reason of the wait."""


@contextmanager
def opened(
    address: str, keys: Path | None, config: Config, say: Callable[[str], None]
) -> Iterator[Machines]:
    """Yield the cluster at HOST:PORT or local:N; `say` receives notices. Raises UsageError."""
    check_extra()
    with ExitStack() as stack:
        with told_if_slow(say, f"waiting for the scheduler and a worker of {address}"):
            machines = _connect(stack, parse_cluster(address), keys, config)
        yield machines


def _connect(stack: ExitStack, where: Address | int, keys: Path | None, config: Config) -> Machines:
    from arena.cluster.both_slots import AllMachines
    from arena.cluster.cluster_slots import WorkerMachines
    from arena.cluster.local import Children

    if isinstance(where, Address):
        machines = WorkerMachines(where, keys)
    else:
        children = stack.enter_context(closing(Children(where, config.cores)))
        machines = WorkerMachines(children.address, children.keys, children)
    stack.enter_context(closing(machines))
    if not any(entrant.remote for entrant in config.bots):
        return machines
    return AllMachines(machines, config, None if isinstance(where, Address) else where)


@contextmanager
def told_if_slow(say: Callable[[str], None], line: str) -> Iterator[None]:
    """Say a line if the context takes longer than SOON_S."""
    notice = threading.Timer(SOON_S, say, [line])
    notice.daemon = True
    notice.start()
    try:
        yield
    finally:
        notice.cancel()
