"""Matches with remote bots are played on this machine, all others on workers."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from links import FakeLink
from on_workers import JOB, OTHER, ended, new_cluster, results
from referees import REFEREES, Referee

from arena.cluster import both_slots as subject
from arena.cluster.both_slots import WAITING_MATCHES, AllMachines, BothSlots, own_cores
from arena.cluster.cluster_slots import ClusterSlots
from arena.cluster.orders import DIRECTOR
from arena.config.event import Config
from arena.config.loading import load_config
from arena.errors import UsageError
from arena.event.slots import local_slots
from arena.event.slots.local_slots import LocalSlots
from referee.job import REMOTE
from referee.records.match_end import Worker

ALICE = replace(JOB.players[1], name="alice", content=f"{REMOTE}x", argv=())
REMOTES = [
    replace(JOB, key=f"r{n}", players=(JOB.players[0], ALICE)) for n in range(WAITING_MATCHES + 2)
]
OWN = Worker(DIRECTOR, 2.0)


@pytest.fixture
def link() -> FakeLink:
    link = FakeLink()
    link.join("one")
    return link


@pytest.fixture
def swept(monkeypatch: pytest.MonkeyPatch) -> list[set[int]]:
    """The PIDs that each sweep has spared."""
    REFEREES.clear()
    found: list[set[int]] = []
    monkeypatch.setattr(subprocess, "Popen", Referee)
    monkeypatch.setattr(local_slots, "sweep", found.append)
    monkeypatch.setattr(local_slots, "remove_leftovers", lambda: None)
    return found


@pytest.fixture
def slots(link: FakeLink, swept: list[set[int]]) -> Iterator[BothSlots]:
    del swept
    here = LocalSlots([(0,)], spared=lambda: {4711})
    both = BothSlots(here, ClusterSlots(new_cluster(link)), OWN, is_scaled=True)
    yield both
    both.close()
    for referee in REFEREES:
        for pipe in (referee.stdin, referee.stdout, referee.heard, referee.said):
            pipe.close()
    REFEREES.clear()


def test_only_matches_with_remote_bots_are_played_here(slots: BothSlots, link: FakeLink) -> None:
    assert len(slots.free()) == 2
    for job in (REMOTES[0], JOB):
        slots.submit(job)
    assert (len(slots.free()), [sent.keys for sent in link.sent]) == (0, [[JOB.key]])

    REFEREES[-1].says(ended(REMOTES[0]))
    link.end(link.sent[0], ended(JOB))

    found = {result.job.key: result for result in results(slots, 2)}
    assert found[REMOTES[0].key].worker == OWN
    assert found[JOB.key].worker == Worker("one", 1.0)
    assert found[REMOTES[0].key].match == ended(REMOTES[0]).match
    assert found[REMOTES[0].key].job.time.per_move_ns == JOB.time.per_move_ns // 2


def test_matches_wait_for_a_slot_here_while_workers_get_more(
    slots: BothSlots, link: FakeLink
) -> None:
    for job in (*REMOTES[:2], JOB, OTHER):
        slots.submit(job)
    assert [sent.worker for sent in link.sent] == ["one", "one"]
    assert [job.key for job in slots.running()] == ["r0", JOB.key]
    assert [[job.key for job in queue.jobs] for queue in slots.queues()][-1] == ["r0", "r1"]

    REFEREES[-1].says(ended(REMOTES[0]))
    results(slots, 1)

    assert [job.key for job in slots.running()] == ["r1", JOB.key]


def test_waiting_matches_can_be_taken_back(slots: BothSlots) -> None:
    for job in REMOTES[:3]:
        slots.submit(job)

    slots.queues()[-1].take_back()

    taken = [(result.job.key, result.is_returned) for result in slots.wait(0)]
    assert taken == [("r1", True), ("r2", True)]
    assert slots.queues() == []


def test_at_most_this_many_matches_wait(slots: BothSlots) -> None:
    for job in REMOTES[: WAITING_MATCHES + 1]:
        slots.submit(job)

    assert (slots.free(), slots.ahead()) == ([], [])


def test_a_dead_referee_costs_its_match_and_no_worker(
    slots: BothSlots, swept: list[set[int]]
) -> None:
    slots.submit(REMOTES[0])

    REFEREES[-1].dies(-9)

    (result,) = results(slots, 1)
    assert (result.job.key, result.match, result.worker) == ("r0", None, None)
    assert result.void == "the referee ended: signal SIGKILL"
    assert swept == [{4711}]


def event(folder: Path, extra: str = "") -> Config:
    path = folder / "event.yaml"
    path.write_text(
        "name: e\ngame: {name: pente}\nbots: [random, {remote: alice}]\n"
        f"time: {{clock: wall}}\n{extra}\n"
    )
    return load_config(str(path))


@pytest.mark.parametrize(
    ("local", "extra", "wanted"),
    [
        (None, "slots: 2", (((0,), (1,)), False)),
        (2, "", (((2,), (3,)), False)),
        (2, "slots: 1", (((2,),), False)),
        (1, "cores: 2", (((2, 3),), False)),
        (3, "pin: none", (((),), False)),
        (4, "", (((),), True)),
        (3, "slots: 2", (((), ()), True)),
    ],
)
def test_local_workers_have_the_first_cores(
    local: int | None,
    extra: str,
    wanted: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})

    assert own_cores(event(tmp_path, extra), local) == wanted


def test_a_director_below_half_of_the_fastest_worker_is_refused(
    link: FakeLink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "measure_speed", lambda _: 0.49)

    with pytest.raises(UsageError, match=r"alice, and its speed 0\.49 is below half"):
        AllMachines(new_cluster(link), event(tmp_path), None)
