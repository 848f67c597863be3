"""Numbers of attempts: each void or cut-off attempt counts."""

import sqlite3

import pytest
from events import direct, first_wins, job_of, keep, keys_of, new_event, plan_of, void, won_by

from arena.results.store import Store
from referee.job import Job
from referee.records.match_end import MatchEnd


class KilledError(Exception):
    """Stands for a SIGKILL: nothing is written any more."""


def attempts(store: Store) -> dict[str, int]:
    db = sqlite3.connect(store.path)
    try:
        return dict(db.execute("SELECT key, attempt FROM match"))
    finally:
        db.close()


def test_matches_of_a_killed_director_are_replayed_as_the_next_attempt(
    store: Store,
) -> None:
    plan, event = plan_of(), new_event(store)
    first, second, third, *rest = keys_of(plan.pairings)  # the third waits behind the second

    def killed(job: Job) -> MatchEnd:
        if job.key == second:
            raise KilledError
        return first_wins(job)

    for _ in range(2):
        with pytest.raises(KilledError):
            direct(plan, store, event, killed)
    assert store.begun(event) == {second: 2, third: 1}
    direct(plan, store, event)

    assert attempts(store) == {first: 1, second: 3, third: 2, **dict.fromkeys(rest, 1)}
    assert store.begun(event) == {}
    assert store.voids(event) == []


def test_a_void_attempt_after_a_kill_has_the_next_number(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    store.begin_match(event, plan.pairings[0].key, 1)
    outcomes = iter([True])

    direct(plan, store, event, lambda job: void(job) if next(outcomes, 0) else first_wins(job))

    (row,) = store.voids(event)
    assert (row.key, row.attempt) == (plan.pairings[0].key, 2)
    assert attempts(store)[row.key] == 3


def test_a_started_match_is_noted_until_it_is_stored(store: Store) -> None:
    event, other = new_event(store), new_event(store)
    job = job_of("ann", "bob")

    store.begin_match(event, job.key, 1)
    store.begin_match(event, job.key, 2)
    assert (store.begun(event), store.begun(other)) == ({job.key: 2}, {})
    assert not store.is_touched(event)

    keep(store, event, won_by(job, 0))
    assert store.begun(event) == {}
