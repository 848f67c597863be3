"""Short matches on a worker: sent, ended, taken back and lost together."""

from dataclasses import replace

import pytest
from links import FakeLink
from on_workers import JOB, OTHER, ended, results, settle, two_workers

from arena.cluster.cluster_slots import ClusterSlots
from referee.job import Job
from referee.records.match_end import MatchEnd


def of_key(number: int) -> Job:
    return replace(JOB, key=f"ann,bob/b{number}/0", board_seed=number)


def short_matches(link: FakeLink, slots: ClusterSlots, *, average_s: float = 0.02) -> list[Job]:
    """Play a match that takes so long; submit and send as many others as there are places."""
    slots.submit(JOB)
    link.end(link.open_tasks("one")[0], ended(JOB), average_s=average_s)
    assert results(slots, 1)
    jobs = [of_key(number) for number in range(2, 2 + len(slots.free()) + len(slots.ahead()))]
    for job in jobs:
        slots.submit(job)
    assert slots.wait(0) == []
    return jobs


@pytest.mark.parametrize(
    ("average_s", "tasks"), [(0.02, [5, 5]), (0.001, [32, 32]), (0.06, [1, 1]), (30, [1, 1])]
)
def test_short_matches_are_sent_together(average_s: float, tasks: list[int]) -> None:
    link, slots = two_workers(one=1)

    jobs = short_matches(link, slots, average_s=average_s)

    assert [len(sent.keys) for sent in link.open_tasks("one")] == tasks
    assert list(slots.running()) == jobs[:1]  # a line of the terminal for each slot


def test_the_end_of_several_matches_is_that_of_each() -> None:
    link, slots = two_workers(one=1)
    jobs = short_matches(link, slots)[:5]
    last = MatchEnd(jobs[4], is_returned=True)
    void = MatchEnd(jobs[3], void="no more memory")

    link.end(link.open_tasks("one")[0], *map(ended, jobs[:3]), void, last)

    found = results(slots, 5)
    assert [result.job for result in found] == jobs[:5]
    assert [bool(result.match) for result in found] == [True, True, True, False, False]
    assert found[3].void == "no more memory (on worker one)"
    assert found[4].is_returned


def test_matches_sent_together_are_taken_back_together() -> None:
    link, slots = two_workers(one=1)
    jobs = short_matches(link, slots)

    (queue,) = slots.queues()
    assert list(queue.jobs) == [jobs[0], *jobs[5:]]
    queue.take_back()

    assert [(r.job, r.is_returned) for r in results(slots, 5)] == [(job, True) for job in jobs[5:]]


def test_matches_lost_together_are_sent_singly() -> None:
    link, slots = two_workers(one=1)
    jobs = short_matches(link, slots)

    link.lose("one")
    link.join("one")

    assert all(result.is_returned for result in results(slots, 10))
    settle(slots)
    for job in jobs[:2]:
        slots.submit(job)
    assert [sent.keys for sent in link.open_tasks("one")] == [[job.key] for job in jobs[:2]]


def test_a_match_that_has_lost_two_workers_is_played_alone() -> None:
    link, slots = two_workers(one=2)
    for _ in range(2):
        slots.submit(JOB)
        slots.submit(OTHER)
        link.lose("one")
        link.join("one", slots=2)
        lost = results(slots, 2)
        assert [(result.is_lost, result.is_alone) for result in lost] == [(True, False)] * 2
        settle(slots)

    for job in (JOB, OTHER):
        slots.submit(job)
    settle(slots)
    assert [sent.keys for sent in link.open_tasks("one")] == [[JOB.key]]
    assert (slots.free(), slots.ahead()) == ([], [])
    assert list(slots.running()) == [JOB, OTHER]

    link.end(link.open_tasks("one")[0], ended(JOB))
    assert results(slots, 1)[0].match
    assert [sent.keys for sent in link.open_tasks("one")] == [[OTHER.key]]
    link.lose("one")
    assert [(r.job, r.is_lost, r.is_alone) for r in results(slots, 1)] == [(OTHER, True, True)]
