"""Void matches: played again, but not for ever, and not at the cost of those without blame."""

import pytest
from events import BOTS, crashed, direct, first_wins, job_of, keys_of, new_event, plan_of, void
from verifying import verify

from arena.event.play.voids import FORGIVEN, Voids
from arena.results.store import ATTEMPTS, Store
from arena.results.voids import VoidRow, add_void
from protocol.vocabulary import Termination
from referee.job import Absence, Job
from referee.records.match_end import MatchEnd

STORM = Absence(seat=1, termination=Termination.MALFORMED, detail="too many connections")


def test_a_void_match_is_replayed_at_once_without_loss_for_anyone(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    outcomes = iter([True, False])

    run = direct(
        plan, store, event, lambda job: void(job) if next(outcomes, 0) else first_wins(job)
    )

    first, *rest = keys_of(plan.pairings)
    assert run.begun == [first, first, *rest]
    assert run.told[0] == (
        f"match {first} is void, no bot suspected: the referee ended: signal SIGKILL (attempt 1)"
    )
    assert [(row.key, row.attempt, row.suspect) for row in store.voids(event)] == [(first, 1, None)]
    assert [run.row(bot) for bot in BOTS] == [(2, 0, 2, 0)] * 3
    assert not run.ending.is_halted


@pytest.mark.parametrize(
    ("detail", "blame"),
    [
        ("its line was lost: signal SIGKILL", "bob"),
        ("too many connections", "bob, too many connections"),
    ],
)
def test_the_blame_for_a_void_match_does_not_repeat_its_reason(
    store: Store, detail: str, blame: str
) -> None:
    plan, event = plan_of(("ann", "bob")), new_event(store)
    suspect = Absence(seat=1, termination=Termination.NO_SHOW, detail=detail)
    outcomes = iter([True, False])

    run = direct(
        plan, store, event, lambda job: void(job, suspect) if next(outcomes, 0) else first_wins(job)
    )

    assert run.told[0].endswith(
        f"is void, probably by {blame}: the referee ended: signal SIGKILL (attempt 1)"
    )


def test_a_match_void_three_times_stays_undecided_and_the_event_continues(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    stubborn, *rest = keys_of(plan.pairings)

    run = direct(
        plan, store, event, lambda job: void(job) if job.key == stubborn else first_wins(job)
    )

    assert run.begun == [stubborn] * 3 + rest
    assert run.ending.undecided == (stubborn,)
    assert run.ending.missing == 1
    assert store.keys(event) == set(rest)


def test_an_undecided_match_is_tried_again_by_the_same_command(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    stubborn = plan.pairings[0].key
    direct(plan, store, event, lambda job: void(job) if job.key == stubborn else first_wins(job))

    run = direct(plan, store, event)

    assert run.begun == [stubborn]
    assert run.ending.missing == 0
    attempts = store.database.row("SELECT attempt FROM match WHERE key = ?", (stubborn,))
    assert attempts == (4,)


def test_two_different_matches_void_in_a_row_halt_the_event(store: Store) -> None:
    plan, event = plan_of(slots=2), new_event(store)
    broken = keys_of(plan.pairings[:2])

    run = direct(
        plan, store, event, lambda job: void(job) if job.key in broken else first_wins(job)
    )

    assert run.ending.is_halted
    assert run.begun == [*keys_of(plan.pairings[:2]), plan.pairings[0].key]
    assert store.keys(event) == set()


def test_a_normal_match_in_between_continues_the_event(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    broken = {pairing.key for pairing in plan.pairings[::2]}

    def once(job: Job) -> MatchEnd:
        if job.key in broken:
            broken.remove(job.key)
            return void(job)
        return first_wins(job)

    run = direct(plan, store, event, once)

    assert not run.ending.is_halted
    assert run.ending.missing == 0


def test_the_suspected_cause_of_a_void_match_forfeits_the_second_attempt(store: Store) -> None:
    plan, event = plan_of(("ann", "bob")), new_event(store)

    def storm(job: Job) -> MatchEnd:
        seat = job.names().index("bob")
        return void(job, Absence(seat=seat, termination=STORM.termination, detail=STORM.detail))

    run = direct(plan, store, event, storm)

    assert not run.ending.is_halted
    assert run.ending.undecided == ()
    assert run.row("ann") == (2, 0, 0, 0)
    assert run.row("bob") == (0, 0, 2, 2)
    assert {row.suspect for row in store.voids(event)} == {"bob"}
    for match in store.matches(event):
        assert match.termination == "malformed"
        verify(store.record(match.id))


def test_a_suspicion_of_an_earlier_run_counts(store: Store) -> None:
    plan, event = plan_of(("ann", "bob")), new_event(store)
    key = plan.pairings[0].key
    add_void(store.database, event, VoidRow(key, 1, "the referee was stopped", "bob"))
    seat = plan.pairings[0].players.index("bob")
    storm = Absence(seat=seat, termination=STORM.termination, detail=STORM.detail)
    outcomes = iter([True])

    run = direct(
        plan, store, event, lambda job: void(job, storm) if next(outcomes, 0) else first_wins(job)
    )

    assert run.begun.count(key) == 1
    assert run.row("bob")[3] == 1
    assert [(row.attempt, row.suspect) for row in store.voids(event)] == [(1, "bob"), (2, "bob")]


def test_a_bot_cannot_learn_the_draws_of_a_match_by_making_it_void(store: Store) -> None:
    plan, event = plan_of(("ann", "bob")), new_event(store)
    jobs: list[Job] = []
    voids: list[Absence | None] = [None, STORM]

    def script(job: Job) -> MatchEnd:
        jobs.append(job)
        return void(job, voids.pop(0)) if voids else first_wins(job)

    direct(plan, store, event, script)

    killed, cut, other = jobs[:3]
    assert killed.key == cut.key == other.key
    assert killed.seed == cut.seed  # no bot is suspected, so the event ends as if undisturbed
    assert other.seed != cut.seed
    assert other.board_seed == cut.board_seed


def test_a_bot_makes_few_matches_of_an_event_void_without_a_forfeit(store: Store) -> None:
    plan, event = plan_of(("ann", "bob"), repeat=20), new_event(store)

    def cut(job: Job) -> MatchEnd:
        """Cut the line of bob in each match, once."""
        seat = job.names().index("bob")
        absence = Absence(seat=seat, termination=STORM.termination, detail=STORM.detail)
        is_first = all(row.key != job.key for row in store.voids(event))
        return void(job, absence) if is_first else first_wins(job)

    run = direct(plan, store, event, cut)

    assert len(store.voids(event)) == 20
    assert run.row("bob")[3] >= 20 - 2 * FORGIVEN  # the next match waits in the slot already


def forfeits(voids: Voids, *jobs: Job) -> list[str]:
    """Have seat 1 make each match void; return the keys of those that it then forfeits."""
    for job in jobs:
        voids.add(void(job, STORM))
    return [job.key for job in jobs if voids.absences(job.key)]


def test_many_slots_give_a_bot_no_more_void_matches_one_after_another() -> None:
    voids = Voids([], slots=8)
    jobs = [job_of("ann", "bob", key=f"match {n}") for n in range(5)]

    lost = []
    for job in jobs:
        voids.begin(job.key)
        lost += forfeits(voids, job)

    assert lost == ["match 3", "match 4"]


def test_a_line_lost_in_many_matches_at_once_counts_once() -> None:
    voids = Voids([], slots=8)
    jobs = [job_of("ann", "bob", key=f"match {n}") for n in range(8)]
    for job in jobs:
        voids.begin(job.key)

    assert forfeits(voids, *jobs) == []

    for job in jobs[:2]:
        voids.begin(job.key)
    assert forfeits(voids, *jobs[:2]) == ["match 0", "match 1"]


def test_after_such_a_loss_a_bot_is_forgiven_as_often_as_after_any_other() -> None:
    voids = Voids([], slots=8)
    jobs = [job_of("ann", "bob", key=f"match {n}") for n in range(8)]
    for job in jobs:
        voids.begin(job.key)
    forfeits(voids, *jobs)

    later = [job_of("ann", "bob", key=f"later {n}") for n in range(FORGIVEN)]
    lost = []
    for job in later:
        voids.begin(job.key)
        lost += forfeits(voids, job)

    assert lost == [later[-1].key]


def test_only_suspicions_change_the_draws_of_a_match_each_time_by_one() -> None:
    voids = Voids([VoidRow("known", 1, "", "bob"), VoidRow("blameless", 1, "", None)])
    job = job_of("ann", "bob", key="now")
    voids.add(void(job))
    assert (voids.suspicions("known"), voids.suspicions("blameless")) == (1, 0)
    assert voids.suspicions("now") == 0

    voids.add(void(job, STORM))

    assert voids.suspicions("now") == 1


def test_void_matches_of_earlier_runs_count_as_if_lost_together() -> None:
    known = [VoidRow(f"match {n}", 1, "", "bob") for n in range(17)]
    voids = Voids(known, slots=8)
    job = job_of("ann", "bob", key="one more")

    voids.begin(job.key)

    assert forfeits(voids, job) == ["one more"]


def test_a_void_match_is_played_again_until_it_is_given_up_or_a_forfeit() -> None:
    voids = Voids([])
    job, stormy = job_of("ann", "bob", key="blameless"), job_of("ann", "bob", key="stormy")

    assert [voids.add(void(job)) for _ in range(ATTEMPTS)] == [
        *["replayed"] * (ATTEMPTS - 1),
        "given up",
    ]
    assert [voids.add(void(stormy, STORM)) for _ in range(2)] == ["replayed", "forfeited"]
    assert (voids.attempt("blameless"), voids.attempt("never void")) == (ATTEMPTS + 1, 1)


def test_in_a_match_of_three_the_others_continue_without_the_suspect(store: Store) -> None:
    plan = plan_of(game="chinese_checkers", seats=(3,), repeat=1)
    event = new_event(store)
    jobs: list[Job] = []

    def storm(job: Job) -> MatchEnd:
        jobs.append(job)
        if job.absences:
            return MatchEnd(job, crashed(job, 1).finished())
        return void(job, STORM)

    run = direct(plan, store, event, storm)

    assert [job.absences for job in jobs] == [(), (), (STORM,)]
    assert run.ending.missing == 0


def lost(job: Job, *, is_alone: bool) -> MatchEnd:
    return MatchEnd(job, None, "worker one was lost", is_lost=True, is_alone=is_alone)


def test_a_match_that_ends_three_workers_is_a_forfeit_of_its_bots(store: Store) -> None:
    plan, event = plan_of(("ann", "bob")), new_event(store)
    deadly, other = keys_of(plan.pairings)

    run = direct(
        plan,
        store,
        event,
        lambda job: lost(job, is_alone=True) if job.key == deadly else first_wins(job),
    )

    assert run.begun == [deadly] * 3 + [other]
    assert run.ending.undecided == ()
    (match,) = (match for match in store.matches(event) if match.key == deadly)
    assert [(seat.points, bool(seat.fault)) for seat in match.seats] == [(0, True)] * 2
    verify(store.record(match.id))


def test_a_match_lost_three_times_beside_others_blames_nobody(store: Store) -> None:
    plan, event = plan_of(("ann", "bob")), new_event(store)
    unlucky, other = keys_of(plan.pairings)

    run = direct(
        plan,
        store,
        event,
        lambda job: lost(job, is_alone=False) if job.key == unlucky else first_wins(job),
    )

    assert run.begun == [unlucky] * 3 + [other]
    assert run.ending.undecided == (unlucky,)
    assert not any(seat.fault for match in store.matches(event) for seat in match.seats)
