"""Half of the slots are lent to examinations, for half of the time at most."""

from collections.abc import Callable
from typing import Any

import pytest
from test_crowding import job

from arena.event.slots.local_slots import LocalSlots
from arena.league.slots.crowding import Crowding
from arena.league.slots.lending import LONGEST_LOAN_S, LendingSlots
from referee.job import Job
from referee.records.match_end import MatchEnd


class _Slot:
    """A slot without a process."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []


class Hall:
    """Slots without processes, and the time."""

    def __init__(self, size: int) -> None:
        self.now_s = 100.0
        cores = [(number,) for number in range(size)]
        self.slots = LendingSlots(cores, set, lambda: self.now_s)
        self.all: list[Any] = self.slots.free()

    def pass_time(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def halls(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Hall]:
    def start(slots: Any, number: int) -> None:
        slots._slots[_Slot()] = number

    monkeypatch.setattr(LocalSlots, "_start", start)
    return Hall


@pytest.fixture
def hall(halls: Callable[[int], Hall]) -> Hall:
    return halls(3)


def test_a_lent_slot_plays_nothing_until_it_is_given_back(hall: Hall) -> None:
    hall.all[0].jobs.append(job("a match"))

    assert hall.slots.borrow() == (1,)
    assert hall.slots.free() == [hall.all[2]]
    assert hall.slots.borrow() is None

    hall.slots.give_back((1,))
    assert hall.slots.free() == hall.all[1:]


def test_no_match_is_interrupted_for_a_loan(hall: Hall) -> None:
    for slot in hall.all:
        slot.jobs.append(job("a match"))

    assert hall.slots.borrow() is None


def test_a_lent_slot_stays_lent_when_its_referee_is_replaced(hall: Hall) -> None:
    hall.slots.borrow()
    others: Any = {_Slot(): number for number in hall.slots._slots.values()}
    hall.slots._slots = others

    assert [hall.slots._slots[slot] for slot in hall.slots.free()] == [1, 2]


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 16])
def test_half_of_the_slots_are_lent_for_half_of_the_time_if_hand_ins_come_for_ever(
    size: int, halls: Callable[[int], Hall]
) -> None:
    hall, lent_s = halls(size), 0.0
    lent: list[tuple[int, ...]] = []
    steps = 4000
    for _ in range(steps):
        if lent and hall.slots.is_due():
            while lent:
                hall.slots.give_back(lent.pop())
        while (cores := hall.slots.borrow()) is not None:
            lent.append(cores)
        lent_s += len(lent)
        hall.pass_time(1.0)

    most = max(1, size // 2)
    assert lent_s <= most * (steps / 2 + 2 * LONGEST_LOAN_S)
    assert lent_s >= 0.4 * most * steps


def test_the_first_loan_lasts_long(hall: Hall) -> None:
    hall.slots.borrow()
    hall.pass_time(LONGEST_LOAN_S - 1)
    assert not hall.slots.is_due()
    hall.pass_time(1)
    assert hall.slots.is_due()


def test_credit_does_not_grow_for_ever(hall: Hall) -> None:
    hall.pass_time(100 * LONGEST_LOAN_S)
    hall.slots.borrow()
    hall.pass_time(LONGEST_LOAN_S)
    assert hall.slots.is_due()


def test_after_a_shortage_fewer_slots_are_free_for_matches_and_loans(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = [job(name) for name in "abc"]
    for slot, each in zip(hall.all, jobs, strict=True):
        slot.jobs.append(each)
    end = MatchEnd(jobs[0], void="too little memory", is_exhausted=True, is_short=True)
    monkeypatch.setattr(LocalSlots, "wait", lambda *_: [end])

    assert hall.slots.wait(1) == [end]
    hall.all[0].jobs.clear()

    assert hall.slots.free() == []
    assert hall.slots.borrow() is None
    for slot in hall.all:
        slot.jobs.clear()
    assert len(hall.slots.free()) == 1

    hall.all[0].jobs.append(jobs[0])
    assert [found.is_alone for found in hall.slots.wait(1)] == [True]


def test_a_match_that_is_to_run_alone_waits_for_the_end_of_an_examination(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Crowding, "wants_quiet", True)
    hall.slots.is_examining = lambda: True
    assert hall.slots.free() == []

    hall.slots.is_examining = lambda: False
    assert hall.slots.free() == hall.all
