"""The process of `arena join` that copies messages between a bot and the host."""

import os
import socket
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path

import pytest

from arena.remote.seat_runner_process import MAX_UNREAD, Pipes, _pass_on, play_seat
from arena.remote.wire import pipe_bytes
from protocol.link import FRAME_LIMIT, ClosedError, Link
from protocol.zmtp import Session
from referee.host import hosting
from referee.job import Limits, Player

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


def children_after_matches(folder: Path, count: int) -> list[str]:
    """Play seats of a bot that leaves processes; return the PIDs of this process's children."""
    source, target = os.pipe()
    argv = ("sh", "-c", "sleep 1000 & sleep 1000 & exit 3")
    player = Player(name="mine", argv=argv, folder=str(folder), content="", tier="none")
    order = {
        "game": "pente",
        "player": asdict(player),
        "limits": asdict(Limits()),
        "start_ms": 60_000,
    }
    with hosting() as host:
        for _ in range(count):
            play_seat(host, Pipes(source, target), order)
            assert b"exit code 3" in os.read(source, 1 << 16)
        return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_no_process_of_a_bot_is_left_after_its_match(tmp_path: Path) -> None:
    with ProcessPoolExecutor(1, get_context("fork")) as alone:  # a host ends all its children
        assert alone.submit(children_after_matches, tmp_path, 3).result() == []
