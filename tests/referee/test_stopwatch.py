"""The stopwatch of a seat: details that decide about blame."""

from typing import Any

import pytest
from fakes import MS, FakeClock, FakeProcess, Hang, Say, Stall
from seat import LIMIT, PONG, Seat, moved

from protocol.vocabulary import Termination
from referee.errors import IDLE, BrokenMatchError, Forfeit
from referee.job import TimeControl
from referee.records.calls import Spent
from referee.seats.stopwatch import MOST_OFF_TURN_NS, MOST_STALL_NS, PONDER_NS, STALL_NS, Stopwatch


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


def new_watch(**control: Any) -> tuple[Stopwatch, FakeClock, FakeProcess]:
    clock, process = FakeClock(), FakeProcess()
    return Stopwatch(0, process, TimeControl(**control), clock), clock, process


def wait(watch: Stopwatch, clock: FakeClock, ms: float, until_ns: int | None = None) -> None:
    """End a wait after some time: in time, or by a stall if it should have ended earlier."""
    clock.advance(round(ms * MS))
    watch.end_wait(clock.now_ns() if until_ns is None else until_ns)


def test_nothing_is_spent_before_the_first_call() -> None:
    assert new_watch()[0].spent == Spent()


@pytest.mark.parametrize(("limit_ms", "wait_ms"), [(20, 30), (30, 40), (60, 50)])
def test_the_first_wait_ends_with_limit_and_grace_or_after_a_slice(
    limit_ms: int, wait_ms: int
) -> None:
    watch, clock, _ = new_watch(clock="wall", grace_ns=10 * MS)

    assert watch.start("move", limit_ms * MS) == clock.now_ns() + wait_ms * MS


def test_stalls_of_a_call_add_up() -> None:
    watch, clock, _ = new_watch(clock="wall")
    watch.start("move", LIMIT)
    for _ in range(2):
        wait(watch, clock, 1 + 2 * STALL_NS / MS, until_ns=clock.now_ns() + MS)

    watch.stop()

    assert watch.spent.charged_ns == 2 * MS


@pytest.mark.parametrize("late_ns", [0, 1])
def test_after_a_stall_a_reply_within_the_grace_is_in_time(late_ns: int) -> None:
    watch, clock, _ = new_watch(clock="wall", grace_ns=10 * MS)
    until_ns = watch.start("move", LIMIT)
    clock.advance(LIMIT + 10 * MS + late_ns + 2 * STALL_NS)
    watch.end_wait(clock.now_ns() - 2 * STALL_NS)
    assert until_ns < clock.now_ns()

    watch.stop()

    assert watch.spent.charged_ns == LIMIT + (10 * MS + 1) * late_ns


@pytest.mark.parametrize(("burnt_ms", "idle"), [(9.9, f", {IDLE} 9.9 ms"), (10, "")])
def test_less_than_a_tenth_of_the_limit_in_cpu_time_is_called_waiting(
    burnt_ms: float, idle: str
) -> None:
    watch, clock, process = new_watch(clock="cpu", grace_ns=0)
    watch.start("move", LIMIT)
    process.spent_ns += round(burnt_ms * MS)
    wait(watch, clock, 3_600_000)

    with pytest.raises(Forfeit, match=f"after 3600000.0 ms of wall time{idle}; the limit"):
        watch.check()


def test_a_late_reply_is_told_with_its_time_and_all_that_was_allowed() -> None:
    watch, clock, _ = new_watch(clock="wall", grace_ns=100_000 * MS, strikes=2)
    watch.start("move", 2_000 * MS)
    wait(watch, clock, 102_345.678)
    watch.stop()

    with pytest.raises(Forfeit) as caught:
        watch.judge()

    assert caught.value.detail == (
        "move took 102345.678 ms by the wall clock; the limit is 2000 ms + 100000 ms grace,"
        " 2 times a match"
    )


def test_a_late_init_tells_what_of_it_was_the_start() -> None:
    process, clock = FakeProcess(), FakeClock()
    process.spent_ns = 3_345_678_000
    control = TimeControl(clock="cpu", grace_ns=0, start_free_ns=1_000 * MS)
    watch = Stopwatch(0, process, control, clock)
    watch.end_start()
    watch.start("init", LIMIT)
    wait(watch, clock, 1)
    watch.stop()

    with pytest.raises(Forfeit) as caught:
        watch.judge()

    assert caught.value.detail == (
        "init took 2345.678 ms by the cpu clock; the limit is 100 ms + 0 ms grace;"
        " 2345.678 ms of it is CPU time before init, of which 1000 ms are free"
    )


@pytest.mark.parametrize("over_ns", [0, 1])
def test_the_time_of_stalls_is_bounded(over_ns: int) -> None:
    watch, clock, _ = new_watch(clock="wall")
    until_ns = watch.start("move", LIMIT)
    clock.advance(until_ns - clock.now_ns() + MOST_STALL_NS + over_ns)
    watch.end_wait(until_ns)
    watch.stop()

    if over_ns:
        with pytest.raises(BrokenMatchError, match=r"^the referee was suspended for 10000 ms du"):
            watch.judge()
    else:
        watch.judge()


@pytest.mark.parametrize("over_ns", [0, 1])
def test_cpu_time_off_turn_is_bounded_in_a_match(over_ns: int) -> None:
    watch, clock, process = new_watch(clock="wall", per_move_ns=LIMIT)
    process.spent_ns += PONDER_NS
    for _ in range(3):
        watch.start("move", LIMIT)
        wait(watch, clock, 1)
        watch.stop()
        watch.judge()
        process.spent_ns += PONDER_NS
    process.spent_ns += over_ns
    watch.start("move", LIMIT)
    assert watch.off_turn_ns == MOST_OFF_TURN_NS + over_ns
    wait(watch, clock, 1)
    watch.stop()
    watch.judge()

    assert process.treatment == ["suspend"] * over_ns


def test_by_the_cpu_clock_a_short_pause_is_no_time_off_turn() -> None:
    watch, clock, process = new_watch(clock="cpu")
    clock.advance(PONDER_NS - 1)
    process.spent_ns += 2 * PONDER_NS  # by many threads: it is charged with the next call

    watch.start("move", LIMIT)
    wait(watch, clock, 1)
    watch.stop()

    assert watch.off_turn_ns == 0
    assert watch.spent.charged_ns == 2 * PONDER_NS
