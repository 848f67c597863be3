"""What a seat sends: ids, the pings before init, the last call of a void match."""

from collections.abc import Callable
from typing import Any

import pytest
from fakes import MS, FakeClock, FakeProcess, Say, ScriptedLink
from seat import INIT, LIMIT, PONG, Seat

from protocol.messages import Bye, Pong, Ready, Term
from protocol.vocabulary import Termination
from referee.job import TimeControl
from referee.records.record import NullCost
from referee.seats.bot_seat import PINGS, PINGS_NS, BotSeat
from referee.seats.seat import OpenCall
from referee.seats.stopwatch import Stopwatch

READY = {"type": "ready"}
PLY = {"ply": 0, "opponent_moves": []}


def new_seat(
    answer: Callable[[Any], Say], *, null: NullCost | None = None, last_id: int = 0
) -> tuple[BotSeat, ScriptedLink]:
    """Return a seat whose null cost may be unknown, and its link."""
    clock, process = FakeClock(), FakeProcess()
    link = ScriptedLink(clock, process, answer)
    watch = Stopwatch(0, process, TimeControl(), clock)
    return BotSeat(0, link, process, watch, null=null, last_id=last_id), link


def init_call() -> OpenCall[Ready]:
    return OpenCall(name="init", fields=INIT, model=Ready, limit_ns=LIMIT)


def answered(call: Any) -> Say:
    return Say(READY if call.type == "init" else PONG)


def test_a_void_match_ends_with_a_last_term() -> None:
    seat = Seat(PONG, {"type": "bye"})
    seat.ping()

    seat.player.tell_void(3)

    term = seat.link.calls[-1]
    assert isinstance(term, Term)
    assert term.id > seat.link.calls[0].id
    assert term.model_dump(exclude={"type", "id"}, exclude_none=True) == {
        "opponent_moves": (),
        "termination": Termination.VOID,
        "scores": ("0", "0", "0"),
        "reason": "the match is void",
        "offenders": (),
        "last": True,
    }
    assert seat.process.treatment == ["resume"]


def test_the_null_cost_is_measured_by_pings_before_the_first_init() -> None:
    seat, link = new_seat(answered)

    seat.ask(init_call())

    assert [call.type for call in link.calls] == [*["ping"] * PINGS, "init"]
    assert seat.null == NullCost(wall_ns=MS, cpu_ns=MS)


def test_a_kept_bot_is_not_pinged_again() -> None:
    seat, link = new_seat(answered, null=NullCost(wall_ns=1, cpu_ns=1), last_id=7)

    seat.ask(init_call())

    assert [call.type for call in link.calls] == ["init"]


def test_other_calls_than_init_measure_no_null_cost() -> None:
    seat, link = new_seat(answered)

    seat.ask(OpenCall(name="ping", fields={}, model=Pong, limit_ns=LIMIT))

    assert len(link.calls) == 1
    assert seat.null is None


def test_slow_pings_end_after_their_time() -> None:
    half_ms = PINGS_NS / MS / 2
    seat, link = new_seat(lambda _: Say(PONG, wall_ms=half_ms, cpu_ms=0))

    seat.measure_null()

    assert len(link.calls) == 2


def test_a_process_sees_1_as_its_first_id_and_a_kept_one_no_id_that_it_could_guess() -> None:
    firsts = []
    for _ in range(20):
        seat, _ = new_seat(answered, null=NullCost(wall_ns=1, cpu_ns=1), last_id=1000)
        seat.ask(init_call())
        firsts.append(seat.last_id - 1000)

    assert min(firsts) > 0
    assert len(set(firsts)) > 10
    assert max(firsts) > 1000


def test_output_from_a_call_on_belongs_to_it_and_pings_have_none() -> None:
    seat = Seat(PONG, {"type": "bye"})
    begun: list[str] = []
    seat.player.begin_output = lambda: begun.append(seat.link.calls[-1].type)

    seat.ping()
    seat.move()

    assert begun == ["move"]


@pytest.mark.parametrize("is_known", [True, False])
def test_a_reply_may_be_read_from_its_bytes(*, is_known: bool) -> None:
    known = Bye(type="bye", id=0)
    seen: list[tuple[bytes, int]] = []

    def read(payload: bytes, number: int) -> Bye | None:
        seen.append((payload, number))
        return known if is_known else None

    seat = Seat({"type": "bye"})
    call = OpenCall(name="move", fields=PLY, model=Bye, limit_ns=LIMIT, read=read)
    reply, _ = seat.player.ask(call)

    assert seen == [(seen[0][0], seat.link.calls[0].id)]
    assert (reply is known) == is_known
    assert isinstance(reply, Bye)
