"""Commands of a league on a machine whose sandbox holds less than the best."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.commands import league as commands
from arena.errors import IsolationError, StoreError
from arena.league.folder import new_league, open_league
from arena.machine import tier_choice
from arena.results.store import Store
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


def test_matches_of_a_later_arena_end_the_start_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The director would end and be started again for ever."""
    league = new_league(tmp_path / "new", "pente", "auto")
    with closing(Store(league.arena_db, is_new_allowed=True)) as store:
        store.add_event("season-1", 1, {}, {})
    with closing(sqlite3.connect(league.arena_db)) as db:
        db.execute("PRAGMA user_version = 9999")
    monkeypatch.setattr(commands, "guard", lambda: None)  # its warden would be that of all tests

    with pytest.raises(StoreError, match=r"arena\.db: written by a later version of arena"):
        commands.start(league.folder)
