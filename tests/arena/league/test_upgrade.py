"""An upgrade brings a league of an older Arena up to date, or leaves it exactly as it was."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection, connections
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ProjectState
from django.db.migrations.writer import MigrationWriter

from arena.errors import UsageError
from arena.league import settings
from arena.league.files import keep
from arena.league.folder import League
from arena.league.seasons.deadlines import open_season
from arena.league.site.models import Audit, HandIn, RatingPoint, Season
from arena.league.upkeep import upgrading
from arena.league.upkeep.backups import restore
from arena.league.upkeep.upgrading import upgrade
from arena.results.store import Store

OLD = Path(__file__).with_name("site-0003.sql")
"""A database of before seasons, with a person, a bot, a hand-in and two published ratings."""


@pytest.fixture
def old(league: League) -> League:
    """A league whose databases an older Arena has made."""
    connections.close_all()
    keep(league.files, [b"bytes"], 100)
    for path in league.folder.glob("site.db*"):
        path.unlink()
    league.site_db.touch(mode=0o600)
    with closing(sqlite3.connect(league.site_db)) as db:
        db.executescript(OLD.read_text())
        db.execute("PRAGMA journal_mode=WAL")
    with closing(Store(league.arena_db, is_new_allowed=True)) as store:
        store.add_event("season-1", 1, {}, {})
    return league


@pytest.fixture
def no_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrading, "play_canary", lambda _: None)


def content(league: League) -> list[str]:
    with closing(sqlite3.connect(league.site_db)) as db:
        return list(db.iterdump())


@pytest.mark.usefixtures("no_match")
def test_an_old_league_is_upgraded_with_all_that_it_has(old: League) -> None:
    said: list[str] = []
    steps = settings.pending()
    assert "0006_seasons" in steps

    upgrade(old, said.append)

    assert settings.pending() == []
    row = HandIn.objects.get()
    assert (row.bot.name, row.is_late, row.version.rating) == ("anna-bot", False, 1512.5)
    assert {point.season.name for point in RatingPoint.objects.all()} == {""}
    open_season("season-1")
    assert {point.season.name for point in RatingPoint.objects.all()} == {"season-1"}
    assert Season.objects.count() == 1
    assert [row.action for row in Audit.objects.order_by("pk")] == ["added a person", "upgraded"]
    with (
        closing(sqlite3.connect(old.site_db)) as db,
        pytest.raises(sqlite3.Error, match="only added"),
    ):
        db.execute("UPDATE league_ratingpoint SET rating = 3000")
    assert said[1].endswith(", ".join(steps))


@pytest.mark.usefixtures("no_match")
def test_the_backup_of_an_upgrade_is_the_old_league(old: League, tmp_path: Path) -> None:
    before = content(old)
    upgrade(old, lambda _: None)

    (backup,) = (old.folder / upgrading.FOLDER).iterdir()

    assert backup.stat().st_mode & 0o077 == 0
    assert content(restore(backup, tmp_path / "elsewhere")) == before


@pytest.mark.usefixtures("no_match")
def test_a_step_that_fails_brings_everything_back(old: League) -> None:
    """Earlier steps have been written by then."""
    with closing(sqlite3.connect(old.site_db)) as db:
        db.execute("CREATE TABLE league_season (x)")  # in the way of the new table
    before = content(old)

    with pytest.raises(UsageError, match="the league is as it was"):
        upgrade(old, lambda _: None)

    assert content(old) == before
    assert "0004_challenge" in settings.pending()


@pytest.mark.parametrize("error", [UsageError("no match"), KeyboardInterrupt(), OSError("disk")])
def test_a_canary_match_that_fails_brings_everything_back(
    old: League, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fail(_: League) -> None:
        raise error

    monkeypatch.setattr(upgrading, "play_canary", fail)
    before = content(old)

    with pytest.raises(KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else UsageError):
        upgrade(old, lambda _: None)

    assert content(old) == before
    with closing(Store(old.arena_db)) as store:
        assert store.latest_event() is not None


def test_a_running_league_is_not_upgraded(old: League) -> None:
    before = content(old)
    with old.lock("start"), pytest.raises(UsageError, match="runs already"):
        upgrade(old, lambda _: None)

    assert content(old) == before
    assert not (old.folder / upgrading.FOLDER).exists()


def test_an_old_league_is_not_started_before_its_upgrade(
    old: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "set_up", lambda _: None)

    with pytest.raises(UsageError, match="arena league upgrade"):
        settings.open_site.__wrapped__(old)


def test_a_league_of_a_later_arena_is_neither_started_nor_upgraded(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(settings, "set_up", lambda _: None)
    MigrationRecorder(connection).record_applied("league", "9999_later")

    refused = r"later Arena .*\(9999_later\): use that one, or"
    with pytest.raises(UsageError, match=refused):
        settings.open_site.__wrapped__(league)
    with pytest.raises(UsageError, match=refused):
        upgrade(league, print)

    assert not (league.folder / upgrading.FOLDER).exists()


def test_a_changed_table_of_a_league_has_a_step() -> None:
    """The failure prints the text of the step: there is no command that writes it."""
    loader = MigrationLoader(None)
    detector = MigrationAutodetector(loader.project_state(), ProjectState.from_apps(apps))
    lacking = detector.changes(graph=loader.graph, trim_to_apps={"league"})

    for step in lacking.get("league", []):
        writer = MigrationWriter(step)
        pytest.fail(f"{writer.path} is missing, with this text:\n\n{writer.as_string()}")


def test_a_canary_match_is_really_played(league: League, capfd: pytest.CaptureFixture[str]) -> None:
    season = league.folder / "season.yaml"
    season.write_text(season.read_text().replace("random_plies: 4", "random_plies: 2"))

    upgrading.play_canary(league)

    assert not list(league.folder.glob(".canary*"))
    assert capfd.readouterr() == ("", ""), "its database is gone, so its results help nobody"


def test_a_canary_match_that_cannot_be_played_says_why(league: League) -> None:
    season = league.folder / "season.yaml"
    season.write_text(season.read_text().replace("random_plies: 4", "random_plies: 2000"))

    with pytest.raises(UsageError, match=r"canary ended with exit code 2; .*:\n(.*\n)*.*openings"):
        upgrading.play_canary(league)


def test_a_canary_match_with_a_fault_is_one(league: League) -> None:
    season = league.folder / "season.yaml"
    bad = league.folder / "bad"
    bad.mkdir()
    (bad / "bot.yaml").write_text('run: ["{python}", main.py]\n')
    (bad / "main.py").write_text("raise SystemExit(3)\n")
    season.write_text(season.read_text().replace("[random,", "[./bad,"))

    with pytest.raises(UsageError, match="canary"):
        upgrading.play_canary(league)
