"""The link over real sockets: the order of messages, ends and deadlines."""

import os
import socket
from contextlib import ExitStack
from itertools import count

import pytest
from peers import EMPTY_MORE, PAST, PING, PONG, REQ, Pair, Process, pair_of, until

from protocol.codec import MAX_REPLY_BYTES
from protocol.errors import MalformedError, OversizeError
from protocol.link import FRAME_LIMIT, ClosedError
from protocol.zmtp import frame


def test_a_message_precedes_the_end_and_the_end_precedes_the_deadline(
    pair: Pair, stack: ExitStack
) -> None:
    link, bot = pair
    process = Process(link, stack)
    assert link.receive(PAST) is None

    process.end()
    bot.sendall(frame(b"one") + frame(b"two"))
    assert link.receive(PAST) == b"one"
    assert link.receive(PAST) == b"two"
    bot.close()
    with pytest.raises(ClosedError):
        link.receive(PAST)


def test_an_end_is_reported_although_a_child_holds_the_connection(
    pair: Pair, stack: ExitStack
) -> None:
    link, _ = pair
    Process(link, stack).end()

    with pytest.raises(ClosedError, match="its process ended"):
        link.receive(until())


def test_messages_sent_before_the_end_are_received_in_full(pair: Pair, stack: ExitStack) -> None:
    link, bot = pair
    process = Process(link, stack)
    reply = bytes(MAX_REPLY_BYTES)
    bot.sendall(frame(reply))
    bot.close()
    process.end()

    assert link.receive(PAST) == reply


def test_a_long_reply_received_by_the_deadline_counts(pair: Pair) -> None:
    link, bot = pair
    reply = bytes(MAX_REPLY_BYTES)
    bot.sendall(frame(reply))

    assert link.receive(PAST) == reply


def test_output_without_end_does_not_move_the_deadline(pair: Pair, stack: ExitStack) -> None:
    link, bot = pair
    flood, source = (stack.enter_context(end) for end in socket.socketpair())
    source.send(b"x")
    rings = count()

    def ring() -> bool:
        assert next(rings) < 100, "the deadline has passed, and it still looks"
        return False

    link.watch(flood.fileno(), ring)

    assert link.receive(PAST) is None
    bot.sendall(frame(b"reply"))
    assert link.receive(PAST) == b"reply"


def test_an_unread_call_does_not_block(pair: Pair) -> None:
    link, bot = pair
    call = os.urandom(1 << 20)

    link.send(call)
    link.send(b"and another")

    assert link.receive(PAST) is None
    bot.settimeout(0)
    heard = b""
    while len(heard) < len(frame(call) + frame(b"and another")):
        try:
            heard += bot.recv(1 << 20)
        except BlockingIOError:
            assert link.receive(PAST) is None
    assert heard == frame(call) + frame(b"and another")
    bot.send(frame(b"reply"))
    assert link.receive(until()) == b"reply"


def test_a_reply_is_received_while_the_call_is_still_being_sent(pair: Pair) -> None:
    link, bot = pair
    link.send(bytes(1 << 20))
    bot.sendall(frame(b"early"))

    assert link.receive(PAST) == b"early"


def test_sending_to_an_ended_peer_raises_only_on_receive(pair: Pair) -> None:
    link, bot = pair
    bot.close()

    link.send(b"call")

    with pytest.raises(ClosedError):
        link.receive(until())


def test_a_partial_message_before_the_end_counts_as_an_end(pair: Pair) -> None:
    link, bot = pair
    bot.sendall(frame(b"reply")[:-1])
    bot.close()

    with pytest.raises(ClosedError, match="closed its connection"):
        link.receive(until())


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (b"\x02" + (FRAME_LIMIT + 1).to_bytes(8, "big"), OversizeError),
        (3 * EMPTY_MORE, MalformedError),
        (frame(b"a", flags=1) + frame(b"b"), MalformedError),
        (b"\x80\x00", MalformedError),
    ],
)
def test_bytes_that_break_the_framing_are_refused_at_once(
    pair: Pair, said: bytes, error: type[Exception]
) -> None:
    link, bot = pair
    bot.sendall(said)

    with pytest.raises(error):
        link.receive(until())


def test_a_ping_of_the_transport_is_answered_while_waiting(pair: Pair) -> None:
    link, bot = pair
    bot.sendall(PING)

    assert link.receive(PAST) is None
    assert bot.recv(1000) == PONG


def test_a_ping_during_a_long_call_is_answered_after_it(pair: Pair) -> None:
    link, bot = pair
    call = bytes(1 << 20)
    link.send(call)
    bot.sendall(PING)
    assert link.receive(PAST) is None
    bot.settimeout(0)
    heard = b""
    while len(heard) < len(frame(call) + PONG):
        try:
            heard += bot.recv(1 << 20)
        except BlockingIOError:
            assert link.receive(PAST) is None

    assert heard == frame(call) + PONG


def test_a_req_receives_its_envelope(stack: ExitStack) -> None:
    link, bot = pair_of(stack, REQ)
    bot.sendall(EMPTY_MORE + frame(b"reply"))
    assert link.receive(until()) == b"reply"

    link.send(b"call")

    assert bot.recv(1000) == EMPTY_MORE + frame(b"call")


def test_an_unread_flood_is_not_buffered(pair: Pair) -> None:
    link, bot = pair
    bot.settimeout(0)
    sent = 0
    message = frame(bytes(60_000))
    for _ in range(10_000):
        try:
            sent += bot.send(message)
        except BlockingIOError:
            break
        link.receive(PAST) if sent < len(message) else None

    assert sent < 4 << 20
