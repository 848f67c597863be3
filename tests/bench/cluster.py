"""Workers against slots of this machine: the cost of a match on a worker, the gain of a second."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from arena.cluster.cluster import Cluster
from arena.cluster.local import Children
from arena.event.slots import LocalSlots, Slots
from referee.job import Job, Limits
from tests.bench.figures import Figure
from tests.bench.programs import build, job

SHORT = 100
"""Number of matches with kept bots."""
MANY = 1_000


def cluster(folder: Path) -> Iterator[Figure]:
    """Yield the cost of a match on a worker, and the gain of a second worker."""
    command = build(folder)["c"]
    short = replace(job(command, folder, "1"), max_plies=20, limits=Limits())
    long = replace(job(command, folder, "1"), max_plies=2_000, limits=Limits())
    with closing(LocalSlots([(0,)])) as slots:
        here_s = _seconds(slots, short, SHORT)
    with _workers(1) as slots:
        there_s = _seconds(slots, short, SHORT)
        one_s = _seconds(slots, long, SHORT)
    with _workers(2) as slots:
        two_s = _seconds(slots, long, SHORT)
    with _workers(4) as slots:
        many_s = _seconds(slots, short, MANY)
    added_ms = (there_s - here_s) / SHORT * 1e3
    yield Figure("a match on a worker costs more by", added_ms, "ms", most=3)
    yield Figure("matches/s, 2 workers of 1 slot / 1", one_s / two_s, "x", least=1.9)
    yield Figure("matches/s, 1,000 short ones on 4 workers", MANY / many_s, "/s")


@contextmanager
def _workers(count: int) -> Iterator[Slots]:
    with (
        closing(Children(count, 1)) as children,
        closing(Cluster(children.address, children.keys, children)) as workers,
        closing(workers.open()) as slots,
    ):
        yield slots


def _seconds(slots: Slots, task: Job, count: int) -> float:
    """Return the time in s of playing a match this many times."""
    waiting, missing = count, count
    began_s = time.monotonic()
    while missing:
        for place in (*slots.free(), *slots.ahead()):
            if waiting:
                place.submit(task)
                waiting -= 1
        for result in slots.wait(1):
            if result.match is None:
                raise RuntimeError(result.void)
            missing -= 1
    return time.monotonic() - began_s
