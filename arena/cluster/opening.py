"""Open the cluster of an event by its address."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from arena.cluster.engine import check_extra
from arena.config.cluster import Address, parse_cluster
from arena.event.slots import Machines


@contextmanager
def opened(address: str, keys: Path | None, cores: int) -> Iterator[Machines]:
    """Yield the cluster at HOST:PORT, or start local:N with slots of this number of cores.

    Raises UsageError if it cannot be used.
    """
    check_extra()
    from arena.cluster.cluster import Cluster
    from arena.cluster.local import Children

    where = parse_cluster(address)
    if isinstance(where, Address):
        with closing(Cluster(where, keys)) as cluster:
            yield cluster
        return
    with (
        closing(Children(where, cores)) as children,
        closing(Cluster(children.address, children.keys, children)) as cluster,
    ):
        yield cluster
