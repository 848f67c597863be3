"""A timeout of a remote bot stands only if its line was alive; an owner gains no time by it."""

import pytest
from fakes import MS, Hang, Step
from seat import INIT, LIMIT, Seat, moved

from protocol.messages import Bye, Ready
from protocol.vocabulary import Termination
from referee.errors import LineLostError


class Door:
    """Stands for the door: says whether the line was alive since a time, and notes each time."""

    def __init__(self, *, is_alive: bool) -> None:
        self.asked_ns: list[int] = []
        self._is_alive = is_alive

    def require_line(self, since_ns: int) -> None:
        self.asked_ns.append(since_ns)
        if not self._is_alive:
            raise LineLostError("the line to ann was lost: it was silent")


def seat_with(door: Door, step: Step) -> Seat:
    seat = Seat(step, clock="wall", grace_ns=0)
    seat.player.require_line = door.require_line
    return seat


LATE = moved(wall_ms=101, cpu_ms=0)


@pytest.mark.parametrize("step", [Hang(), LATE], ids=["no reply", "a late reply"])
def test_a_timeout_on_a_silent_line_is_no_fault(step: Step) -> None:
    door = Door(is_alive=False)
    seat = seat_with(door, step)
    called_ns = seat.clock.now_ns()

    with pytest.raises(LineLostError):
        seat.move()

    assert door.asked_ns == [called_ns]


@pytest.mark.parametrize("step", [Hang(), LATE], ids=["no reply", "a late reply"])
def test_a_timeout_on_a_line_that_works_is_one(step: Step) -> None:
    seat = seat_with(Door(is_alive=True), step)

    assert seat.fault(seat.move).termination is Termination.TIMEOUT


def test_nobody_asks_for_the_line_of_a_bot_in_time() -> None:
    door = Door(is_alive=False)
    seat = seat_with(door, moved(wall_ms=100, cpu_ms=0))

    seat.move()

    assert door.asked_ns == []


def test_a_line_lost_in_the_first_call_counts_as_well() -> None:
    with pytest.raises(LineLostError):
        seat_with(Door(is_alive=False), Hang()).ask("init", INIT, Ready, LIMIT)


def test_after_the_verdict_a_silent_line_changes_nothing() -> None:
    door = Door(is_alive=False)
    seat = seat_with(door, Hang())
    term = {"opponent_moves": [], "termination": "normal", "scores": ["1", "0"], "reason": "won"}

    fault = seat.fault(
        lambda: seat.ask("term", {**term, "offenders": [], "last": True}, Bye, 10 * MS)
    )

    assert fault.termination is Termination.TIMEOUT
    assert door.asked_ns == []
