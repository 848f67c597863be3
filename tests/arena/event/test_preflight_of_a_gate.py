"""A gate is not played with an entry that resigns every match after an opening."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from events import job_of, plan_of
from fakes import RESIGN, FakeBot, played

from arena.bot_output import NOT_EXPRESSIBLE
from arena.errors import PreflightError
from arena.event.play.preflight import IN_VAIN, preflight, trials_of
from arena.exit_codes import ExitCode
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.records.record import Record

WELL = played(job_of("new", "new"), [FakeBot(), FakeBot()]).record


class OneSlot:
    """A slot whose matches have these records."""

    def __init__(self, outcome: Callable[[Job], Record]) -> None:
        self._outcome = outcome
        self._jobs: list[Job] = []

    def free(self) -> list[Any]:
        return [] if self._jobs else [SimpleNamespace(submit=self._jobs.append)]

    def wait(self, _: float) -> list[MatchEnd]:
        job = self._jobs.pop()
        return [MatchEnd(job, self._outcome(job).finished())]


def warnings_of(note: str, *, is_comparing: bool) -> list[str]:
    """Return the warnings of a preflight with a bot that resigns its first move with this note."""
    resigns = played(job_of("old", "old"), [FakeBot({**RESIGN, "note": note}), FakeBot()]).record

    made = replace(plan_of(("old", "new")), is_comparing=is_comparing)
    trials = trials_of(made, made.format.known({}))
    slots: Any = OneSlot(lambda job: resigns if job.names()[0] == "old" else WELL)
    return preflight(slots, trials)


def test_an_entry_that_cannot_be_told_of_an_opening_ends_a_gate() -> None:
    with pytest.raises(PreflightError) as refusal:
        warnings_of(f"{NOT_EXPRESSIBLE}: other moves", is_comparing=True)

    assert refusal.value.failures == {
        "old": "old resigns its first move, and so loses every such match:"
        f" {NOT_EXPRESSIBLE}: other moves\n  {IN_VAIN}"
    }
    assert refusal.value.exit_code == ExitCode.FAULTS
    assert not refusal.value.lasting, "in matches without openings the bot may play"


@pytest.mark.parametrize(
    ("note", "is_comparing"), [(f"{NOT_EXPRESSIBLE}: other moves", False), ("it is lost", True)]
)
def test_other_resignations_are_warned_about(note: str, *, is_comparing: bool) -> None:
    (warning,) = warnings_of(note, is_comparing=is_comparing)

    assert warning.startswith("warning: old resigns its first move")
    assert warning.endswith(note)
