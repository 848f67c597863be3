"""Withdrawals: faults in a row in the order of the schedule, and their effect."""

import os
import signal
from collections.abc import Iterable

import pytest
from events import crashed, direct, first_wins, keep, keys_of, new_event, not_started, plan_of, void
from verifying import verify

from arena.event.play.withdrawal import Withdrawals, withdrawal_text
from arena.results.store import MatchRow, Store
from arena.schedule.pairing import Pairing
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.records.result import SeatRow


def pairing(number: int) -> Pairing:
    return Pairing(("ann", "bob"), 0, "", number)


def match(number: int, faulty: Iterable[str] = (), *, is_played: bool = True) -> MatchRow:
    seats = tuple(
        SeatRow(name, 0, 1, "0", "crash" if name in faulty else None, 5 * is_played, 0, 0, 0)
        for name in ("ann", "bob")
    )
    return MatchRow(number, 1, pairing(number).key, 0, "", "crash", "why", 0, "then", seats)


def withdrawn_at(faults: str, order: Iterable[int], after: int = 3) -> int | None:
    """Return the match, if any, for which ann is withdrawn.

    `faults` tells of each match of the schedule: x ann is at fault, . she is not, - not called.
    """
    withdrawals = Withdrawals([pairing(number) for number in range(len(faults))], after, {})
    for number in order:
        is_played = faults[number] != "-"
        found = match(number, ("ann",) if faults[number] == "x" else (), is_played=is_played)
        if withdrawals.add(found):
            assert withdrawals.reasons == {"ann": f"{after} faults in a row"}
            return number
    return None


@pytest.mark.parametrize(
    ("faults", "order", "match_number"),
    [
        ("xxx", [0, 1, 2], 2),
        (".xxx", [0, 1, 2, 3], 3),
        ("xx.xx.x", range(7), None),
        ("xxx", [2, 0, 1], 1),
        ("xxx", [2, 1, 0], 0),
        ("xx.x", [0, 1, 3, 2], None),
        ("xxxx", [0, 1, 3, 2], 2),
        ("xx-x", [0, 1, 2, 3], 3),
        ("x-x-----x", range(9), 8),
        ("xx", [0, 1], None),
        ("xxx", [0, 2], None),
    ],
)
def test_faults_in_a_row_follow_the_order_of_the_schedule(
    faults: str, order: Iterable[int], match_number: int | None
) -> None:
    assert withdrawn_at(faults, order) == match_number


@pytest.mark.parametrize(("after", "match_number"), [(2, 4), (3, 8), (4, None), (0, None)])
def test_the_number_of_faults_is_configurable(after: int, match_number: int | None) -> None:
    assert withdrawn_at(".x.xx.xxx", range(9), after=after) == match_number


def test_one_fault_may_be_the_limit() -> None:
    withdrawals = Withdrawals([pairing(0)], 1, {})

    assert withdrawals.add(match(0, ("bob",))) == {"bob": "1 fault in a row"}


def test_matches_of_later_rounds_count_once_they_are_known() -> None:
    withdrawals = Withdrawals([pairing(0)], 2, {})
    assert not withdrawals.add(match(0, ("ann",)))

    withdrawals.expect([pairing(0), pairing(1)])

    assert withdrawals.add(match(1, ("ann",))) == {"ann": "2 faults in a row"}


def test_a_match_that_the_format_has_dropped_counts_for_nobody() -> None:
    withdrawals = Withdrawals([pairing(0)], 1, {})

    assert not withdrawals.add(match(7, ("ann",)))


def test_both_can_be_withdrawn_for_the_same_match() -> None:
    withdrawals = Withdrawals([pairing(number) for number in range(2)], 2, {})

    assert withdrawals.add(match(0, ("ann", "bob"))) == {}
    assert list(withdrawals.add(match(1, ("ann", "bob")))) == ["ann", "bob"]


def test_a_withdrawn_player_is_not_withdrawn_again() -> None:
    withdrawals = Withdrawals([pairing(number) for number in range(3)], 2, {"ann": "before"})

    for number in range(3):
        assert withdrawals.add(match(number, ("ann",))) == {}
    assert withdrawals.reasons == {"ann": "before"}


def test_an_undecided_match_is_ignored() -> None:
    withdrawals = Withdrawals([pairing(number) for number in range(3)], 2, {})

    withdrawals.add(match(0, ("ann",)))
    withdrawals.skip(pairing(1))

    assert withdrawals.add(match(2, ("ann",))) == {"ann": "2 faults in a row"}


def test_a_match_of_a_larger_schedule_is_ignored() -> None:
    withdrawals = Withdrawals([pairing(0)], 1, {})

    assert withdrawals.add(match(7, ("ann",))) == {}


def test_a_player_at_fault_three_times_in_a_row_is_withdrawn(store: Store) -> None:
    plan, event = plan_of(repeat=6, withdraw_after=3), new_event(store)

    def bob_crashes(job: Job) -> MatchEnd:
        if "bob" in job.names():
            return MatchEnd(job, crashed(job, job.names().index("bob")).finished())
        return first_wins(job)

    run = direct(plan, store, event, bob_crashes)

    bobs = [pairing.key for pairing in plan.pairings if "bob" in pairing.players]
    assert [key for key in run.begun if "bob" in key] == bobs[:3]
    assert store.keys(event) == set(keys_of(plan.pairings))
    assert store.withdrawals(event) == {"bob": "3 faults in a row"}
    said = [line for line in run.told if "withdrawn" in line]
    assert said == [withdrawal_text("bob", "3 faults in a row")]
    assert run.row("bob") == (0, 0, 12, 3)
    assert run.table.rows["bob"].unplayed == 9
    assert run.table.duels["ann", "bob"].wins == 6
    unplayed = [match for match in store.matches(event) if match.key in bobs[3:]]
    assert {match.termination for match in unplayed} == {"no_show"}
    assert {match.reason for match in unplayed} == {"bob: withdrawn after 3 faults in a row"}
    assert {seat.wall_ns for match in unplayed for seat in match.seats} == {0}
    assert all(seat.is_unplayed == (seat.player == "bob") for m in unplayed for seat in m.seats)
    for match in unplayed:
        verify(store.record(match.id))


def test_when_all_are_withdrawn_the_rest_is_a_double_forfeit(store: Store) -> None:
    plan, event = plan_of(("ann", "bob"), repeat=6, withdraw_after=2), new_event(store)

    run = direct(plan, store, event, lambda job: MatchEnd(job, not_started(job, 0, 1).finished()))

    assert len(run.begun) == 2
    assert run.ending.missing == 0
    assert run.row("ann") == run.row("bob") == (0, 0, 6, 2)


def test_a_fair_match_in_between_keeps_a_player_in(store: Store) -> None:
    plan, event = plan_of(("ann", "bob"), repeat=9, withdraw_after=3), new_event(store)
    turns = iter(range(9))

    def sometimes(job: Job) -> MatchEnd:
        if next(turns) % 3 == 2:
            return first_wins(job)
        return MatchEnd(job, crashed(job, 0).finished())

    run = direct(plan, store, event, sometimes)

    assert len(run.begun) == 9
    assert store.withdrawals(event) == {}


def test_zero_withdraws_nobody(store: Store) -> None:
    plan, event = plan_of(("ann", "bob"), repeat=9, withdraw_after=0), new_event(store)

    run = direct(plan, store, event, lambda job: MatchEnd(job, crashed(job, 0).finished()))

    assert len(run.begun) == 9


def test_an_interrupted_event_withdraws_as_one_that_was_not(store: Store) -> None:
    plan, event = plan_of(repeat=6, withdraw_after=3), new_event(store)
    whole = new_event(store)

    def bob_crashes(job: Job) -> MatchEnd:
        if "bob" in job.names():
            return MatchEnd(job, crashed(job, job.names().index("bob")).finished())
        return first_wins(job)

    def stopped(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return bob_crashes(job)

    direct(plan, store, whole, bob_crashes)
    while direct(plan, store, event, stopped).ending.missing:
        pass

    def facts(number: int) -> set[tuple[str, str, int]]:
        return {(match.key, match.reason, match.plies) for match in store.matches(number)}

    assert facts(event) == facts(whole)
    assert store.withdrawals(event) == store.withdrawals(whole)


def test_a_withdrawal_decided_but_not_stored_is_stored_on_resume(
    store: Store,
) -> None:
    plan, event = plan_of(("ann", "bob"), repeat=6, withdraw_after=2), new_event(store)
    for pairing in plan.pairings[:2]:
        job = plan.job_of(pairing)
        keep(store, event, crashed(job, job.names().index("ann")))

    run = direct(plan, store, event)

    assert run.begun == []
    assert store.withdrawals(event) == {"ann": "2 faults in a row"}
    assert run.row("bob") == (6, 0, 0, 0)


def test_an_undecided_match_does_not_interrupt_a_row_of_faults(store: Store) -> None:
    plan, event = plan_of(("ann", "bob"), repeat=6, withdraw_after=2), new_event(store)
    undecided = plan.pairings[1].key

    def script(job: Job) -> MatchEnd:
        if job.key == undecided:
            return void(job)
        return MatchEnd(job, crashed(job, job.names().index("ann")).finished())

    run = direct(plan, store, event, script)

    assert run.begun == [plan.pairings[0].key, *[undecided] * 3, plan.pairings[2].key]
    assert store.withdrawals(event) == {"ann": "2 faults in a row"}
