"""Messages of a bot: allowed strays, and faults by garbage, floods and ends."""

from itertools import pairwise
from typing import Any

import pytest
from fakes import GARBAGE, MS, Fail, Hang, Say, Step
from seat import LIMIT, PONG, Seat

from protocol.errors import OversizeError
from protocol.link import ClosedError
from protocol.messages import Bye, Ping
from protocol.vocabulary import Termination
from referee.errors import BrokenMatchError, Forfeit, ShortageError
from referee.seats.bot_seat import MAX_STRAYS


def reply_to(call: Ping, difference: int = 0) -> dict[str, Any]:
    return {"type": "pong", "id": call.id + difference}


def test_a_late_or_a_second_reply_is_dropped_and_counted() -> None:
    earlier: list[Ping] = []

    def first(call: Ping) -> Step:
        earlier.append(call)
        return [Say(reply_to(call)), Say(reply_to(call))]

    def second(call: Ping) -> Step:
        return [Say(reply_to(earlier[0])), Say(reply_to(call))]

    seat = Seat(first, second)

    seat.ping()
    assert seat.ping().id == seat.link.calls[1].id
    assert seat.player.strays == 2


def test_a_reply_that_was_sent_ahead_of_its_call_is_dropped() -> None:
    def eager(call: Ping) -> Step:
        return [Say(reply_to(call)), *(Say(reply_to(call, ahead), 0, 0) for ahead in range(1, 5))]

    seat = Seat(eager, Say(PONG, wall_ms=20), grace_ns=0)

    seat.ping()
    seat.ping()

    assert seat.player.strays == 4
    assert seat.spent.wall_ns == 20 * MS


def test_the_next_id_cannot_be_guessed() -> None:
    seat = Seat(*[PONG] * 50)

    ids = [seat.ping().id for _ in range(50)]

    steps = {later - earlier for earlier, later in pairwise(ids)}
    assert ids[0] == 1
    assert min(steps) > 0
    assert len(steps) > 40


@pytest.mark.parametrize(
    "stray",
    [
        {"type": "pong", "id": True},
        {"type": "pong", "id": "1"},
        {"type": "pong", "id": -1},
        {"hello": "there", "id": 0},
        {"type": "term", "id": 10**9, "winner": 0},
    ],
)
def test_a_message_without_the_id_of_the_call_is_a_stray(stray: dict[str, Any]) -> None:
    seat = Seat([Say(stray), Say(PONG)])

    seat.ping()

    assert seat.player.strays == 1


def test_an_id_of_the_wrong_type_is_not_the_same_number() -> None:
    seat = Seat([Say({"type": "pong", "id": True}), Say(PONG)])  # the first id is 1

    seat.ping()

    assert seat.player.strays == 1


@pytest.mark.parametrize(
    ("stray", "sent"),
    [
        ({"type": "pong", "id": None}, "'pong' with no id"),
        ({"type": "pong", "id": "1"}, "'pong' with id '1'"),
        ({"id": 7}, "None with id 7"),
    ],
)
def test_a_timeout_names_the_message_sent_instead_of_the_reply(
    stray: dict[str, Any], sent: str
) -> None:
    seat = Seat([Say(stray), Hang()])

    with pytest.raises(Forfeit) as forfeit:
        seat.ping()

    assert forfeit.value.termination is Termination.TIMEOUT
    hint = f"; it sent {sent}, but a reply has the id of its call, 1"
    assert forfeit.value.detail.endswith(hint)


def test_a_timeout_does_not_name_a_message_of_an_earlier_call() -> None:
    seat = Seat([Say({"type": "pong", "id": None}), Say(PONG)], Hang())
    seat.ping()

    with pytest.raises(Forfeit) as forfeit:
        seat.ping()

    assert "it sent" not in forfeit.value.detail


def test_strays_up_to_the_limit_cost_nothing() -> None:
    strays = [Say({"type": "pong", "id": 0})] * (MAX_STRAYS // 2)
    seat = Seat([*strays, Say(PONG)], [*strays, Say(PONG)])

    seat.ping()
    seat.ping()

    assert seat.player.strays == MAX_STRAYS == 16


def test_one_stray_above_the_limit_is_malformed() -> None:
    seat = Seat([*[Say({"type": "pong", "id": 0})] * (MAX_STRAYS + 1), Say(PONG)])

    fault = seat.fault()

    assert fault.termination is Termination.MALFORMED
    assert fault.detail == "17 unrequested messages, the last 'pong' with id 0 during ping"


def test_strays_do_not_extend_the_deadline() -> None:
    seat = Seat([*[Say({"type": "pong", "id": 0}, wall_ms=60)] * 3, Hang()], clock="wall")
    began_ns = seat.clock.now_ns()

    assert seat.fault().termination is Termination.TIMEOUT
    assert seat.clock.now_ns() - began_ns == LIMIT + seat.control.grace_ns


@pytest.mark.parametrize(
    "reply",
    [
        b"",
        GARBAGE,
        b"\x93\x01\x02\x03",
        {"type": "pong", "id": 1, "extra": None},
        {"type": "bye", "id": 1},
        {"id": 1},
        {"type": "pong", "id": 1, "elapsed": 2**60},
    ],
)
def test_an_invalid_reply_is_malformed(reply: dict[str, Any] | bytes) -> None:
    fault = Seat(Say(reply)).fault()

    assert fault.termination is Termination.MALFORMED
    assert fault.detail.startswith("reply to ping: ")


def test_a_reply_above_the_size_limit_is_oversize() -> None:
    fault = Seat(Say({"type": "pong", "note": "x" * 65536})).fault()

    assert fault.termination is Termination.OVERSIZE
    assert "65536" in fault.detail


def test_a_frame_that_the_link_refuses_is_oversize() -> None:
    fault = Seat(Fail(OversizeError("a frame of 200000000 bytes"))).fault()

    assert fault.termination is Termination.OVERSIZE
    assert fault.detail == "reply to ping: a frame of 200000000 bytes"


@pytest.mark.parametrize("ended", ["exit code 0", "exit code 3", "signal SIGSEGV"])
def test_the_end_of_the_process_is_a_crash_with_its_exit_code(ended: str) -> None:
    fault = Seat(Fail(ClosedError("its process ended"), ended=ended)).fault()

    assert fault.termination is Termination.CRASH
    assert fault.detail == f"ended during the ping call: {ended}"


def test_closing_the_connection_is_a_crash_too() -> None:
    fault = Seat(Fail(ClosedError("closed its connection"))).fault()

    assert fault.termination is Termination.CRASH
    assert fault.detail == (
        "closed its connection during the ping call, while its process still runs"
    )


def test_a_kill_at_its_own_memory_limit_is_a_fault_of_memory() -> None:
    seat = Seat(Fail(ClosedError("gone"), ended="signal SIGKILL"))
    seat.process.has_hit_memory_limit = True

    fault = seat.fault()

    assert fault.termination is Termination.MEMORY
    assert fault.detail == "ended during the ping call: signal SIGKILL"


@pytest.mark.parametrize("name", ["ping", "term"])
def test_a_lost_line_voids_a_match_until_its_verdict(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(_: int) -> None:
        raise BrokenMatchError("the line is lost")

    seat = Seat(Fail(ClosedError("gone")))
    monkeypatch.setattr(seat.process, "wait_end", lose)
    if name == "term":
        assert seat.fault(lambda: seat.ask("term", TERM, Bye)).termination is Termination.CRASH
    else:
        with pytest.raises(BrokenMatchError, match="the line is lost"):
            seat.ping()


def test_a_fault_is_charged_with_the_time_spent() -> None:
    seat = Seat(Fail(ClosedError("gone"), ended="exit code 1", wall_ms=8, cpu_ms=5), clock="cpu")

    seat.fault(seat.move)

    assert seat.spent.charged_ns == 5 * MS


def test_the_bot_receives_the_detail_of_its_fault() -> None:
    seat = Seat()

    seat.player.tell_fault(Forfeit(0, Termination.ILLEGAL_MOVE, "x" * 5000))

    (notice,) = seat.link.calls
    assert notice.code is Termination.ILLEGAL_MOVE
    assert notice.detail == "x" * 1000


TERM = {
    "opponent_moves": [],
    "termination": "normal",
    "scores": ["2", "0"],
    "reason": "over",
    "offenders": [],
    "last": True,
}
SHORT = "too little memory: the kernel ended a process of bot"


@pytest.mark.parametrize(
    "fault", [Fail(ClosedError("gone"), ended="signal SIGKILL"), Hang(), Say(GARBAGE)]
)
def test_after_a_kill_for_lack_of_memory_nothing_is_a_fault_of_the_bot(fault: Step) -> None:
    seat = Seat(fault)
    seat.process.shortage = SHORT

    with pytest.raises(ShortageError, match=SHORT):
        seat.ping()


def test_a_kill_for_lack_of_memory_in_term_changes_no_result() -> None:
    seat = Seat(Fail(ClosedError("gone"), ended="signal SIGKILL"))
    seat.process.shortage = SHORT

    fault = seat.fault(lambda: seat.ask("term", TERM, Bye))

    assert fault.termination is Termination.CRASH
