"""The clock, and exact times from it to the record."""

import time

from seat import Seat, moved

from referee.seats.clock import WallClock

MS = 1_000_000


def test_the_clock_cannot_be_set_and_stops_while_the_machine_sleeps() -> None:
    before_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    now_ns = WallClock().now_ns()

    assert before_ns <= now_ns <= time.clock_gettime_ns(time.CLOCK_MONOTONIC)


def test_charges_of_thousands_of_short_moves_add_up_exactly() -> None:
    calls = 3000
    seat = Seat(*[moved(wall_ms=1.000001, cpu_ms=0)] * calls, clock="wall", grace_ns=50 * MS)

    for _ in range(calls):
        seat.move()

    assert seat.charged_ns == calls * 1_000_001
