"""One wait for many sockets."""

import os

import pytest

from arena.remote.poller import Poller


def test_a_wait_for_nothing_uses_no_cpu_time(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("arena.remote.poller.time.sleep", slept.append)
    waiting = Poller()
    waiting.wait(0.25)
    reader, writer = os.pipe()
    heard: list[int] = []

    waiting.watch(reader, heard.append)
    os.close(writer)
    waiting.wait(60)
    waiting.forget(reader)
    waiting.wait(0.5)
    os.close(reader)

    assert slept == [0.25, 0.5]
    assert len(heard) == 1
