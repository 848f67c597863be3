"""The messages and heartbeats of one connection to the door."""

from types import SimpleNamespace

import pytest
from doors import TestDoor
from waiting import PATIENCE_S

from arena.remote import caller, wire


def test_the_heartbeats_of_days_without_a_match_are_no_endless_message(
    door: TestDoor, monkeypatch: pytest.MonkeyPatch
) -> None:
    # on a busy machine, the answer to a heartbeat takes longer than the time until the next one
    alice = door.client(door.keys["alice"], heartbeat_ivl=10, heartbeat_timeout=PATIENCE_S * 1000)
    alice.say(wire.pack({"do": "join", "version": wire.VERSION, "bot": "b", "games": None}))
    assert alice.hear()[0]["do"] == "welcome"
    line = door.process.joined["alice"].caller
    monkeypatch.setattr(caller, "MAX_UNREAD", 300)
    begun = line._message_at
    monkeypatch.setattr(caller, "time", SimpleNamespace(monotonic=lambda: begun + 86_400))

    door.until(lambda: line._unread > 600 or line._full_at is not None)

    assert line._full_at is None
