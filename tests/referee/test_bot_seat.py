"""What a call costs, when its time is up, and thinking while others are called."""

from typing import Any

import pytest
from fakes import MS, FakeProcess, Hang, Say, ScriptedLink, Stall
from seat import INIT, LIMIT, PONG, Seat, moved

from protocol.messages import Bye, Ready
from protocol.vocabulary import Termination
from referee.errors import BrokenMatchError
from referee.records.record import NullCost
from referee.seats.bot_seat import PINGS, BotSeat
from referee.seats.stopwatch import MOST_STALL_NS, PONDER_NS, SLICE_NS, STALL_NS


def test_the_cpu_clock_charges_cpu_time_and_records_both() -> None:
    seat = Seat(moved(wall_ms=30, cpu_ms=12), clock="cpu")

    seat.move()

    assert seat.spent == (30 * MS, 12 * MS, 12 * MS, 0)
    assert seat.charged_ns == 12 * MS


def test_the_wall_clock_charges_wall_time_and_records_both() -> None:
    seat = Seat(moved(wall_ms=30, cpu_ms=12), clock="wall")

    seat.move()

    assert seat.spent == (30 * MS, 12 * MS, 30 * MS, 0)


@pytest.mark.parametrize(
    ("spent_ms", "grace_ms"), [(99.999999, 0), (100, 0), (100.000001, 0.000001), (150, 50)]
)
@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_within_the_grace_a_call_is_in_time_and_its_use_is_recorded(
    clock: str, spent_ms: float, grace_ms: float
) -> None:
    seat = Seat(moved(spent_ms, spent_ms), clock=clock, grace_ns=50 * MS)

    seat.move()

    assert seat.spent.grace_ns == round(grace_ms * MS)


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_one_nanosecond_beyond_the_grace_is_a_timeout(clock: str) -> None:
    seat = Seat(moved(150.000001, 150.000001), clock=clock, grace_ns=50 * MS)

    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    assert "150.0" in fault.detail
    assert "100 ms" in fault.detail
    assert "50 ms grace" in fault.detail


def test_wall_time_does_not_matter_to_the_cpu_clock_before_the_deadline() -> None:
    seat = Seat(moved(wall_ms=1199, cpu_ms=1), clock="cpu")

    seat.move()

    assert seat.spent.charged_ns == 1 * MS


def test_a_bot_that_sleeps_is_out_of_time_at_twice_the_limit_and_a_second() -> None:
    seat = Seat(Hang(), clock="cpu")
    began_ns = seat.clock.now_ns()

    fault = seat.fault()

    assert fault.termination is Termination.TIMEOUT
    assert seat.clock.now_ns() - began_ns == 2 * LIMIT + 1000 * MS


def test_a_bot_that_sleeps_is_out_of_wall_time_at_the_limit_and_its_grace() -> None:
    seat = Seat(Hang(), clock="wall", grace_ns=7 * MS)
    began_ns = seat.clock.now_ns()

    fault = seat.fault()

    assert fault.termination is Termination.TIMEOUT
    assert seat.clock.now_ns() - began_ns == LIMIT + 7 * MS


def test_a_bot_that_spins_is_noticed_in_the_slice_in_which_its_cpu_time_runs_out() -> None:
    seat = Seat(Hang(cpu_ms=1), clock="cpu", grace_ns=0)
    began_ns = seat.clock.now_ns()

    fault = seat.fault()

    assert fault.termination is Termination.TIMEOUT
    assert LIMIT < seat.clock.now_ns() - began_ns <= LIMIT + SLICE_NS


def test_a_bot_that_spins_on_several_cores_is_noticed_earlier() -> None:
    seat = Seat(Hang(cpu_ms=4), clock="cpu", grace_ns=0)
    began_ns = seat.clock.now_ns()

    seat.fault()

    assert seat.clock.now_ns() - began_ns == SLICE_NS


def test_a_timed_out_call_is_charged() -> None:
    seat = Seat(Hang(cpu_ms=1), clock="cpu", bank_ns=500 * MS, grace_ns=0)

    seat.fault(seat.move)

    assert seat.spent.charged_ns == seat.charged_ns == 150 * MS
    assert seat.budget.bank_ns == 350 * MS


def test_pings_are_never_charged_and_their_medians_are_the_null_cost() -> None:
    cost_ms = [0.5] * (PINGS - PINGS // 2) + [7] * (PINGS // 2)
    seat = Seat(*(Say(PONG, ms, ms / 2) for ms in cost_ms))

    seat.player.measure_null()

    assert seat.player.null == NullCost(wall_ns=round(0.5 * MS), cpu_ns=round(0.25 * MS))
    assert seat.charged_ns == 0


@pytest.mark.parametrize("clock", ["cpu", "wall"])
@pytest.mark.parametrize("ping_ms", [0.01, 1.1, 40])
def test_cpu_time_of_pings_is_not_charged_to_calls(clock: str, ping_ms: float) -> None:
    pings = [Say(PONG, ping_ms, ping_ms)] * PINGS
    seat = Seat(*pings, moved(5, 5), moved(0.2, 0.2), clock=clock)

    seat.player.measure_null()

    seat.move()
    assert seat.spent == (5 * MS, 5 * MS, 5 * MS, 0)
    seat.move()
    assert seat.spent.charged_ns == MS // 5
    assert seat.charged_ns == 5 * MS + MS // 5


READY = {"type": "ready"}


def started(start_ms: float, *, init_ms: float = 3, **control: Any) -> Seat:
    """Return a seat with this CPU time used before its pings of 1 ms each."""
    pings = [Say(PONG, 1, 1)] * PINGS
    reply = Say(READY, init_ms, init_ms)
    seat = Seat(*pings, reply, moved(1, 1), start_ms=start_ms, **control)
    seat.player.measure_null()
    return seat


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_cpu_time_of_the_start_above_the_free_part_is_charged_with_init(clock: str) -> None:
    seat = started(100, clock=clock, start_free_ns=40 * MS, bank_ns=500 * MS)

    seat.ask("init", INIT, Ready, LIMIT)

    assert seat.player.watch.start_cpu_ns == (100 + PINGS) * MS
    assert seat.spent.charged_ns == (100 + PINGS - 40 + 3) * MS
    seat.move()
    assert seat.spent.charged_ns == 1 * MS
    assert seat.charged_ns == (100 + PINGS - 40 + 3 + 1) * MS
    assert seat.budget.left_ms == 499


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_a_start_within_the_free_part_is_not_charged(clock: str) -> None:
    seat = started(100, clock=clock, start_free_ns=(100 + PINGS) * MS)

    seat.ask("init", INIT, Ready, LIMIT)

    assert seat.spent == (3 * MS, 3 * MS, 3 * MS, 0)


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_start_and_init_together_have_the_limit_of_init(clock: str) -> None:
    control = {"clock": clock, "start_free_ns": 40 * MS, "grace_ns": 0}
    kept = started(137 - PINGS, init_ms=3, **control)
    kept.ask("init", INIT, Ready, LIMIT)
    late = started(137 - PINGS, init_ms=3.001, **control)

    fault = late.fault(lambda: late.ask("init", INIT, Ready, LIMIT))

    assert kept.spent.charged_ns == LIMIT
    assert fault.termination is Termination.TIMEOUT
    assert "97.000 ms of it is CPU time before init, of which 40 ms are free" in fault.detail


def test_a_start_beyond_all_limits_is_a_timeout_before_a_reply_to_init_is_there() -> None:
    seat = started(9_000, init_ms=5_000, clock="cpu", start_free_ns=40 * MS)
    began_ns = seat.clock.now_ns()

    fault = seat.fault(lambda: seat.ask("init", INIT, Ready, LIMIT))

    assert fault.termination is Termination.TIMEOUT
    assert seat.clock.now_ns() - began_ns <= SLICE_NS


def test_a_kept_process_has_no_start_charge() -> None:
    seat = Seat(Say(READY, 3, 3), clock="cpu")

    seat.burn(wall_ms=1, cpu_ms=2)
    seat.ask("init", INIT, Ready, LIMIT)

    assert seat.player.watch.start_cpu_ns is None
    assert seat.spent.charged_ns == 5 * MS


def test_a_bot_that_ponders_without_permission_is_charged_and_suspended() -> None:
    seat = Seat(*[moved(1, 1)] * 4, clock="cpu", ponder=False)

    seat.move()
    assert seat.process.treatment == []
    seat.burn(wall_ms=40, cpu_ms=30)
    seat.move()
    assert seat.spent.charged_ns == 31 * MS
    assert seat.player.watch.off_turn_ns == 30 * MS
    assert seat.process.treatment == ["suspend"]
    seat.move()
    assert seat.process.treatment == ["suspend", "resume", "suspend"]


def test_after_term_a_suspended_bot_may_end_by_itself() -> None:
    seat = Seat(moved(1, 1), moved(1, 1), {"type": "bye"}, ponder=False)
    term = {
        "opponent_moves": [],
        "termination": "normal",
        "scores": ["0", "0"],
        "reason": "full board",
        "offenders": [],
        "last": True,
    }

    seat.move()
    seat.burn(wall_ms=40, cpu_ms=30)
    seat.move()
    seat.ask("term", term, Bye, LIMIT)

    assert seat.process.treatment == ["suspend", "resume"]


def test_a_bot_that_thinks_while_another_is_waited_for_is_suspended_at_once() -> None:
    thinker = Seat(moved(1, 1), moved(1, 1), clock="cpu")
    look = thinker.player.watch.suspend_if_thinking
    asked = Seat(moved(SLICE_NS / MS + 1, 1), clock="wall", watch_others=look)
    thinker.move()
    thinker.burn(wall_ms=10, cpu_ms=PONDER_NS / MS + 1)

    asked.move()

    assert thinker.process.treatment == ["suspend"]
    thinker.move()
    assert thinker.process.treatment == ["suspend", "resume", "suspend"]
    assert thinker.spent.charged_ns == PONDER_NS + 2 * MS


@pytest.mark.parametrize(("ponder", "cpu_ms"), [(1, 30), (0, PONDER_NS / MS)])
def test_a_bot_that_may_ponder_or_tidies_up_is_not_suspended(ponder: int, cpu_ms: float) -> None:
    seat = Seat(moved(1, 1), ponder=bool(ponder))
    seat.move()
    seat.burn(wall_ms=10, cpu_ms=cpu_ms)

    seat.player.watch.suspend_if_thinking()

    assert seat.process.treatment == []


def test_a_bot_that_may_ponder_is_neither_charged_for_it_nor_suspended() -> None:
    seat = Seat(moved(1, 1), moved(1, 1), clock="cpu", ponder=True)

    seat.move()
    seat.burn(wall_ms=40, cpu_ms=30)
    seat.move()

    assert seat.spent.charged_ns == 1 * MS
    assert seat.player.watch.off_turn_ns == 30 * MS
    assert seat.process.treatment == []


def test_tidying_up_after_a_reply_is_charged_but_not_treated_as_pondering() -> None:
    seat = Seat(moved(1, 1), moved(1, 1), clock="cpu")

    seat.move()
    seat.burn(wall_ms=40, cpu_ms=PONDER_NS / MS)
    seat.move()

    assert seat.spent.charged_ns == 1 * MS + PONDER_NS
    assert seat.player.watch.off_turn_ns == 0
    assert seat.process.treatment == []


def test_by_the_wall_clock_a_little_thinking_after_each_reply_adds_up() -> None:
    seat = Seat(*[moved(1, 1)] * 6, clock="wall")

    for _ in range(5):
        assert seat.process.treatment == []
        seat.move()
        seat.burn(wall_ms=40, cpu_ms=4.6)
    seat.move()

    assert seat.player.watch.off_turn_ns == 23 * MS
    assert seat.process.treatment == ["suspend"]


def test_by_the_wall_clock_an_honest_end_of_each_reply_is_recorded_and_no_more() -> None:
    seat = Seat(*[moved(1, 1)] * 6, clock="wall")

    for _ in range(6):
        seat.move()
        seat.burn(wall_ms=40, cpu_ms=0.2)

    assert seat.player.watch.off_turn_ns == 5 * 0.2 * MS
    assert seat.process.treatment == []


def test_a_stall_of_the_referee_at_the_deadline_is_not_charged() -> None:
    seat = Seat([Stall(ms=STALL_NS / MS + 2000), Say(PONG)], clock="wall")

    seat.ping()

    assert seat.spent.charged_ns <= LIMIT


@pytest.mark.parametrize("clock", ["cpu", "wall"])
def test_a_bot_that_hangs_gains_nothing_by_a_stall(clock: str) -> None:
    seat = Seat([Stall(ms=2000), Stall(ms=300), Hang()], clock=clock)

    assert seat.fault().termination is Termination.TIMEOUT


@pytest.mark.parametrize("step", [Hang(), moved(wall_ms=1, cpu_ms=1)])
def test_a_referee_stopped_for_long_voids_the_match(step: Say | Hang) -> None:
    seat = Seat([Stall(ms=MOST_STALL_NS / MS + 50), step], clock="wall")

    with pytest.raises(BrokenMatchError, match="referee was suspended"):
        seat.move()


@pytest.mark.parametrize("strikes", [None, 0])
def test_a_reply_that_only_looks_late_because_of_a_stall_is_in_time(strikes: int | None) -> None:
    class StalledLink(ScriptedLink):
        def receive(self, until_ns: int) -> bytes | None:
            payload = super().receive(until_ns)
            seat.clock.advance(2000 * MS)  # the referee stops with the reply in its hands
            return payload

    seat = Seat(clock="wall", strikes=strikes)
    link = StalledLink(seat.clock, seat.process, lambda _: moved(wall_ms=1, cpu_ms=1))
    seat.player = BotSeat(0, link, seat.process, seat.watch_of(seat.process))

    seat.move()

    assert seat.spent.charged_ns <= LIMIT


def test_a_slow_inspection_of_a_bot_is_not_a_stall() -> None:
    class Crowd(FakeProcess):
        def cpu_ns(self) -> int:
            seat.clock.advance(2 * STALL_NS)
            return 0

    seat, crowd = Seat(Hang(), clock="cpu"), Crowd()
    seat.player = BotSeat(0, seat.link, crowd, seat.watch_of(crowd))

    assert seat.fault(seat.move).termination is Termination.TIMEOUT


def test_a_stall_does_not_matter_to_a_reply_that_is_in_time() -> None:
    seat = Seat(
        [Stall(ms=2000), Say({"type": "bye"}, cpu_ms=3)], clock="cpu", per_move_ns=5000 * MS
    )

    seat.move(limit_ns=5000 * MS)

    assert seat.spent.charged_ns == 3 * MS


def test_cpu_time_used_in_a_stall_of_the_referee_is_charged() -> None:
    seat = Seat([Stall(ms=300), Hang(cpu_ms=1)], clock="cpu", grace_ns=0)

    assert seat.fault().termination is Termination.TIMEOUT
