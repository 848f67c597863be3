"""The slots of an event after its preflight: two bots that keep running stay in them."""

import contextlib
from collections.abc import Callable
from dataclasses import replace

import pytest
from events import job_of
from fakes import RESIGN, FakeBot, played
from test_preflight import JOB, WELL, FakeSlots, failed, plan, record

from arena.errors import PreflightError
from arena.event.plan import Plan
from arena.event.play.agenda import Agenda
from arena.event.play.preflight import open_checked
from referee.job import Job
from referee.records.record import Record


def test_the_slots_stay_open_for_the_event(monkeypatch: pytest.MonkeyPatch) -> None:
    made = plan("a", "b")
    slots = FakeSlots(lambda _: WELL)
    monkeypatch.setattr(
        "arena.event.plan.LocalSlots", lambda cores, **_: slots if cores == made.cores else None
    )

    assert open_checked(made, Agenda(made.format, {}, ())) is slots  # type: ignore[comparison-overlap]
    assert not slots.is_closed


def test_the_slots_are_closed_after_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    made = plan("a", "b")
    slots = FakeSlots(lambda _: failed())
    monkeypatch.setattr("arena.event.plan.LocalSlots", lambda *_, **__: slots)

    with pytest.raises(PreflightError):
        open_checked(made, Agenda(made.format, {}, ()))
    assert slots.is_closed


def opened(
    monkeypatch: pytest.MonkeyPatch, made: Plan, outcome: Callable[[Job], Record | str]
) -> list[tuple[tuple[str, ...], str]]:
    """Open the slots of an event; return the players of the matches played before, and restarts."""
    slots = FakeSlots(outcome)
    monkeypatch.setattr("arena.event.plan.LocalSlots", lambda *_, **__: slots)
    with contextlib.suppress(PreflightError):
        open_checked(made, Agenda(made.format, {}, ()))
    return [(job.names(), job.restart) for job in slots.played]


def test_two_bots_that_keep_running_are_tried_in_processes_that_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert opened(monkeypatch, plan("a", "b"), lambda _: record(2, "")) == [
        (("a", "b"), "never"),
        (("b", "a"), "never"),
    ]


@pytest.mark.parametrize(
    "broken", [failed(1), played(job_of("b", "a"), [FakeBot(RESIGN), FakeBot()]).record]
)
def test_if_a_match_of_both_shows_a_fault_each_plays_against_itself(
    monkeypatch: pytest.MonkeyPatch, broken: Record
) -> None:
    tries = opened(
        monkeypatch,
        plan("a", "b"),
        lambda job: broken if job.names() == ("b", "a") else record(2, ""),
    )

    assert tries[2:] == [(("a", "a"), "match"), (("b", "b"), "match")]


@pytest.mark.parametrize(
    "made",
    [
        plan("a", "b", "c"),
        plan("a", "b", "c", seats=3),
        plan("a", "b", contents={"a": "same", "b": "same"}),
        replace(plan("a", "b"), job=replace(JOB, restart="match")),
    ],
)
def test_other_bots_play_against_themselves_at_once(
    monkeypatch: pytest.MonkeyPatch, made: Plan
) -> None:
    tries = opened(monkeypatch, made, lambda job: record(len(job.players), ""))

    assert {len(set(names)) for names, _ in tries} == {1}
    assert {restart for _, restart in tries} == {"match"}
