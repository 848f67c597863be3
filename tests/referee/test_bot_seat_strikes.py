"""How much grace a match has, how often it may be used, and which replies are near their limit."""

from typing import Any

import pytest
from fakes import FIRST, MS, FakeBot, Hang, Say, play_match
from seat import LIMIT, Seat, moved

from protocol.vocabulary import Termination
from referee.job import TimeControl
from referee.seats.stopwatch import SLICE_NS


def seat_with(*spent_ms: float, **control: Any) -> Seat:
    return Seat(*(moved(ms, ms) for ms in spent_ms), grace_ns=50 * MS, **control)


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_grace_is_forgiven_as_often_as_there_are_strikes(clock: str) -> None:
    seat = seat_with(120, 80, 125, 101, clock=clock, strikes=2)

    for _ in range(3):
        seat.move()
    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    assert fault.detail.endswith(
        "the limit is 100 ms + the 5 ms left of 50 ms grace a match, 2 times a match"
    )


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_the_grace_of_a_match_is_used_up_once(clock: str) -> None:
    seat = seat_with(101, 130, 80, 119, 100.000001, clock=clock)

    for _ in range(4):
        seat.move()
    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    assert fault.detail.endswith("is 100 ms + the 0 ms left of 50 ms grace a match")


@pytest.mark.parametrize(
    ("limit_ms", "spent_ms", "shown"),
    [
        (3_600_000, 3_600_100, "3600000 ms + 50 ms grace"),
        (1_234_567.25, 1_234_620, "1234567.25 ms + 50 ms grace"),
        (100, 140.49677, "100 ms + the 9.503 ms left of 50 ms grace a match"),
    ],
)
def test_a_limit_is_shown_without_exponents_and_with_three_decimals_at_most(
    limit_ms: float, spent_ms: float, shown: str
) -> None:
    seat = seat_with(spent_ms, spent_ms)
    limit_ns = round(limit_ms * MS)

    fault = seat.fault(lambda: [seat.move(limit_ns) for _ in range(2)])

    assert fault.detail.endswith(f"the limit is {shown}")


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_a_bot_without_a_reply_has_only_the_rest_of_the_grace(clock: str) -> None:
    seat = Seat(moved(140, 140), Hang(cpu_ms=1), grace_ns=50 * MS, clock=clock)
    seat.move()

    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    assert seat.spent.charged_ns < LIMIT + 10 * MS + SLICE_NS


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_all_moves_together_use_no_more_than_the_bank_and_one_grace(clock: str) -> None:
    control = TimeControl(clock=clock, bank_ns=300 * MS, grace_ns=50 * MS)  # type: ignore[arg-type]
    slow = FakeBot(*[Say(FIRST, 49, 49)] * 30)

    match = play_match(slow, FakeBot(), time=control, max_plies=60)

    assert match.verdict.offenders == (0,)
    assert match.verdict.termination is Termination.TIMEOUT
    spent_ms = [call.charged_ns / MS for call in match.record.calls if call.seat == 0]
    assert sum(spent_ms[1:-1]) <= 350
    assert sum(call.call == "move" for call in match.record.calls if call.seat == 0) == 8


def test_a_late_reply_to_a_ping_uses_no_grace() -> None:
    late = Say({"type": "pong"}, 149, 149)
    seat = Seat(late, late, moved(150, 150), grace_ns=50 * MS)

    seat.ping()
    seat.ping()
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
