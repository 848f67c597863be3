"""How often grace may be used, and which replies are near their limit."""

from typing import Any

import pytest
from fakes import FIRST, MS, FakeBot, Say, play_match
from seat import LIMIT, Seat, moved

from protocol.vocabulary import Termination
from referee.job import TimeControl


def seat_with(*spent_ms: float, **control: Any) -> Seat:
    return Seat(*(moved(ms, ms) for ms in spent_ms), grace_ns=50 * MS, **control)


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_grace_is_forgiven_as_often_as_there_are_strikes(clock: str) -> None:
    seat = seat_with(120, 80, 150, 101, clock=clock, strikes=2)

    for _ in range(3):
        seat.move()
    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    assert "the limit is 100 ms + 50 ms grace, 2 times a match" in fault.detail


def test_without_strikes_in_the_time_control_grace_is_always_forgiven() -> None:
    seat = seat_with(*[149] * 30)

    for _ in range(30):
        seat.move()


def test_with_zero_strikes_there_is_no_grace() -> None:
    seat = seat_with(100, 100.000001, strikes=0)

    seat.move()

    assert seat.fault(seat.move).termination is Termination.TIMEOUT


def test_pings_use_no_strikes_and_are_near_no_limit() -> None:
    seat = Seat(*(Say({"type": "pong"}, 120, 120) for _ in range(3)), grace_ns=50 * MS, strikes=0)

    for _ in range(3):
        seat.ping()

    assert seat.player.watch.near_limit == 0


def test_replies_above_nine_tenths_of_their_limit_are_counted() -> None:
    seat = seat_with(90, 90.000001, 100, 120, 5)

    for _ in range(5):
        seat.move()

    assert seat.player.watch.near_limit == 3


def test_late_replies_are_counted_too() -> None:
    seat = seat_with(151)

    seat.fault(seat.move)

    assert seat.player.watch.near_limit == 1


def test_an_empty_bank_alone_brings_no_reply_near_its_limit() -> None:
    seat = seat_with(0)

    seat.move(limit_ns=0)

    assert seat.player.watch.near_limit == 0


def test_the_strikes_of_a_seat_are_its_own() -> None:
    slow = Say(FIRST, 1, LIMIT / MS + 10)
    control = TimeControl(per_move_ns=LIMIT, strikes=1)

    match = play_match(FakeBot(slow), FakeBot(slow), time=control, max_plies=6)

    assert match.verdict.termination is Termination.ADJUDICATION
    match = play_match(FakeBot(slow), FakeBot(slow, slow), time=control, max_plies=6)
    assert match.verdict.offenders == (1,)
