"""Tiers are classes in one table: a new one needs no change anywhere else."""

import sys
from pathlib import Path
from typing import ClassVar

import pytest
from programs import Running, line_of

from referee.sandbox.isolation import Access, Isolation
from referee.sandbox.limits import Limits
from referee.sandbox.probe import best_tier
from referee.sandbox.process import environment
from referee.sandbox.program import Program
from referee.sandbox.steps import Step
from referee.sandbox.tiers import TIERS, process_limit


class Polite(Isolation):
    """A fifth tier: limits, and files that only their owner can read."""

    name: ClassVar = "polite"
    title: ClassVar = "limits and private files"
    extra_processes: ClassVar = 3

    def _restrictions(self) -> list[Step]:
        return [("umask", 0o077)]


@pytest.fixture
def tier(monkeypatch: pytest.MonkeyPatch) -> str:
    """Add a fifth tier to the table, before the last one."""
    assert isinstance(TIERS, dict)
    last = TIERS["none"]
    monkeypatch.delitem(TIERS, "none")
    monkeypatch.setitem(TIERS, Polite.name, Polite)
    monkeypatch.setitem(TIERS, "none", last)
    return Polite.name


@pytest.mark.usefixtures("subreaper")
def test_a_tier_added_to_the_table_is_usable(tier: str, tmp_path: Path) -> None:
    argv = (sys.executable, "-I", "-S", "-c", "import os; print(os.umask(0))")
    bot = Program(name="bot", argv=argv, folder=str(tmp_path), tier=tier)
    access = Access(directory=tmp_path)

    process = Running(bot, Limits(), environment(bot, access), None, access)
    try:
        assert line_of(process) == str(0o077)
    finally:
        process.stop()

    assert process.in_force["tier"] == tier
    assert process_limit(bot, Limits(processes=1)) == 1 + Polite.extra_processes


@pytest.mark.usefixtures("subreaper")
def test_a_tier_added_to_the_table_is_probed(tier: str, monkeypatch: pytest.MonkeyPatch) -> None:
    better = [name for name in TIERS if name not in (tier, "none")]
    for name in better:
        monkeypatch.setattr(TIERS[name], "missing", staticmethod(lambda: "not here"))

    assert best_tier() == (tier, dict.fromkeys(better, "not here"))
