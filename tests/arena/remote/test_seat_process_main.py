"""The process of `arena join` that copies messages between a bot and the host."""

import errno
import os
import socket
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from arena.remote.seat_process_main import MAX_UNREAD, Pipes, _pass_on, play_seat
from arena.remote.wire import Head, PipeReader, pipe_bytes
from protocol.link import FRAME_LIMIT, ClosedError, Link
from protocol.zmtp import Session
from referee.job import Player
from referee.sandbox import Limits, Process
from referee.service.slot import open_slot

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


def order_of(argv: tuple[str, ...], folder: Path, start_ms: int = 60_000) -> Head:
    """Return the order to play a seat with this program."""
    player = Player(name="mine", argv=argv, folder=str(folder), content="", tier="none")
    limits = asdict(Limits())
    return {"game": "pente", "player": asdict(player), "limits": limits, "start_ms": start_ms}


def alone(function: Callable[..., Any], *given: object) -> Any:
    """Call a function in a process of its own: a slot ends all its children."""
    with ProcessPoolExecutor(1, get_context("fork")) as process:
        return process.submit(function, *given).result()


def children_after_matches(folder: Path, count: int) -> list[str]:
    """Play seats of a bot that leaves processes; return the PIDs of this process's children."""
    source, target = os.pipe()
    order = order_of(("sh", "-c", "sleep 1000 & sleep 1000 & exit 3"), folder)
    with open_slot() as slot:
        for _ in range(count):
            play_seat(slot, Pipes(source, target), order)
            assert b"exit code 3" in os.read(source, 1 << 16)
        return Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()


def test_no_process_of_a_bot_is_left_after_its_match(tmp_path: Path) -> None:
    assert alone(children_after_matches, tmp_path, 3) == []


def end_with_too_few_processes(
    folder: Path, lacking: int, start_ms: int, head: Head | None = None
) -> tuple[str, int]:
    """Play a seat, with a lack of processes in its first starts and a message of the host.

    Return how the seat has ended, and the number of starts.
    """
    orders, host_end = os.pipe()
    answers, own_end = os.pipe()
    if head is not None:
        os.write(host_end, pipe_bytes(head))
    starts = 0

    def refuse(bot: Process) -> None:
        nonlocal starts
        starts += 1
        if starts <= lacking:
            raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        confirm(bot)

    confirm = Process.confirm
    with pytest.MonkeyPatch.context() as patch, open_slot() as slot:
        patch.setattr(Process, "confirm", refuse)
        play_seat(slot, Pipes(orders, own_end), order_of(("sh", "-c", "exit 3"), folder, start_ms))
    ((answer, _),) = PipeReader().feed(os.read(answers, 1 << 16))
    return answer["how"], starts


def test_a_bot_starts_after_a_passing_lack_of_processes(tmp_path: Path) -> None:
    how, starts = alone(end_with_too_few_processes, tmp_path, 2, 60_000)

    assert (how, starts) == ("ended before its hello: exit code 3", 3)


def test_a_lack_of_processes_for_the_whole_time_of_a_start_is_reported(tmp_path: Path) -> None:
    how, _ = alone(end_with_too_few_processes, tmp_path, 1000, 1)

    assert how == (
        "cannot be started on its owner's machine: a bot cannot be started:"
        " Resource temporarily unavailable"
    )


def test_a_seat_that_ends_during_a_lack_of_processes_is_given_up(tmp_path: Path) -> None:
    how, starts = alone(end_with_too_few_processes, tmp_path, 1000, 60_000, {"do": "stop"})

    assert (how, starts) == ("stopped", 1)


def end_of_a_stopped_seat(folder: Path, is_read_with_its_start: bool) -> str:  # noqa: FBT001
    """Play a seat of a bot that says nothing, with a stop by the host; return how it has ended."""
    orders, host_end = os.pipe()
    answers, own_end = os.pipe()
    pipes = Pipes(orders, own_end)
    os.write(host_end, pipe_bytes({"do": "start"}))
    if not is_read_with_its_start:
        pipes.receive()
    os.write(host_end, pipe_bytes({"do": "call"}, b"x") + pipe_bytes({"do": "stop"}))
    if is_read_with_its_start:
        pipes.receive()
    with open_slot() as slot:
        play_seat(slot, pipes, order_of(("sleep", "1000"), folder))
    ((answer, _),) = PipeReader().feed(os.read(answers, 1 << 16))
    return str(answer["how"])


@pytest.mark.parametrize("is_read_with_its_start", [True, False])
def test_a_seat_that_ends_before_the_hello_of_its_bot_is_given_up(
    tmp_path: Path,
    is_read_with_its_start: bool,  # noqa: FBT001
) -> None:
    assert alone(end_of_a_stopped_seat, tmp_path, is_read_with_its_start) == "stopped"
