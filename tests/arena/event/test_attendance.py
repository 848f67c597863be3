"""Remote bots out of reach: their matches wait, nobody faults, and a cut line wins nothing."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from events import direct, first_wins, new_event, plan_of, won_by

from arena.event.plan import Plan
from arena.event.play.attendance import MISSED, Attendance
from arena.event.play.voids import FORGIVEN
from arena.results.store import Store
from protocol.vocabulary import Termination
from referee.job import REMOTE, SECOND_NS, Absence, Job
from referee.records.match_end import MatchEnd

BOTS = ("alice", "bob", "cat")
LOST = "its line was lost: it was silent"


class Line:
    """The line of alice, in simulated time: each look at the clock takes a quarter of a second."""

    def __init__(self, plan: Plan) -> None:
        self.now_s = 0.0
        self.back_s = 0.0
        """Time at which the line works again."""
        self.attendance = Attendance(plan.players, plan.absence_ns, self._entrants, self._tick)

    def fail(self, seconds: float) -> None:
        self.back_s = self.now_s + seconds

    def is_up(self) -> bool:
        return self.now_s >= self.back_s

    def _entrants(self) -> set[str]:
        return {"alice"} if self.is_up() else set()

    def _tick(self) -> float:
        self.now_s += 0.25
        return self.now_s


def remote_plan(*names: str, absence_s: int = 600, **options: int) -> Plan:
    """Return a plan in which alice is remote."""
    plan = plan_of(names or BOTS, withdraw_after=2, **options)
    alice = replace(plan.players["alice"], argv=(), content=f"{REMOTE}x", door="d", remote="alice")
    return replace(plan, players={**plan.players, "alice": alice}, absence_ns=absence_s * SECOND_NS)


def cut(job: Job, *, is_absent: bool = False) -> MatchEnd:
    """Return a match that alice's line has ended, before its begin if `is_absent`."""
    seat = job.names().index("alice")
    suspect = Absence(seat=seat, termination=Termination.NO_SHOW, detail=LOST)
    return MatchEnd(job, None, f"the line to alice was lost: {LOST}", suspect, is_absent=is_absent)


@pytest.mark.parametrize("slots", [1, 4])
@pytest.mark.parametrize("seconds", [20, 36])
def test_a_line_that_is_silent_for_a_while_costs_no_match_and_no_fault(
    store: Store, slots: int, seconds: int
) -> None:
    plan, event = remote_plan(slots=slots, repeat=10), new_event(store, BOTS)
    line = Line(plan)
    begun: list[tuple[str, bool]] = []

    def script(job: Job) -> MatchEnd:
        has_alice = "alice" in job.names()
        begun.append((job.key, has_alice))
        if has_alice and sum(one for _, one in begun) == 4:
            line.fail(seconds)
        return cut(job) if has_alice and not line.is_up() else first_wins(job)

    run = direct(plan, store, event, script, attendance=line.attendance)

    assert [run.row(bot) for bot in BOTS] == [(10, 0, 10, 0)] * 3
    assert run.ending.missing == 0
    assert [row.unplayed for row in run.table.rows.values()] == [0, 0, 0]
    assert store.withdrawals(event) == {}
    assert "alice is out of reach: its matches wait, for 600s at most (`absence`)" in run.told
    assert "alice is back" in run.told
    cuts = len(store.voids(event))
    assert 1 <= cuts <= slots  # only the matches that were running
    assert max(Counter(key for key, _ in begun).values()) <= 2


def test_others_play_while_the_matches_of_a_bot_wait(store: Store) -> None:
    plan, event = remote_plan(repeat=20), new_event(store, BOTS)
    line = Line(plan)
    line.fail(500)

    run = direct(plan, store, event, attendance=line.attendance)

    others = sum("alice" not in key for key in run.begun)
    assert all("alice" not in key for key in run.begun[:others])
    assert [run.row(bot) for bot in BOTS] == [(20, 0, 20, 0)] * 3


def test_a_match_whose_line_fails_at_its_start_was_not_begun(store: Store) -> None:
    plan, event = remote_plan(), new_event(store, BOTS)
    line = Line(plan)
    missed = iter([True, True])

    def script(job: Job) -> MatchEnd:
        if "alice" in job.names() and next(missed, False):
            line.fail(12)
            return cut(job, is_absent=True)
        return first_wins(job)

    run = direct(plan, store, event, script, attendance=line.attendance)

    assert store.voids(event) == []
    assert [run.row(bot) for bot in BOTS] == [(2, 0, 2, 0)] * 3


def test_after_the_limit_the_matches_are_forfeited_unplayed_until_the_bot_is_back(
    store: Store,
) -> None:
    plan, event = remote_plan("alice", "bob", repeat=8, absence_s=60), new_event(store, BOTS[:2])
    line = Line(plan)
    played: list[str] = []

    def script(job: Job) -> MatchEnd:
        played.append(job.key)
        if len(played) == 3:
            line.fail(10_000)
            return cut(job)
        return first_wins(job) if line.is_up() else cut(job, is_absent=True)

    run = direct(plan, store, event, script, attendance=line.attendance)

    assert run.ending.missing == 0
    assert run.table.rows["alice"].unplayed == 6
    assert run.row("alice")[3] == run.row("bob")[3] == 0
    assert store.withdrawals(event) == {}
    (told,) = [text for text in run.told if "forfeits" in text]
    assert told.startswith("alice was out of reach for more than 60s: it forfeits its matches")


def test_the_limit_counts_all_absences_of_a_run_together(store: Store) -> None:
    plan, event = remote_plan("alice", "bob", repeat=60, absence_s=60), new_event(store, BOTS[:2])
    line = Line(plan)

    def script(job: Job) -> MatchEnd:
        if not line.is_up():
            return cut(job, is_absent=True)
        line.fail(25)  # away after every match
        return first_wins(job)

    run = direct(plan, store, event, script, attendance=line.attendance)

    assert line.now_s < 60 * 25  # nobody waits for all of them
    assert run.table.rows["alice"].unplayed > 0
    assert run.row("alice")[3] == 0


def enemy(wins: Callable[[Job], bool], event: int, store: Store, **options: int) -> tuple[int, int]:
    """Let alice cut her line in each match that she is losing; return her wins and replays."""
    plan = remote_plan("alice", "bob", **options)
    line = Line(plan)
    begun: Counter[str] = Counter()

    def script(job: Job) -> MatchEnd:
        begun[job.key] += 1
        if wins(job):
            return MatchEnd(job, won_by(job, job.names().index("alice")).finished())
        return cut(job)

    run = direct(plan, store, event, script, attendance=line.attendance)
    assert run.ending.missing == 0
    assert run.row("alice")[3] == 0
    return run.row("alice")[0], sum(count - 1 for count in begun.values())


def test_an_owner_who_cuts_the_line_whenever_it_is_losing_wins_nothing(store: Store) -> None:
    event = new_event(store, BOTS[:2])

    wins, replays = enemy(lambda _: False, event, store, repeat=40)

    assert wins == 0
    assert replays <= FORGIVEN


@pytest.mark.parametrize("seed", range(1, 4))
def test_a_cut_line_gives_few_matches_another_chance(store: Store, seed: int) -> None:
    event = new_event(store, BOTS[:2])

    wins, replays = enemy(lambda job: bool(job.seed % 2), event, store, repeat=100, seed=seed)

    # without cuts it would win those with an odd first seed
    plan = remote_plan("alice", "bob", repeat=100, seed=seed)
    fair = sum(plan.job_of(pairing).seed % 2 for pairing in plan.pairings)
    assert replays <= 2 * FORGIVEN  # a match that waits behind a cut one counts with it
    assert wins <= fair + replays


def test_an_owner_who_fails_every_start_ends_with_forfeits(store: Store) -> None:
    plan, event = remote_plan("alice", "bob", repeat=4), new_event(store, BOTS[:2])
    line = Line(plan)

    run = direct(
        plan, store, event, lambda job: cut(job, is_absent=True), attendance=line.attendance
    )

    assert run.ending.missing == 0
    assert run.table.rows["alice"].unplayed == 4
    assert max(Counter(run.begun).values()) <= MISSED + 2


def test_a_withdrawn_bot_is_not_waited_for(store: Store) -> None:
    plan, event = remote_plan("alice", "bob", repeat=4), new_event(store, BOTS[:2])
    store.add_withdrawal(event, "alice", "2 faults in a row")
    line = Line(plan)
    line.fail(10_000)

    run = direct(plan, store, event, attendance=line.attendance)

    assert run.begun == []
    assert run.ending.missing == 0


def test_without_a_door_the_matches_say_what_is_wrong() -> None:
    plan = remote_plan()
    attendance = Attendance(plan.players, plan.absence_ns, lambda: None, lambda: 5.0)

    assert attendance.look() == []
    assert attendance.is_complete


def test_local_bots_are_never_away() -> None:
    def ask() -> set[str]:
        raise AssertionError("there is no door to be asked")

    attendance = Attendance(plan_of().players, SECOND_NS, ask)

    assert attendance.look() == []
    assert attendance.miss("ann") == ""
