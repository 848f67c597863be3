"""What a user reads while a cluster is slow to answer."""

import threading

import pytest
from waiting import PATIENCE_S

from arena.cluster import connecting
from arena.cluster.connecting import told_if_slow


def test_a_slow_start_says_what_it_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    said = threading.Event()
    monkeypatch.setattr(connecting, "SOON_S", 0.01)

    with told_if_slow(lambda _: said.set(), "waiting"):
        assert said.wait(PATIENCE_S)


def test_a_quick_start_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(connecting, "SOON_S", 600)
    before = threading.active_count()

    with told_if_slow(said.append, "waiting"):
        pass

    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(PATIENCE_S)
    assert threading.active_count() <= before
    assert said == []
