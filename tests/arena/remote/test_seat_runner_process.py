"""The process of `arena join` that copies messages between a bot and the host."""

import os
import socket

import pytest

from arena.remote.seat_runner_process import MAX_UNREAD, Pipes, _pass_on
from arena.remote.wire import pipe_bytes
from protocol.link import FRAME_LIMIT, ClosedError, Link
from protocol.zmtp import Session

CALL = pipe_bytes({"do": "call"}, bytes(30_000))


def test_calls_that_a_bot_does_not_read_end_it_before_they_fill_the_memory() -> None:
    source, target = os.pipe()
    ours, theirs = socket.socketpair()
    link, pipes = Link(ours, Session(FRAME_LIMIT)), Pipes(source, target)

    def flood() -> None:
        for _ in range(4 * MAX_UNREAD // len(CALL)):
            os.write(target, CALL)
            _pass_on(pipes, link)

    with pytest.raises(ClosedError, match="it does not read its calls"):
        flood()

    assert link.unsent <= MAX_UNREAD + len(CALL)
    for descriptor in (source, target):
        os.close(descriptor)
    ours.close()
    theirs.close()
