"""A machine with too little memory for running bots: fewer matches at once, and no bot loses."""

from collections import Counter
from dataclasses import replace
from itertools import count

import pytest
from events import BOTS, FakeSlots, Run, direct, first_wins, keys_of, new_event, plan_of

from arena.errors import MachineError
from arena.event.play.pause import Pause
from arena.event.play.shortages import Shortages
from arena.results.store import ATTEMPTS, Store
from protocol.vocabulary import Termination
from referee.job import Absence, Job
from referee.records.match_end import MatchEnd, Worker

WHY = "too little memory: the kernel ended a process of cat, which used 150 MB of its limit"
FILLED = Absence(seat=1, termination=Termination.MEMORY, detail="it used nearly all of its memory")


def short(job: Job, suspect: Absence | None = None) -> MatchEnd:
    return MatchEnd(job, None, WHY, suspect, is_exhausted=True, is_short=True)


def pause() -> Pause:
    """Return a pause with a clock that advances by 9 s per reading."""
    ticks = count(step=9.0)
    return Pause(lambda: next(ticks))


def test_fewer_matches_run_at_once_and_all_are_played(store: Store) -> None:
    plan, event = plan_of(slots=4, repeat=6), new_event(store)
    ends = iter([True] * 2)

    run = direct(plan, store, event, lambda job: short(job) if next(ends, 0) else first_wins(job))

    first = keys_of(plan.pairings)[0]
    assert run.told[0] == (
        f"match {first} is played again: {WHY}; at most 2 matches run at once from now on"
    )
    assert run.told[1].endswith(": " + WHY)  # it began under the limit before
    assert run.ending.missing == 0
    assert store.voids(event) == []
    assert [match.key for match in store.faulty_matches(event)] == []


def test_the_limit_is_halved_again_only_by_a_match_that_began_under_it() -> None:
    job = plan_of().job
    shortages = Shortages(pause(), 8)
    for key in "abcd":
        shortages.begin(key)

    shortages.add(short(replace(job, key="a")))
    shortages.add(short(replace(job, key="b")))
    after_first = shortages.most
    shortages.begin("e")
    shortages.add(short(replace(job, key="e")))

    assert after_first == 4
    assert shortages.most == 2
    assert shortages.places(1) == 1
    assert shortages.places(3) == 0


def test_no_match_waits_in_a_slot_once_fewer_run(store: Store) -> None:
    plan, event = plan_of(slots=2, repeat=8), new_event(store)
    shortest = keys_of(plan.pairings)[4]
    is_short, ahead = True, Counter[bool]()

    def script(job: Job) -> MatchEnd:
        nonlocal is_short
        if job.key == shortest and is_short:
            is_short = False
            return short(job)
        ahead[is_short] += len(director_slots[0].queues()) > 0
        return first_wins(job)

    director_slots: list[FakeSlots] = []
    run = direct(plan, store, event, script, seen=director_slots.append)

    assert run.ending.missing == 0
    assert ahead[True]
    assert not ahead[False]


def test_a_match_that_ends_so_alone_pauses_the_event_and_then_ends_it(store: Store) -> None:
    plan, event = plan_of(), new_event(store)

    with pytest.raises(MachineError) as end:
        direct(plan, store, event, short, pause())

    first = keys_of(plan.pairings)[0]
    assert str(end.value) == (
        f"{WHY}; match {first} was ended {ATTEMPTS} times: its 2 bots may use 1024 MB together;"
        " give Arena as much, or set a lower limits.memory in the config"
    )
    assert store.voids(event) == []


def test_an_event_without_enough_processes_says_so_at_its_end(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    why = "too few processes: cat was refused a process or thread"

    with pytest.raises(MachineError) as end:
        direct(plan, store, event, lambda job: replace(short(job), void=why), pause())

    assert str(end.value).endswith(
        "its 2 bots may use 128 processes and threads together; allow as many there (pids.max of"
        " the control group, or `ulimit -u`), or set a lower limits.processes in the config"
    )
    assert store.voids(event) == []


def test_an_event_on_a_full_disk_says_so_at_its_end(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    why = "too little disk: cat ended there below its own limit"

    with pytest.raises(MachineError) as end:
        direct(plan, store, event, lambda job: replace(short(job), void=why), pause())

    assert str(end.value).endswith(
        "its 2 bots may write 128 MB there together; remove other files, or set TMPDIR to a folder"
        " of another disk"
    )


def test_a_pause_for_memory_takes_some_time_and_then_resumes(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    ends = iter([True] * (ATTEMPTS - 1))

    run = direct(
        plan, store, event, lambda job: short(job) if next(ends, 0) else first_wins(job), pause()
    )

    assert run.told[0].endswith(": waiting for free resources")
    assert run.told[1] == "resources are free again, resuming"
    assert run.ending.missing == 0


def played_with_filler(store: Store, slots: int) -> tuple[Run, list[str | None]]:
    """Play an event in which seat 1 fills the machine in its first match, each time."""
    plan, event = plan_of(slots=slots), new_event(store)
    first = keys_of(plan.pairings)[0]

    def script(job: Job) -> MatchEnd:
        return short(job, FILLED) if job.key == first and not job.absences else first_wins(job)

    run = direct(plan, store, event, script, pause())
    return run, [void.suspect for void in store.voids(event)]


@pytest.mark.parametrize("slots", [1, 2, 4])
def test_a_bot_that_fills_the_machine_forfeits_the_second_time_alone(
    store: Store, slots: int
) -> None:
    run, suspects = played_with_filler(store, slots)

    assert suspects == ["cat"] * 2
    assert run.row("cat")[3] == 1
    assert run.ending.missing == 0


def test_it_is_suspected_of_nothing_beside_other_matches() -> None:
    plan = plan_of(slots=2)
    shortages = Shortages(pause(), plan.slots)
    job = replace(plan.job, key="a")
    shortages.begin("a")

    assert not shortages.has_culprit(short(job, FILLED))


def test_a_worker_that_is_short_is_named_and_pauses_nothing() -> None:
    plan = plan_of(slots=8)
    shortages = Shortages(pause(), plan.slots)
    job = replace(plan.job, key="a", players=tuple(plan.players[name] for name in BOTS))
    shortages.begin("a")
    end = replace(short(job), worker=Worker("node1", 1.0), is_alone=True)
    beside_others = replace(end, is_alone=False)

    assert shortages.add(beside_others).startswith("match a is played again: ")
    assert not shortages.has_culprit(replace(beside_others, suspect=FILLED))
    told = [shortages.add(end) for _ in range(ATTEMPTS - 1)]

    assert told[0].startswith("match a is played again: ")
    assert not shortages.is_pausing()
    assert shortages.places(8) is None
    with pytest.raises(MachineError, match="3 bots may use 1536 MB"):
        shortages.add(end)
