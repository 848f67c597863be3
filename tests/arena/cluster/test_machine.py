"""A worker's machine, with pipes instead of referees."""

import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from events import job_of
from fakes import RESIGN, FakeBot, played
from referees import REFEREES, Referee

from arena.cluster import machine as subject
from arena.cluster.machine import Machine
from arena.cluster.orders import Answer, Cast, Order, dump, load
from arena.event import slots
from referee.pipe import Ended, Ends

JOB = job_of("ann", "bob")
MATCH = played(JOB, [FakeBot(), FakeBot(RESIGN)]).record.finished()
ORDER = dump(Order(job=JOB, casts=(None, None), event="cup"))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    REFEREES.clear()
    monkeypatch.setattr(subprocess, "Popen", Referee)
    for module in (slots, subject):
        monkeypatch.setattr(module, "sweep", lambda spare: spare)
        monkeypatch.setattr(module, "remove_leftovers", lambda: None)
    opened = Machine([()], tmp_path, 1.0)
    yield opened
    opened.close()
    for referee in REFEREES:
        for pipe in (referee.stdin, referee.stdout, referee.heard, referee.said):
            pipe.close()
    REFEREES.clear()


def ends(data: bytes) -> Ended:
    (end,) = Ends().feed(data)
    return end


def test_a_match_is_played_by_a_referee_that_stays(machine: Machine) -> None:
    for number in (1, 2):
        REFEREES[0].says(Ended(key=JOB.key, match=MATCH))
        assert ends(machine.play(f"task {number}", ORDER)).match == MATCH

    machine.end_idle(0)
    assert len(REFEREES) == 1


def test_a_dead_referee_makes_its_match_void_and_is_replaced(machine: Machine) -> None:
    REFEREES[0].dies(-9)

    assert ends(machine.play("task", ORDER)).void == "the referee ended: signal SIGKILL"

    REFEREES[1].says(Ended(key=JOB.key, match=MATCH))
    assert ends(machine.play("again", ORDER)).match == MATCH


def test_a_released_task_does_not_play(machine: Machine) -> None:
    machine.stop("task")

    assert ends(machine.play("task", ORDER)).is_returned


def test_a_hung_referee_is_ended_at_the_limit_of_the_match(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "longest_s", lambda _: 0.0)

    assert "within its limit of 0 s" in (ends(machine.play("task", ORDER)).void or "")
    assert len(REFEREES) == 2


def test_bots_kept_for_a_next_match_end_when_none_comes(machine: Machine) -> None:
    REFEREES[0].says(Ended(key=JOB.key, match=MATCH))
    machine.play(
        "task", dump(Order(job=replace(JOB, restart="never"), casts=(None,) * 2, event=""))
    )

    machine.end_idle(3600)
    assert len(REFEREES) == 1
    machine.end_idle(0)
    assert len(REFEREES) == 2


def test_a_worker_says_which_bundles_it_lacks(machine: Machine) -> None:
    cast = Cast(bundle="b" * 64, content="c" * 64)

    said = machine.play("task", dump(Order(job=JOB, casts=(cast, None), event="cup")))

    assert load(Answer, said.removeprefix(b"!")) == Answer(missing=(cast.bundle,))
