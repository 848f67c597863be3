"""Open the cluster of an event by its address."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from arena.cluster.engine import check_extra
from arena.config.cluster import local_workers, parse_address
from arena.event.slots import Machines


@contextmanager
def opened(address: str, keys: Path | None, cores: int) -> Iterator[Machines]:
    """Yield the cluster at HOST:PORT, or start local:N with slots of this number of cores.

    Raises UsageError if it cannot be used.
    """
    check_extra()
    from arena.cluster.cluster import Cluster
    from arena.cluster.local import Children

    workers = local_workers(address)
    if workers is None:
        with closing(Cluster(parse_address(address), keys)) as cluster:
            yield cluster
        return
    with (
        closing(Children(workers, cores)) as children,
        closing(Cluster(children.address, children.keys, children)) as cluster,
    ):
        yield cluster
