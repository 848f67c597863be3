"""Commands of a league on a machine whose sandbox holds less than the best."""

from pathlib import Path

import pytest

from arena.commands import league as commands
from arena.errors import IsolationError
from arena.league.folder import new_league, open_league
from arena.machine import tier_choice
from referee.sandbox import TierFinding

WEAK = TierFinding(tier="landlock", refusals={"namespaces": "bubblewrap is not installed"})
UNCOUNTED = TierFinding(tier="namespaces", refusals={}, uncounted=("memory",))
FULL = TierFinding(tier="namespaces", refusals={})


@pytest.mark.parametrize(
    ("found", "isolation"), [(WEAK, "auto"), (UNCOUNTED, "auto"), (FULL, "require")]
)
def test_a_new_league_requires_what_the_machine_holds(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    found: TierFinding,
    isolation: str,
) -> None:
    monkeypatch.setattr(tier_choice, "best_tier", lambda *_: found)

    commands.new(tmp_path / "new", game="pente")

    assert open_league(tmp_path / "new").season().isolation == isolation
    assert ("warning: " in capsys.readouterr().out) == (isolation == "auto")


@pytest.mark.parametrize("found", [WEAK, UNCOUNTED])
def test_a_league_that_requires_more_ends_at_once_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: TierFinding
) -> None:
    new_league(tmp_path / "new", "pente", "require")
    monkeypatch.setattr(tier_choice, "best_tier", lambda *_: found)
    monkeypatch.setattr(commands, "guard", lambda: None)  # its warden would be that of all tests

    with pytest.raises(IsolationError, match="isolation is required for all bots"):
        commands.start(tmp_path / "new")
