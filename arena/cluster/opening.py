"""Open the cluster of an event by its address."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from arena.cluster.engine import check_extra
from arena.config.cluster import Address, parse_cluster
from arena.event.slots import Machines

SOON_S = 1.5
"""Seconds of silence after which the user reads what the command waits for."""


@contextmanager
def opened(
    address: str, keys: Path | None, cores: int, say: Callable[[str], None]
) -> Iterator[Machines]:
    """Yield the cluster at HOST:PORT, or start local:N with slots of this number of cores.

    Raises UsageError if it cannot be used. `say` receives what a long start waits for.
    """
    check_extra()
    with ExitStack() as stack:
        with told_if_slow(say, f"waiting for the scheduler and a worker of {address}"):
            cluster = _connected(stack, address, keys, cores)
        yield cluster


def _connected(stack: ExitStack, address: str, keys: Path | None, cores: int) -> Machines:
    from arena.cluster.cluster import Cluster
    from arena.cluster.local import Children

    where = parse_cluster(address)
    if isinstance(where, Address):
        return stack.enter_context(closing(Cluster(where, keys)))
    children = stack.enter_context(closing(Children(where, cores)))
    return stack.enter_context(closing(Cluster(children.address, children.keys, children)))


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
