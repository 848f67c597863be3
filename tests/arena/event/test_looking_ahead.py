"""The next match, which waits in the pipe of a referee while the running one is played."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from sqlite3 import Connection

import pytest
from events import (
    FakeSlot,
    FakeSlots,
    crashed,
    direct,
    first_wins,
    keys_of,
    new_event,
    plan_of,
    void,
    won_by,
)

from arena.results.database import Patience
from arena.results.store import Store
from referee.job import Job
from referee.records.match_end import MatchEnd


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Keys of the matches that were sent while another one was running."""
    keys: list[str] = []
    submit = FakeSlot.submit

    def note(self: FakeSlot, job: Job) -> None:
        if self.jobs:
            keys.append(job.key)
        submit(self, job)

    monkeypatch.setattr(FakeSlot, "submit", note)
    return keys


def slow(job: Job) -> MatchEnd:
    match = won_by(job, 0).finished()
    return MatchEnd(
        job, replace(match, seats=(match.seats[0]._replace(wall_ns=10**9), match.seats[1]))
    )


def faulty(job: Job) -> MatchEnd:
    return MatchEnd(job, crashed(job, 0).finished())


def test_after_its_first_match_a_slot_has_its_next_match(store: Store, waiting: list[str]) -> None:
    plan = plan_of(repeat=4)

    run = direct(plan, store, new_event(store))

    assert run.begun == keys_of(plan.pairings)
    assert waiting == keys_of(plan.pairings)[2:]


def test_of_two_slots_each_has_its_next_match_after_a_quick_one(
    store: Store, waiting: list[str]
) -> None:
    plan = plan_of(slots=2, repeat=4)

    direct(plan, store, new_event(store))

    assert waiting == keys_of(plan.pairings)[3:]


@pytest.mark.parametrize("slots", [1, 2])
def test_after_a_long_match_none_waits(store: Store, waiting: list[str], slots: int) -> None:
    direct(plan_of(slots=slots), store, new_event(store), slow)

    assert waiting == []


@pytest.mark.parametrize("slots", [1, 2])
def test_after_a_fault_none_waits(store: Store, waiting: list[str], slots: int) -> None:
    direct(plan_of(slots=slots), store, new_event(store), faulty)

    assert waiting == []


def test_where_the_first_fault_withdraws_none_waits(store: Store, waiting: list[str]) -> None:
    direct(plan_of(withdraw_after=1), store, new_event(store))

    assert waiting == []


def test_a_waiting_match_of_a_player_withdrawn_meanwhile_is_taken_back(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(("ann", "bob"), slots=3, repeat=12, withdraw_after=2)
    event, keys = new_event(store), keys_of(plan.pairings)
    played: list[str] = []
    taken_back: list[str] = []
    take_back = FakeSlot.take_back

    def note(self: FakeSlot) -> None:
        taken_back.append(self.jobs[1].key)
        take_back(self)

    monkeypatch.setattr(FakeSlot, "take_back", note)

    def script(job: Job) -> MatchEnd:
        played.append(job.key)
        if job.key in keys[3:5]:
            return MatchEnd(job, crashed(job, job.names().index("bob")).finished())
        return first_wins(job)

    direct(plan, store, event, script)

    assert list(store.withdrawals(event)) == ["bob"]
    assert taken_back
    assert not set(taken_back) & set(played)
    assert store.keys(event) == set(keys)


def test_when_the_event_halts_a_waiting_match_is_taken_back(store: Store) -> None:
    plan, event = plan_of(repeat=6), new_event(store)
    keys = keys_of(plan.pairings)

    run = direct(
        plan, store, event, lambda job: void(job) if job.key in keys[2:4] else first_wins(job)
    )

    assert run.ending.is_halted
    assert store.keys(event) == set(keys[:2])
    assert run.ending.missing == len(keys) - 2


def test_a_match_is_stored_and_the_next_noted_in_one_transaction(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, event = plan_of(slots=2, repeat=6), new_event(store)
    transaction, written, depth = store.database.transaction, [], 0

    @contextmanager
    def count(patience: Patience | None = None) -> Iterator[Connection]:
        nonlocal depth
        depth += 1
        with transaction(patience) as connection:
            yield connection
        depth -= 1
        if depth == 0:
            written.append(len(store.keys(event)))

    monkeypatch.setattr(store.database, "transaction", count)
    direct(plan, store, event)

    assert written == [*range(len(plan.pairings) + 1)]


def test_matches_that_come_back_after_a_fault_are_played_in_order(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their slot returns them unasked, all at once."""
    plan = plan_of(repeat=8)
    keys = keys_of(plan.pairings)
    wait = FakeSlots.wait

    def ahead(self: FakeSlots) -> list[FakeSlot]:
        (slot,) = self._slots
        return [slot] * (5 - max(len(slot.jobs), 1))

    def wait_and_stop(self: FakeSlots, seconds: float) -> list[MatchEnd]:
        results = wait(self, seconds)
        (slot,) = self._slots
        if not results[0].is_played:
            results += [MatchEnd(job, None, is_returned=True) for job in slot.jobs]
            slot.jobs.clear()
        return results

    monkeypatch.setattr(FakeSlot, "submit", lambda self, job: self.jobs.append(job))
    monkeypatch.setattr(FakeSlots, "ahead", ahead)
    monkeypatch.setattr(FakeSlots, "wait", wait_and_stop)

    run = direct(
        plan,
        store,
        new_event(store),
        lambda job: (
            MatchEnd(job, crashed(job, 0).finished()) if job.key == keys[2] else first_wins(job)
        ),
    )

    assert run.begun == keys
