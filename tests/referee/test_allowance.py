"""The time of the line taken off the calls of a remote seat."""

from dataclasses import dataclass

import pytest
from fakes import MS, Hang, Say, ScriptedLink
from seat import LIMIT, PONG, Seat, moved

from protocol.vocabulary import Termination
from referee.job import SECOND_NS
from referee.seats.allowance import GAIN_NS, MARGIN_NS, MOST_NS, Allowance
from referee.seats.bot_seat import BotSeat
from referee.seats.stopwatch import STALL_NS


@dataclass
class FakeLine:
    line_ns: int


def remote_seat(line_ms: int, *script: object) -> Seat:
    return Seat(*script, line=FakeLine(line_ms * MS), clock="wall")  # type: ignore[arg-type]  # steps of a script


def test_the_line_is_taken_off_a_call_and_its_wall_time_kept() -> None:
    seat = remote_seat(20, moved(wall_ms=70, cpu_ms=0))

    seat.move()

    assert (seat.spent.wall_ns, seat.spent.charged_ns) == (70 * MS, 50 * MS)


def test_no_call_is_charged_less_than_nothing() -> None:
    seat = remote_seat(20, moved(wall_ms=8, cpu_ms=0))

    seat.move()

    assert seat.spent.charged_ns == 0


def test_the_deadline_is_later_by_the_line() -> None:
    seat = remote_seat(20, Hang())
    began_ns = seat.clock.now_ns()

    fault = seat.fault(seat.move)

    assert fault.termination is Termination.TIMEOUT
    grace_ns = seat.control.grace_ns
    assert seat.clock.now_ns() - began_ns == LIMIT + grace_ns + 20 * MS


class LateLink(ScriptedLink):
    """A link whose reader wakes late for each message, on a busy machine."""

    late_ms = 0

    def receive(self, until_ns: int) -> bytes | None:
        payload = super().receive(until_ns)
        if payload is not None:
            self._clock.advance(until_ns - self._clock.now_ns() + self.late_ms * MS)
        return payload


def late_seat(line: FakeLine | None, late_ms: int) -> Seat:
    seat = Seat(clock="wall")
    link = LateLink(seat.clock, seat.process, lambda _: moved(wall_ms=95, cpu_ms=0))
    link.late_ms = late_ms
    seat.player = BotSeat(0, link, seat.process, seat.watch_of(seat.process, line))
    return seat


@pytest.mark.parametrize("late_ms", [1, 100, STALL_NS // MS, STALL_NS // MS + 1, 5000])
def test_a_referee_that_wakes_late_is_not_charged_to_a_remote_bot(late_ms: int) -> None:
    seat = late_seat(FakeLine(20 * MS), late_ms)

    seat.move()

    assert seat.spent.charged_ns == 100 * MS - 20 * MS  # to the end of the second slice of time


def test_waking_late_is_taken_off_within_the_quota_only() -> None:
    allowance = Allowance(FakeLine(MOST_NS - 10 * MS))

    assert allowance.take(SECOND_NS, 200 * MS) == MOST_NS


def test_waking_late_is_charged_to_a_bot_of_this_machine() -> None:
    seat = late_seat(None, late_ms=200)

    assert seat.fault(seat.move).termination is Termination.TIMEOUT


def test_pings_take_nothing_off_the_quota() -> None:
    seat = remote_seat(500, *[Say(PONG, 90, 0)] * 3, moved(wall_ms=310, cpu_ms=0))
    for _ in range(3):
        seat.ping()

    seat.move(SECOND_NS)

    assert seat.spent.charged_ns == 310 * MS - MOST_NS


def test_a_long_line_is_taken_off_within_the_quota_only() -> None:
    allowance = Allowance(FakeLine(10 * SECOND_NS))

    taken = [allowance.take(SECOND_NS, 0) for _ in range(5)]

    assert taken == [MOST_NS, GAIN_NS, GAIN_NS, GAIN_NS, GAIN_NS]


def test_the_quota_saves_at_most_its_limit() -> None:
    line = FakeLine(0)
    allowance = Allowance(line)
    for _ in range(100):
        assert allowance.take(SECOND_NS, 0) == 0
    line.line_ns = 10 * SECOND_NS

    assert allowance.take(SECOND_NS, 0) == MOST_NS


@pytest.mark.parametrize("line_ms", [0, 5, 90])
def test_a_usual_line_is_taken_off_every_call(line_ms: int) -> None:
    allowance = Allowance(FakeLine(line_ms * MS))

    assert {allowance.take(SECOND_NS, 0) for _ in range(200)} == {line_ms * MS}


def test_the_margin_alone_never_empties_the_quota() -> None:
    assert MARGIN_NS < GAIN_NS < MOST_NS


def test_a_ping_is_measured_with_the_line() -> None:
    seat = remote_seat(20, Say(PONG, wall_ms=70))

    seat.ping()

    assert seat.spent.charged_ns == 70 * MS
