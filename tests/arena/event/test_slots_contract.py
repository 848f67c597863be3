"""The contract of slots, kept by those of this machine and those on workers alike."""

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
from links import FakeLink
from on_workers import BACK, JOB, MATCH, ended, new_cluster, results, settle
from referees import REFEREES, Referee

from arena.cluster.cluster_slots import ClusterSlots
from arena.event.slots import local_slots
from arena.event.slots.contract import Slots
from arena.event.slots.local_slots import LocalSlots
from referee.records.match_end import MatchEnd


class OnThisMachine:
    """Slots with pipes instead of referees."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        REFEREES.clear()
        monkeypatch.setattr(subprocess, "Popen", Referee)
        monkeypatch.setattr(local_slots, "sweep", lambda spare: spare)
        monkeypatch.setattr(local_slots, "remove_leftovers", lambda: None)
        self.slots: Slots = LocalSlots([(0,)])

    def end(self, end: MatchEnd) -> None:
        REFEREES[-1].says(end)

    def lose(self) -> None:
        REFEREES[-1].dies(-9)


class OnWorkers:
    """Slots of a worker that exists here only."""

    def __init__(self, _: pytest.MonkeyPatch) -> None:
        self.link = FakeLink()
        self.link.join("one")
        self.slots: Slots = ClusterSlots(new_cluster(self.link))

    def end(self, end: MatchEnd) -> None:
        self.link.end(self.link.open_tasks("one")[0], end)

    def lose(self) -> None:
        self.link.lose("one")
        self.link.join("one")


@pytest.fixture(params=[OnThisMachine, OnWorkers])
def one(request: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    harness = request.param(monkeypatch)
    yield harness
    harness.slots.close()
    for referee in REFEREES:
        for pipe in (referee.stdin, referee.stdout, referee.heard, referee.said):
            pipe.close()
    REFEREES.clear()


def test_a_match_is_played_once_and_its_place_is_free_again(one: Any) -> None:
    (place,) = one.slots.free()
    place.submit(JOB)
    assert (one.slots.free(), list(one.slots.running())) == ([], [JOB])

    one.end(ended(JOB))

    (result,) = results(one.slots, 1)
    assert (result.job, result.match, result.void) == (JOB, MATCH, None)
    assert (len(one.slots.free()), one.slots.running(), one.slots.wait(0)) == (1, [], [])


def test_the_next_match_waits_and_can_be_taken_back(one: Any) -> None:
    one.slots.free()[0].submit(JOB)
    (ahead,) = one.slots.ahead()
    ahead.submit(BACK)
    assert (one.slots.ahead(), list(one.slots.running())) == ([], [JOB])
    (queue,) = one.slots.queues()
    assert list(queue.jobs) == [JOB, BACK]

    queue.take_back()
    if isinstance(one, OnThisMachine):  # its referee answers in order
        one.end(ended(JOB))
        one.end(MatchEnd(BACK, is_returned=True))
        assert [result.is_returned for result in results(one.slots, 2)] == [False, True]
    else:
        assert [(r.job, r.is_returned) for r in results(one.slots, 1)] == [(BACK, True)]


def test_what_plays_a_match_dies_and_only_that_match_is_void(one: Any) -> None:
    one.slots.free()[0].submit(JOB)
    one.slots.ahead()[0].submit(BACK)

    one.lose()

    first, second = results(one.slots, 2)
    assert (first.job, first.match, first.suspect) == (JOB, None, None)
    assert first.void
    assert (second.job, second.is_returned) == (BACK, True)
    settle(one.slots)
    assert len(one.slots.free()) == 1


def test_a_void_match_comes_with_its_reason(one: Any) -> None:
    one.slots.free()[0].submit(JOB)

    one.end(MatchEnd(JOB, void="no more memory", is_exhausted=True))

    (result,) = results(one.slots, 1)
    assert result.is_exhausted
    assert (result.void or "").startswith("no more memory")
