"""The stopwatch of a seat: details that decide about blame."""


import pytest
from fakes import MS, FakeClock, FakeProcess, Hang, Say, Stall
from seat import LIMIT, PONG, Seat, moved

from protocol.vocabulary import Termination
from referee.errors import IDLE, BrokenMatchError
from referee.job import TimeControl
from referee.seats.stopwatch import MOST_STALL_NS, PONDER_NS, STALL_NS, Stopwatch


def test_by_the_wall_clock_several_threads_may_burn_more_cpu_time_than_the_limit() -> None:
    seat = Seat(moved(wall_ms=LIMIT / MS, cpu_ms=5 * LIMIT / MS), clock="wall", grace_ns=0)

    seat.move()

    assert (seat.spent.charged_ns, seat.spent.cpu_ns) == (LIMIT, 5 * LIMIT)


def test_by_the_cpu_clock_the_same_is_a_timeout() -> None:
    seat = Seat(moved(wall_ms=LIMIT / MS, cpu_ms=5 * LIMIT / MS), clock="cpu", grace_ns=0)

    assert seat.fault(seat.move).termination is Termination.TIMEOUT


@pytest.mark.parametrize(
    ("clock", "cpu_ms", "idle"),
    [("cpu", 0, f", {IDLE} 0.0 ms"), ("cpu", 0.1, ""), ("wall", 0, "")],
)
def test_a_bot_that_only_waited_past_its_deadline_is_reported_as_idle(
    clock: str, cpu_ms: float, idle: str
) -> None:
    seat = Seat(Hang(cpu_ms), clock=clock)

    assert f"ms of wall time{idle}; the limit by the {clock} clock" in seat.fault(seat.move).detail


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_the_limit_and_its_grace_are_allowed_to_the_last_nanosecond(clock: str) -> None:
    exact = moved(wall_ms=LIMIT / MS + 10, cpu_ms=LIMIT / MS + 10)
    late = moved(wall_ms=LIMIT / MS + 10.000001, cpu_ms=LIMIT / MS + 10.000001)
    seat = Seat(exact, late, clock=clock, grace_ns=10 * MS)

    seat.move()

    assert seat.spent.grace_ns == 10 * MS
    assert seat.fault(seat.move).termination is Termination.TIMEOUT


def test_a_reply_in_the_wait_in_which_the_referee_was_stopped_for_long_voids_the_match() -> None:
    watch = Stopwatch(0, FakeProcess(), TimeControl(clock="wall"), clock := FakeClock())
    until_ns = watch.start("move", LIMIT)
    clock.advance(until_ns - clock.now_ns() + MOST_STALL_NS + 1)
    watch.end_wait(until_ns)

    watch.stop()
    with pytest.raises(BrokenMatchError, match="referee was suspended"):
        watch.judge()


def test_by_the_cpu_clock_a_long_stall_voids_nothing() -> None:
    stall = Stall(ms=MOST_STALL_NS / MS + 50)
    seat = Seat([stall, Say(PONG)], clock="cpu", per_move_ns=60_000 * MS)

    seat.ping(limit_ns=60_000 * MS)

    assert seat.spent.charged_ns == 1 * MS


def test_cpu_time_of_a_kept_bot_between_two_matches_is_off_turn() -> None:
    clock, process = FakeClock(), FakeProcess()
    process.spent_ns = 900 * MS
    seen_ns = process.spent_ns - PONDER_NS - MS
    watch = Stopwatch(0, process, TimeControl(), clock, cpu_seen_ns=seen_ns)
    clock.advance(STALL_NS)

    watch.start("init", LIMIT)

    assert watch.off_turn_ns == PONDER_NS + MS
