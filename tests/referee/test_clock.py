"""What tells the time, and that nothing of it is lost or gained on the way into the record."""

import time

from seat import Seat, moved

from referee.clock import WallClock

MS = 1_000_000


def test_the_clock_is_one_that_nobody_can_set_and_that_stands_still_while_the_machine_sleeps() -> (
    None
):
    before_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    now_ns = WallClock().now_ns()

    assert before_ns <= now_ns <= time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def test_thousands_of_short_moves_add_up_to_what_they_took() -> None:
    calls = 3000
    seat = Seat(*[moved(wall_ms=1.000001, cpu_ms=0)] * calls, clock="wall", grace_ns=50 * MS)

    for _ in range(calls):
        seat.move()

    assert seat.charged_ns == calls * 1_000_001
