"""Slots with pipes instead of referees."""

import subprocess
from collections.abc import Iterator

import pytest
from referees import REFEREES, Referee

from arena.event.slots import local_slots
from arena.event.slots.local_slots import LocalSlots


@pytest.fixture
def referees(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Referee]]:
    REFEREES.clear()
    monkeypatch.setattr(subprocess, "Popen", Referee)
    monkeypatch.setattr(local_slots, "sweep", lambda spare: spare)
    monkeypatch.setattr(local_slots, "remove_leftovers", lambda: None)
    yield REFEREES
    for referee in REFEREES:
        for pipe in (referee.stdin, referee.stdout, referee.heard, referee.said):
            pipe.close()


@pytest.fixture
def one(referees: list[Referee]) -> Iterator[LocalSlots]:
    assert referees == []
    opened = LocalSlots([(0,)])
    yield opened
    opened.close()
