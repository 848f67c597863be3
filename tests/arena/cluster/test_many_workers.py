"""Ten workers in simulated time: as fast as ten, with every pair of seatings on one of them."""

import heapq
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count, pairwise
from queue import Empty
from random import Random
from typing import Any

import pytest
from events import Diary, new_event, plan_of
from links import FakeLink, Sent
from on_workers import ended, new_cluster

from arena.cluster import cluster, cluster_slots, tasks
from arena.cluster.cluster_slots import ClusterSlots
from arena.cluster.link import LinkEvent
from arena.event.play.director import Director
from arena.results.standings import Table
from arena.results.store import Store
from referee.job import Job
from referee.records.match_end import MatchEnd

NAMES = tuple(f"node{n}" for n in range(10))
CUT_S, BACK_S = 300.0, 700.0
"""Times at which the line to the first worker is lost, and at which the worker is back."""


class Timeline:
    """The events of the workers, in simulated time: to wait for one is to advance to it."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._later: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._due: deque[LinkEvent] = deque()

    def monotonic(self) -> float:
        return self.now_s

    def at(self, when_s: float, act: Callable[[], None]) -> None:
        heapq.heappush(self._later, (when_s, next(self._numbers), act))

    def put(self, event: LinkEvent) -> None:
        self._due.append(event)

    def empty(self) -> bool:
        return not self._due

    def get(self, *, timeout: float | None, block: bool) -> LinkEvent:
        until_s = self.now_s + (timeout or 0 if block else 0)
        while not self._due and self._later and self._later[0][0] <= until_s:
            self.now_s, _, act = heapq.heappop(self._later)
            act()
        if not self._due:
            self.now_s = until_s
            raise Empty
        return self._due.popleft()


def length_s(job: Job) -> float:
    """Return the time of a match, the same on all workers."""
    return Random(job.key).uniform(20, 40)


@dataclass(frozen=True)
class Played:
    """A match that a worker has begun."""

    job: Job
    worker: str
    began_s: float


@dataclass
class SimulatedWorkers(FakeLink):
    """Workers of one slot that play their matches in order, for as long as each one lasts."""

    events: Any = field(default_factory=Timeline)
    begun: list[Played] = field(default_factory=list)
    busy: dict[str, str] = field(default_factory=dict)
    """Key of the running task, by worker."""

    def submit(self, key: str, worker: str, *rest: Any) -> Sent | None:
        sent = super().submit(key, worker, *rest)
        if rest[0] is tasks.play:
            self._begin(worker)
        return sent

    def lose(self, worker: str) -> None:
        self.busy.pop(worker, None)
        super().lose(worker)
        for sent in self.open_tasks(worker):
            sent.is_forgotten = True

    def _begin(self, worker: str) -> None:
        waiting = self.open_tasks(worker)
        if worker in self.busy or not waiting:
            return
        sent = waiting[0]
        self.busy[worker] = sent.key
        now_s, spent_s = self.events.now_s, 0.0
        for order in sent.orders:
            self.begun.append(Played(order.job, worker, now_s + spent_s))
            spent_s += length_s(order.job)
        self.events.at(now_s + spent_s, lambda: self._finish(sent, spent_s / len(sent.orders)))

    def _finish(self, sent: Sent, average_s: float) -> None:
        if self.busy.get(sent.worker) != sent.key:
            return  # lost with its worker
        del self.busy[sent.worker]
        ends = (_long(one.job) for one in sent.orders)
        self.end(sent, *ends, average_s=average_s)
        self._begin(sent.worker)


def _long(job: Job) -> MatchEnd:
    end = ended(job)
    assert end.match is not None
    seats = tuple(row._replace(wall_ns=30_000_000_000) for row in end.match.seats)
    return replace(end, match=replace(end.match, seats=seats))


@dataclass(frozen=True)
class Course:
    """A played event."""

    begun: Sequence[Played]
    took_s: float

    @property
    def work_s(self) -> float:
        """Time of all matches one after the other."""
        return sum(length_s(job) for job in {one.job.key: one.job for one in self.begun}.values())

    def divided(self) -> list[object]:
        """Return the pairs of seatings that were not played by one worker."""
        workers: dict[object, set[str]] = defaultdict(set)
        for one in self.begun:
            group = (frozenset(one.job.names()), one.job.key.partition("/")[2])
            workers[group].add(one.worker)
        return [group for group, names in workers.items() if len(names) > 1]


@pytest.fixture
def play(store: Store, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Course]:
    def played(*bots: str, workers: int = 10, cut: bool = False, **options: Any) -> Course:
        link = SimulatedWorkers()
        for module in (cluster, cluster_slots):
            monkeypatch.setattr(module, "time", link.events)
        for name in NAMES[:workers]:
            link.join(name)
        if cut:
            link.events.at(CUT_S, lambda: link.lose(NAMES[0]))
            link.events.at(BACK_S, lambda: link.join(NAMES[0]))
        slots = ClusterSlots(new_cluster(link))
        plan = plan_of(bots, slots=workers, **options)
        event = new_event(store, bots)
        ending = Director(plan, store, event, Table(bots)).play(slots, Diary)
        assert ending.missing == 0
        assert store.count(event) == len(plan.pairings)
        return Course(link.begun, link.events.now_s)

    return played


def test_a_duel_on_ten_workers_is_ten_times_as_fast(play: Callable[..., Course]) -> None:
    ten = play("ann", "bob", repeat=200)
    one = play("ann", "bob", repeat=200, workers=1)

    assert one.took_s >= one.work_s
    assert ten.took_s * 0.9 * 10 <= one.took_s
    assert ten.divided() == []
    assert {one.worker for one in ten.begun if one.began_s == 0} == set(NAMES)


@pytest.mark.parametrize(
    ("bots", "options"),
    [
        (("ann", "bob"), {"repeat": 300}),
        (tuple(f"bot{n}" for n in range(10)), {"repeat": 6}),
        (("ann", "bob", "cat"), {"repeat": 2, "boards": 50}),
    ],
)
def test_a_worker_that_was_cut_off_has_matches_again_at_once(
    play: Callable[..., Course], bots: tuple[str, ...], options: dict[str, int]
) -> None:
    course = play(*bots, cut=True, **options)

    assert course.took_s > BACK_S
    again = [one.began_s for one in course.begun if one.worker == NAMES[0]]
    assert [began_s for began_s in again if CUT_S < began_s < BACK_S + 1][:1] == [BACK_S]
    assert all(after_s - before_s <= 41 for before_s, after_s in _gaps(again))
    usable_s = 10 * course.took_s - (BACK_S - CUT_S)
    assert course.work_s >= 0.9 * usable_s
    assert len(course.divided()) <= 30


def _gaps(begins: Sequence[float]) -> list[tuple[float, float]]:
    """Return the begins of each two matches in a row after the return."""
    later = [began_s for began_s in begins if began_s >= BACK_S]
    return list(pairwise(later))


def test_a_worker_that_returns_when_all_pairs_are_begun_takes_from_the_fullest_one(
    play: Callable[..., Course],
) -> None:
    bots = tuple(f"bot{n}" for n in range(8))  # 28 first seatings, then 28 second ones

    course = play(*bots, workers=2, cut=True, repeat=2)

    begun = [one for one in course.begun if one.began_s < BACK_S]
    again = [one for one in course.begun if one.worker == NAMES[0] and one.began_s >= BACK_S]
    assert len({frozenset(one.job.names()) for one in begun}) == 28
    assert again[0].began_s == BACK_S
    assert course.work_s >= 0.9 * (2 * course.took_s - (BACK_S - CUT_S))
