"""A machine with less memory or fewer processes than the limits of all bots together."""

import pytest
from events import plan_of

from arena.event.plan import _with_room
from arena.machine import room
from arena.machine.room import slots_with_room
from referee.sandbox import Limits, Room, TaskRoom

MB = 1 << 20
LIMITS = Limits(memory_bytes=512 * MB, processes=64)

FOR_TWO = (
    "2 slots instead of 8: the 2 bots of a match may use 1024 MB together (limits.memory), and this"
    " machine has 2600 MB in all"
)
FOR_ONE = (
    "1 slot instead of 8: the 2 bots of a match may use 128 processes and threads together"
    " (limits.processes), and user 7 may have 205 processes and threads, and has 5"
)
FOR_NONE = (
    "warning: the 2 bots of a match may use 1024 MB together (limits.memory), and this machine has"
    " 600 MB in all; a match that lacks them is played again, and may never be finished"
)


@pytest.fixture
def machine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that this machine has the given MB of memory and may start that many processes."""
    memory, tasks = request.param
    monkeypatch.setattr(room, "memory_room_here", lambda: Room("this machine", memory * MB))
    monkeypatch.setattr(room, "task_room_here", lambda: TaskRoom("user 7", tasks + 5, 5))


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("machine", "slots", "notice"),
    [
        ((8192, 1024), 8, ""),
        ((2600, 1024), 2, FOR_TWO),
        ((8192, 200), 1, FOR_ONE),
        ((600, 1024), 1, FOR_NONE),
    ],
    indirect=["machine"],
)
def test_an_event_has_the_slots_that_there_is_room_for(slots: int, notice: str) -> None:
    assert slots_with_room(8, 2, LIMITS, is_chosen=False) == (slots, notice)


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize(
    ("machine", "notice"),
    [
        ((8192, 1024), ""),
        ((2600, 1024), "warning: there is room for 2 slots, not 8: "),
        ((600, 1024), FOR_NONE),
    ],
    indirect=["machine"],
)
def test_slots_that_the_user_chose_stay_with_a_warning(notice: str) -> None:
    slots, said = slots_with_room(8, 2, LIMITS, is_chosen=True)

    assert slots == 8
    assert said.startswith(notice)
    assert bool(said) == bool(notice)


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("machine", [(1500, 9999)], indirect=True)
def test_a_plan_has_fewer_slots_and_says_why() -> None:
    plan = _with_room(plan_of(slots=4), is_chosen=False)

    assert plan.slots == 1
    assert plan.crowding.startswith("1 slot instead of 4: ")


@pytest.mark.usefixtures("machine")
@pytest.mark.parametrize("machine", [(1500, 9999)], indirect=True)
def test_bots_without_a_limit_of_memory_are_not_counted() -> None:
    assert slots_with_room(4, 2, Limits(memory_bytes=None), is_chosen=False) == (4, "")
