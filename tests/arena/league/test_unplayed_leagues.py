"""A league before its first match: without a database of matches, or with one without tables.

A power cut while the tables are made leaves the second.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from leagues import bearer, cast, client_of

from arena.errors import UsageError
from arena.league.directing.voiding import machines_of
from arena.league.folder import League
from arena.league.seasons.alike import alike_in
from arena.league.seasons.grades import grading_of
from arena.league.upkeep.backups import back_up, export_season, restore
from arena.league.upkeep.verifying import verified

PAGES = (
    *("/", "/seasons", "/finals", "/live", "/projector", "/me", "/bots/deep-blue"),
    *("/bots/deep-blue/challenges", "/staff/season", "/staff/grades", "/staff/grades.csv"),
    *("/staff/machines", "/staff/alike", "/api/table", "/api/bots/deep-blue/matches"),
)


def without_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")


KINDS: dict[str, Callable[[Path], object]] = {
    "absent": lambda _: None,
    "empty": Path.touch,
    "without tables": without_tables,
}


@pytest.fixture(params=KINDS)
def unplayed(request: pytest.FixtureRequest, league: League) -> League:
    KINDS[request.param](league.arena_db)
    return league


def test_all_that_reads_matches_finds_none(unplayed: League, tmp_path: Path) -> None:
    found = list(verified(unplayed, Random(1)))
    assert [each.text for each in found if each.is_fault] == []
    assert found[-1].text == "no match was played yet"
    with grading_of(unplayed) as grading:
        assert list(grading.grades()) == []
    assert alike_in(unplayed) == []
    assert machines_of(unplayed) == []
    with pytest.raises(UsageError, match="no match was played yet"):
        export_season(unplayed, tmp_path / "season.db")


def test_pages_of_matches_open(unplayed: League) -> None:
    del unplayed
    staff = cast().staff
    client = client_of(staff)
    for path in PAGES:
        assert client.get(path, headers=bearer(staff)).status_code == 200, path


def test_its_backup_is_restored(unplayed: League, tmp_path: Path) -> None:
    back_up(unplayed, tmp_path / "backup.tar")
    restored = restore(tmp_path / "backup.tar", tmp_path / "restored")
    with restored.matches() as store:
        assert store is None
