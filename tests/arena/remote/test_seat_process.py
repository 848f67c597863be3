"""Runners of `arena join` that do not read, or have ended."""

import subprocess
import sys
import time

import pytest
from waiting import PATIENCE_S

from arena.remote.poller import Poller
from arena.remote.seat_process import MAX_UNSENT, SeatProcess

COUNT = """
import os, time
time.sleep(0.2)
count = 0
while count < 3_000_000:
    count += len(os.read(0, 1 << 16))
print(count)
"""


def process_of(program: str, monkeypatch: pytest.MonkeyPatch, poller: Poller) -> SeatProcess:
    """Return a process that is this program."""
    start = subprocess.Popen

    def instead(command: object, **options: object) -> object:
        del command
        return start([sys.executable, "-c", program], **options)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess, "Popen", instead)
    return SeatProcess(poller, lambda *_: None)


def test_a_large_message_is_sent_while_others_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    poller = Poller()
    process = process_of(COUNT, monkeypatch, poller)
    said: list[int] = []
    poller.watch(process.fileno(), said.append)

    process.send({"do": "call"}, b"x" * 3_000_000)

    until_s = time.monotonic() + PATIENCE_S
    while not said and time.monotonic() < until_s:
        poller.wait(1)
    assert said
    poller.forget(process.fileno())
    process.end()


def test_a_process_that_reads_nothing_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    poller = Poller()
    process = process_of("import time; time.sleep(600)", monkeypatch, poller)

    for _ in range(MAX_UNSENT // 1_000_000 + 2):
        process.send({"do": "call"}, b"x" * 1_000_000)

    assert not process.read()
    process.end()
