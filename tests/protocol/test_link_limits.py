"""Limits of a peer: no reply after its end, no flood of commands."""

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


def test_a_child_cannot_reply_for_a_peer_that_ended_before_the_call() -> None:
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


def test_a_closed_connection_is_an_end_with_read_or_unread_calls() -> None:
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


def test_a_closed_link_loses_what_is_sent() -> None:
    own, other = socket.socketpair()
    alarm, death = os.pipe()
    with own, other:
        link = Link(own, ready_session())
        link.watch(alarm, lambda: True)
        os.close(death)
        link.close()

        link.send(b"a notice")
        link.close()

        assert other.recv(1) == b""
    os.close(alarm)


def test_heartbeats_are_allowed_up_to_the_limit_of_commands() -> None:
    session = ready_session()
    ping = frame(b"\x04PING\0\0", flags=4)

    for _ in range(3):
        session.feed(ping * (MAX_COMMANDS - 1))
        assert session.feed(frame(b"\x80")) == [b"\x80"]
        session.outgoing.clear()
    session.feed(ping * MAX_COMMANDS)

    with pytest.raises(MalformedError, match="more than 10000 commands without a message"):
        session.feed(ping)


def test_bells_ring_in_the_order_of_watch_and_none_while_another_rings() -> None:
    # `arena join` passes calls on from a bell, and a bell of the output may be forgotten by itself
    own, other = socket.socketpair()
    (output, writer), (source, caller) = os.pipe(), os.pipe()
    rung: list[str] = []
    with own, other:
        link = Link(own, ready_session())

        def on_output() -> bool:
            rung.append("output")
            link.forget(output)
            return False

        def on_call() -> bool:
            rung.append("call")
            link.send(os.read(source, 1))
            return False

        link.watch(output, on_output)
        link.watch(source, on_call)
        os.write(caller, b"12")
        os.close(writer)

        assert link.receive(time.monotonic_ns()) is None

        assert rung == ["output", "call", "call"]
        assert other.recv(100) == frame(b"1") + frame(b"2")
    for descriptor in (output, source, caller):
        os.close(descriptor)
