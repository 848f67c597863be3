"""Workers against slots of this machine: the cost of a match on a worker, the gain of a second."""

import os
import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from arena.cluster.cluster_slots import WorkerMachines
from arena.cluster.local import Children
from arena.event.slots.contract import Slots
from arena.event.slots.local_slots import LocalSlots
from referee.job import Job
from referee.sandbox import Limits, live_children
from tests.bench.figures import Figure
from tests.bench.programs import build, job

SHORT = 300
"""Number of matches with kept bots."""
WAITING = 40
"""Number of matches that consist of waiting, for each worker."""
WARMING = 10
"""Number of matches before the measurement."""
SLEEP_MS = "5"
"""Time of a move of a bot that waits, in ms."""
MANY = 1_000


def cluster(folder: Path) -> Iterator[Figure]:
    """Yield the cost of a match on a worker, and the gain of a second worker.

    A second worker can double the rate only of matches that wait: scheduler, director and both
    workers share the cores of this machine with bots that compute.
    """
    programs = build(folder)
    short = replace(job(programs["c"], folder, "1"), max_plies=20, limits=Limits())
    slow = replace(job((*programs["python"], SLEEP_MS), folder, "1"), max_plies=20, limits=Limits())
    with closing(LocalSlots([(0,)])) as slots:
        here_s, here_cpu_s = _spent(slots, short, SHORT)
    with _workers(1) as slots:
        there_s, there_cpu_s = _spent(slots, short, SHORT)
        one_s, _ = _spent(slots, slow, WAITING)
    with _workers(2) as slots:
        two_s, _ = _spent(slots, slow, 2 * WAITING)
        burning_s, _ = _spent(slots, short, SHORT)
    with _workers(4) as slots:
        many_s, many_cpu_s = _spent(slots, short, MANY)
    added_ms = (there_s - here_s) / SHORT * 1e3
    added_cpu_ms = (there_cpu_s - here_cpu_s) / SHORT * 1e3
    yield Figure("a match on a worker costs more by", added_ms, "ms", most=3)
    yield Figure("CPU of all processes for it", added_cpu_ms, "ms", most=3)
    yield Figure("matches/s, 2 workers of 1 slot / 1", 2 * one_s / two_s, "x", least=1.9)
    yield Figure("the same with bots that compute", there_s / burning_s, "x")
    yield Figure("matches/s, 1,000 short ones on 4 workers", MANY / many_s, "/s")
    yield Figure("CPU of all processes for each", many_cpu_s / MANY * 1e3, "ms")


@contextmanager
def _workers(count: int) -> Iterator[Slots]:
    with (
        closing(Children(count, 1)) as children,
        closing(WorkerMachines(children.address, children.keys, children)) as workers,
        closing(workers.open()) as slots,
    ):
        yield slots


def _spent(slots: Slots, task: Job, count: int) -> tuple[float, float]:
    """Return the time and the CPU time of all processes in s of playing a match so many times."""
    _play(slots, task, WARMING)
    began_s, began_cpu_s = time.monotonic(), _cpu_s(os.getpid())
    _play(slots, task, count)
    return time.monotonic() - began_s, _cpu_s(os.getpid()) - began_cpu_s


def _play(slots: Slots, task: Job, count: int) -> None:
    """Play a match many times, each on a board of its own: seatings of a board share a worker."""
    waiting = deque(replace(task, key=f"{task.key}/{n}", board_seed=n) for n in range(count))
    missing = count
    while missing:
        for place in (*slots.free(), *slots.ahead()):
            if waiting:
                place.submit(waiting.popleft())
        for result in slots.wait(1):
            if result.is_returned:
                waiting.append(result.job)
            elif result.match is None:
                raise RuntimeError(result.void)
            else:
                missing -= 1


def _cpu_s(pid: int) -> float:
    """Return the CPU time of a process, its descendants and the children they have waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    own_s = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own_s + sum(map(_cpu_s, live_children(pid)))
