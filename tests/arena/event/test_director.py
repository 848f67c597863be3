"""The director: order and number of matches, and the state after a stop."""

import os
import signal
import sqlite3
from contextlib import closing

import pytest
from events import (
    BOTS,
    Diary,
    FakeSlots,
    direct,
    first_wins,
    keep,
    keys_of,
    new_event,
    plan_of,
    won_by,
)
from fakes import FakeBot, played

from arena.errors import LockedError
from arena.event.play import playing
from arena.event.play.director import Director
from arena.event.play.interruptions import Interruptions
from arena.event.play.locks import patient_transaction
from arena.event.play.playing import play_event
from arena.event.watch.progress import Progress
from arena.results.standings import Table
from arena.results.store import Store
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.records.record import Record


def test_matches_are_begun_in_the_order_of_the_schedule_and_kept(store: Store) -> None:
    plan, event = plan_of(), new_event(store)

    run = direct(plan, store, event)

    assert run.begun == keys_of(plan.pairings)
    assert [match.key for match in store.matches(event)] == keys_of(plan.pairings)
    assert (run.ending.missing, run.ending.undecided, run.ending.is_interrupted) == (0, (), False)
    assert run.slots.is_closed
    assert [run.row(bot) for bot in BOTS] == [(2, 0, 2, 0)] * 3


def test_the_slots_are_closed_if_the_director_cannot_begin(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    class NoTerminal:
        def say(self, line: str) -> None: ...

        def follow(self, total: int, done: int, table: Table) -> Progress:
            raise OSError(f"no terminal for {total - done} matches of {table.players}")

    event = store.event(new_event(store))
    assert event is not None
    slots = FakeSlots(first_wins, 1, [])
    monkeypatch.setattr(playing, "open_checked", lambda *_: slots)
    monkeypatch.setattr(playing, "become_subreaper", lambda: None)

    with pytest.raises(OSError, match="no terminal"):
        play_event(store, event, plan_of(), Table(BOTS), NoTerminal(), has_preflight=True)

    assert slots.is_closed


@pytest.mark.parametrize("slots", [2, 4, 100])
def test_every_match_is_played_once_on_any_number_of_slots(store: Store, slots: int) -> None:
    plan, event = plan_of(slots=slots, repeat=6), new_event(store)

    run = direct(plan, store, event)

    assert sorted(run.begun) == sorted(keys_of(plan.pairings))
    assert store.keys(event) == set(keys_of(plan.pairings))


def test_no_more_slots_are_opened_than_there_are_matches(store: Store) -> None:
    run = direct(plan_of(("ann", "bob"), slots=8), store, new_event(store))

    assert len(run.slots.free()) == 2


def test_a_job_depends_on_its_pairing_alone(store: Store) -> None:
    plan = plan_of()
    jobs: dict[str, Job] = {}

    def note(job: Job) -> MatchEnd:
        jobs[job.key] = job
        return first_wins(job)

    direct(plan, store, new_event(store), note)
    again = plan_of()

    assert [again.job_of(pairing) for pairing in again.pairings] == list(jobs.values())
    assert len({job.seed for job in jobs.values()}) == len(jobs)
    assert len({job.board_seed for job in jobs.values()}) == 1


def test_only_missing_matches_are_played(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    for pairing in plan.pairings[1::2]:
        keep(store, event, won_by(plan.job_of(pairing), 1))

    run = direct(plan, store, event)

    assert run.begun == keys_of(plan.pairings[::2])
    assert store.keys(event) == set(keys_of(plan.pairings))


def test_a_finished_event_opens_no_slots_and_reports_nothing(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    direct(plan, store, event)

    run = direct(plan, store, event)

    assert (run.begun, run.told, run.slots.is_closed) == ([], [], False)
    assert run.ending.missing == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_interruption_lets_the_running_matches_finish(
    store: Store, number: signal.Signals
) -> None:
    plan, event = plan_of(slots=2), new_event(store)

    def interrupt(job: Job) -> MatchEnd:
        if job.key == plan.pairings[0].key:
            os.kill(os.getpid(), number)
        return first_wins(job)

    run = direct(plan, store, event, interrupt)

    assert run.begun == keys_of(plan.pairings[:2])
    assert store.keys(event) == set(run.begun)
    assert run.ending.is_interrupted
    assert run.ending.missing == 4
    assert "stopping after the running matches; once more to stop at once" in run.told
    assert run.slots.is_closed


def test_the_second_interruption_stops_at_once_and_keeps_finished_matches(store: Store) -> None:
    plan, event = plan_of(slots=3), new_event(store)

    def interrupt(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return first_wins(job)

    run = direct(plan, store, event, interrupt)

    assert len(run.begun) == 3
    assert store.keys(event) == set(run.begun[:2])
    assert run.ending.missing == 4
    assert run.slots.is_closed


def test_a_closing_terminal_is_one_interruption_despite_several_signals(store: Store) -> None:
    plan, event = plan_of(slots=3), new_event(store)

    def hang_up(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGHUP)
        return first_wins(job)

    run = direct(plan, store, event, hang_up)

    assert store.keys(event) == set(run.begun) == set(keys_of(plan.pairings[:3]))


def test_a_signal_that_was_ignored_stays_ignored(store: Store) -> None:
    plan, event = plan_of(), new_event(store)

    def hang_up(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGHUP)
        return first_wins(job)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        run = direct(plan, store, event, hang_up)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)

    assert run.ending.missing == 0


def test_signal_handlers_are_restored_afterwards(store: Store) -> None:
    before = signal.getsignal(signal.SIGINT)

    direct(plan_of(), store, new_event(store))

    assert signal.getsignal(signal.SIGINT) is before


def test_a_match_is_written_as_soon_as_the_lock_of_another_program_is_released(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, event = plan_of(), new_event(store)
    store.database.row("PRAGMA busy_timeout = 1")
    locked = f"{store.path} is locked by another program; waiting for that"
    say = Diary.say

    def unlock(diary: Diary, line: str) -> None:
        say(diary, line)
        if line == locked:
            other.execute("COMMIT")

    monkeypatch.setattr(Diary, "say", unlock)
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        run = direct(plan, store, event)

    assert store.keys(event) == set(keys_of(plan.pairings))
    assert run.told.count(locked) == 1


def test_a_lock_is_reported_once_and_waited_for_until_a_second_interruption(store: Store) -> None:
    class Interrupted(Interruptions):
        looks = 0

        @property
        def count(self) -> int:
            self.looks += 1
            return max(0, self.looks - 3)

        @count.setter
        def count(self, value: int) -> None:
            pass

    interruptions, told = Interrupted(), list[str]()
    store.database.row("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with (
            pytest.raises(LockedError),
            patient_transaction(store, interruptions, told.append),
        ):
            pytest.fail("the other program has the lock")

    assert interruptions.looks == 5
    assert len(told) == 1


def test_a_match_stored_meanwhile_is_not_counted_twice(store: Store) -> None:
    plan, event = plan_of(("ann", "bob")), new_event(store)

    def twice(job: Job) -> MatchEnd:
        record = won_by(job, 0)
        keep(store, event, record)
        return MatchEnd(job, record.finished())

    run = direct(plan, store, event, twice)

    assert run.table.rows["ann"].matches == 0
    assert run.ending.missing == 0
    assert len(list(store.matches(event))) == 2


def test_the_record_is_stored_as_the_referee_wrote_it(store: Store) -> None:
    plan, event = plan_of(("ann", "bob"), repeat=1), new_event(store)
    records: list[Record] = []

    def note(job: Job) -> MatchEnd:
        record = played(job, [FakeBot(), FakeBot()]).record
        records.append(record)
        return MatchEnd(job, record.finished())

    direct(plan, store, event, note)

    assert [store.record(match.id) for match in store.matches(event)] == records


def test_the_number_of_missing_matches_is_known_before_play(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    keep(store, event, won_by(plan.job_of(plan.pairings[2]), 0))

    assert Director(plan, store, event, Table(BOTS)).agenda.missing == 5
