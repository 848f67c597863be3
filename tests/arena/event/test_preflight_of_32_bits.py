"""A 32-bit program that the sandbox ends is not searched for a fault of memory."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from events import job_of, plan_of
from fakes import FakeBot, played

from arena.errors import PreflightError
from arena.event.play.preflight import preflight, trials_of
from protocol.vocabulary import Termination
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.records.record import Fault

CRASH = Fault(
    seat=0, termination=Termination.CRASH, call="init", ply=0, detail="ended: signal SIGSEGV"
)


@pytest.mark.parametrize("argv", [("./bot",), ("./uci_bridge.compiled", '{"a": "/"}', "./bot")])
def test_a_program_of_32_bits_is_named_as_the_cause(tmp_path: Path, argv: Sequence[str]) -> None:
    (tmp_path / "bot").write_bytes(b"\x7fELF\x01\x01\x01" + bytes(50))

    assert "it is a 32-bit program" in said(tmp_path, argv, "namespaces")
    assert "-fsanitize=address" in said(tmp_path, argv, "none")


def said(folder: Path, argv: Sequence[str], tier: str) -> str:
    """Return the message about a bot that crashes in its preflight."""
    made = plan_of(("ann", "bob"))
    players = {
        name: replace(player, argv=tuple(argv), folder=str(folder), tier=tier)
        for name, player in made.players.items()
    }
    made = replace(made, players=players)
    slots: Any = _Crashing()
    with pytest.raises(PreflightError) as refusal:
        preflight(slots, trials_of(made, made.format.known({})))
    return refusal.value.failures["ann"]


class _Crashing:
    """A slot whose matches all end by CRASH."""

    def __init__(self) -> None:
        self._jobs: list[Job] = []

    def free(self) -> list[Any]:
        return [] if self._jobs else [SimpleNamespace(submit=self._jobs.append)]

    def wait(self, _: float) -> list[MatchEnd]:
        job = self._jobs.pop()
        well = played(job_of(*job.names()), [FakeBot(), FakeBot()]).record
        verdict = replace(well.verdict, termination=Termination.CRASH, faults=(CRASH,))
        return [MatchEnd(job, replace(well, verdict=verdict).finished())]
