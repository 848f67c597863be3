"""The wall bank: a sleeping bot runs out of time with either clock."""

from typing import Any

import pytest
from fakes import MS, Hang, Say, Stall
from seat import LIMIT, PONG, Seat, moved

from protocol.vocabulary import Termination
from referee.job import SECOND_NS, TimeControl


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_a_bot_that_sleeps_at_each_move_runs_out_of_its_wall_bank(clock: str) -> None:
    naps = [moved(wall_ms=90, cpu_ms=0)] * 3
    seat = Seat(*naps, clock=clock, wall_bank_ns=250 * MS)
    began_ns = seat.clock.now_ns()

    seat.move()
    seat.move()
    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    assert "no reply to move before the wall time of all calls reached 0.25 s" in fault.detail
    assert seat.clock.now_ns() - began_ns == 250 * MS


def test_no_later_call_has_any_wall_time_once_the_bank_is_empty() -> None:
    seat = Seat(Say(PONG, 50, 0), Hang(), wall_bank_ns=50 * MS)
    seat.ping()
    began_ns = seat.clock.now_ns()

    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    assert seat.clock.now_ns() == began_ns


def test_calls_of_other_seats_do_not_use_the_wall_bank() -> None:
    seat = Seat(*[moved(10, 1)] * 3, wall_bank_ns=30 * MS)

    for _ in range(3):
        seat.burn(wall_ms=1_000, cpu_ms=0)
        seat.move()

    assert seat.player.watch.wall_left_ns == 0


def kept_waiting(wall_ms: float, part: float) -> Say:
    """Return a move of which the bot stood ready to run for a part of the time, and did not."""
    return Say({"type": "bye"}, wall_ms, 0, queued={1: part})


def test_waiting_for_a_core_does_not_use_the_wall_bank() -> None:
    seat = Seat(*[kept_waiting(400, 0.5)] * 4, clock="cpu", wall_bank_ns=1000 * MS)

    for _ in range(4):  # 1.6 s of wall time, of which half of the part after the first slice
        seat.move()

    assert seat.player.watch.wall_left_ns == 1000 * MS - 4 * (400 * MS - (350 * MS) // 2)


def test_at_least_a_quarter_of_each_call_uses_the_wall_bank() -> None:
    seat = Seat(kept_waiting(2_000, 1.0), Hang(queued={1: 1.0}), wall_bank_ns=900 * MS)
    began_ns = seat.clock.now_ns()

    seat.move()
    assert seat.player.watch.wall_left_ns == 400 * MS
    fault = seat.fault(seat.move)

    assert seat.clock.now_ns() - began_ns == 4 * 900 * MS
    assert "the limit of wall_bank; 1200 ms of waiting for a core" in fault.detail


def test_a_bot_that_sleeps_has_no_more_of_its_wall_bank_on_a_busy_machine() -> None:
    naps = [kept_waiting(400, 0.0)] * 3
    seat = Seat(*naps, clock="cpu", wall_bank_ns=1000 * MS)
    seat.process.queued = {1: 10**12, 2: 10**12}
    began_ns = seat.clock.now_ns()

    seat.move()
    seat.move()
    seat.fault(seat.move)

    assert seat.clock.now_ns() - began_ns == 1000 * MS


def test_by_the_wall_clock_waiting_uses_the_wall_bank() -> None:
    seat = Seat(kept_waiting(90, 1.0), clock="wall", wall_bank_ns=100 * MS)

    seat.move()

    assert seat.player.watch.wall_left_ns == 10 * MS


def test_a_stall_of_the_referee_does_not_draw_on_the_wall_bank() -> None:
    seat = Seat((Stall(1_000), Say({"type": "bye"})), Hang(), wall_bank_ns=200 * MS)

    seat.move()

    assert 0 < seat.player.watch.wall_left_ns <= 200 * MS
    assert seat.fault(seat.move).termination is Termination.TIMEOUT


def test_the_default_wall_bank_exceeds_the_other_limits_together() -> None:
    second: dict[str, Any] = {f"{name}_ns": SECOND_NS for name in ("init", "per_move", "term")}

    assert TimeControl(**second, bank_ns=9 * SECOND_NS).wall_allowed_ns == 82 * SECOND_NS
    fischer = TimeControl(**second, bank_ns=9 * SECOND_NS, increment_ns=SECOND_NS // 10)
    assert fischer.wall_allowed_ns == (82 + 200) * SECOND_NS
    assert TimeControl(**second).wall_allowed_ns == 2064 * SECOND_NS
    assert TimeControl(**second, wall_bank_ns=LIMIT).wall_allowed_ns == LIMIT
