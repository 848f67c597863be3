"""What a peer can no longer do: reply after its death, or keep a referee busy with commands."""

import os
import socket
import time

import pytest

from protocol.errors import MalformedError
from protocol.link import ClosedError, Link
from protocol.zmtp import GREETING, MAX_COMMANDS, Session, frame

HOUR_NS = 3600 * 10**9
DEALER = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"


def ready_session() -> Session:
    session = Session(1 << 16)
    session.feed(GREETING + frame(DEALER, flags=4))
    session.outgoing.clear()
    return session


def test_a_child_cannot_reply_for_a_peer_that_was_dead_when_it_was_called() -> None:
    own, other = socket.socketpair()
    alarm, death = os.pipe()
    with own, other:
        own.setblocking(False)  # noqa: FBT003 - the name of the standard library
        link = Link(own, ready_session())
        link.watch(alarm, lambda: True)
        other.sendall(frame(b"before its death"))
        os.write(death, b"!")

        link.send(b"a call")

        with pytest.raises(BrokenPipeError):
            other.send(frame(b"by a child"))
        until_ns = time.monotonic_ns() + HOUR_NS
        assert link.receive(until_ns) == b"before its death"
        with pytest.raises(ClosedError):
            link.receive(until_ns)
    os.close(alarm)
    os.close(death)


def test_a_peer_that_hangs_up_is_gone_whether_or_not_it_has_read_its_calls() -> None:
    for reads in (False, True):
        own, other = socket.socketpair()
        with own:
            own.setblocking(False)  # noqa: FBT003 - the name of the standard library
            link = Link(own, ready_session())
            link.send(b"a call")
            if reads:
                other.recv(1 << 16)
            other.close()

            with pytest.raises(ClosedError, match=r"^closed its connection$"):
                link.receive(time.monotonic_ns() + HOUR_NS)


def test_heartbeats_are_free_until_they_are_a_flood() -> None:
    session = ready_session()
    ping = frame(b"\x04PING\0\0", flags=4)

    for _ in range(3):
        session.feed(ping * (MAX_COMMANDS - 1))
        assert session.feed(frame(b"\x80")) == [b"\x80"]
        session.outgoing.clear()
    session.feed(ping * MAX_COMMANDS)

    with pytest.raises(MalformedError, match="more than 10000 commands without a message"):
        session.feed(ping)
