"""A machine without resources for another bot: the event pauses and no bot loses."""

from collections.abc import Iterator
from itertools import count

import pytest
from events import direct, first_wins, keys_of, new_event, plan_of

from arena.errors import MachineError
from arena.event.play.pause import FIRST_S, GIVE_UP_S, LONGEST_S, Pause
from arena.results.store import Store
from referee.job import Job
from referee.records.match_end import MatchEnd

WHY = "a bot cannot be started: Resource temporarily unavailable"


def exhausted(job: Job) -> MatchEnd:
    return MatchEnd(job, None, WHY, None, is_exhausted=True)


def pause() -> Pause:
    """Return a pause with a clock that advances by 0.25 s per reading."""
    ticks = count(step=0.25)
    return Pause(lambda: next(ticks))


def test_the_event_pauses_and_resumes_with_one_message_each(store: Store) -> None:
    plan, event = plan_of(), new_event(store)
    refusals = iter([True] * 4)

    run = direct(
        plan,
        store,
        event,
        lambda job: exhausted(job) if next(refusals, False) else first_wins(job),
        pause(),
    )

    first, *rest = keys_of(plan.pairings)
    assert run.begun == [first] * 5 + rest
    assert run.told[:3] == [
        f"{WHY}: waiting for free resources",
        "resources are free again, resuming",
        f"kept {first}",
    ]
    assert store.voids(event) == []
    assert run.ending.missing == 0
    assert not run.ending.is_halted


def test_a_lasting_shortage_ends_the_event_with_a_message(store: Store) -> None:
    plan, event = plan_of(), new_event(store)

    with pytest.raises(MachineError, match=f"{WHY}, for more than 10 minutes"):
        direct(plan, store, event, exhausted, pause())

    assert store.voids(event) == []


def test_several_slots_returning_together_count_as_one_attempt() -> None:
    now = [0.0]
    waiting = Pause(lambda: now[0])

    for _ in range(8):
        waiting.begin(WHY)
    now[0] = FIRST_S

    assert not waiting.is_on()
    waiting.end()
    assert waiting.begin(WHY) != ""


def test_attempts_are_repeated_at_growing_intervals() -> None:
    now = [0.0]
    waiting = Pause(lambda: now[0])
    tries: list[float] = []

    def times() -> Iterator[float]:
        while now[0] < GIVE_UP_S / 2:
            waiting.begin(WHY)
            before = now[0]
            while waiting.is_on():
                now[0] += 0.5
            yield now[0] - before

    tries += times()

    assert tries[0] == FIRST_S
    assert tries[1:4] == [2 * FIRST_S, 4 * FIRST_S, 8 * FIRST_S]
    assert max(tries) == tries[-1] == LONGEST_S


def test_a_lack_of_files_of_this_process_ends_the_event_at_once() -> None:
    why = "a bot cannot be started: Too many open files"

    with pytest.raises(MachineError) as end:
        pause().begin(why)

    assert str(end.value) == (f"{why}, which no waiting frees: raise `ulimit -n` to 1024 or more")


def test_a_bot_that_is_named_like_an_error_ends_no_event() -> None:
    name = "Too many open files"
    why = f"match {name},bob/b0/0 is played again: too little memory for {name}; 1 GB in all"

    assert pause().begin(why) == f"{why}: waiting for free resources"
