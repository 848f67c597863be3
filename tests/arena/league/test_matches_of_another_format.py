"""A league whose database of matches is of another format, or cannot be used at all."""

import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from arena.commands import league as commands
from arena.errors import MovedError, StoreError, UsageError
from arena.league import folder
from arena.league.folder import League
from arena.league.upkeep import upgrading
from arena.league.upkeep.upgrading import upgrade
from arena.results import advice, database_format
from arena.results.database_format import NUMBER, SCHEMA
from arena.results.store import Store

RESULTS = Path(advice.__file__).parent
COLUMN = "ALTER TABLE event ADD COLUMN own TEXT"


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


@pytest.fixture
def played(league: League) -> League:
    """A league with a database of matches."""
    with closing(league.store(is_new_allowed=True)) as store:
        store.add_event("season-1", 1, {}, {})
    return league


@pytest.fixture
def old(played: League, monkeypatch: pytest.MonkeyPatch) -> League:
    """A league whose database of matches is of the format before that of Arena."""
    monkeypatch.setattr(database_format, "NUMBER", NUMBER + 1)
    monkeypatch.setattr(database_format, "STEPS", {NUMBER: (COLUMN,)})
    event = re.compile(r"(CREATE TABLE event \(.*?)\n\);", re.DOTALL)
    monkeypatch.setattr(database_format, "SCHEMA", event.sub(r"\1, own TEXT);", SCHEMA))
    return played


@pytest.fixture(autouse=True)
def no_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "guard", lambda: None)  # its warden would be that of all tests


def test_an_earlier_format_ends_the_start_unchanged_and_names_the_upgrade(old: League) -> None:
    with pytest.raises(StoreError) as caught:
        commands.start(old.folder)

    assert str(caught.value) == (
        f"{old.arena_db}: written by an earlier version of arena (format {NUMBER}, this one reads"
        f" {NUMBER + 1}); `arena league upgrade {old.folder}` makes a backup and brings it up to"
        " date"
    )
    assert version_of(old.arena_db) == NUMBER
    assert not list(old.folder.glob("*.format-*"))


def test_whatever_opens_the_matches_of_a_league_leaves_an_earlier_format(old: League) -> None:
    with pytest.raises(StoreError, match="arena league upgrade"), old.matches():
        pass
    with pytest.raises(StoreError, match="arena league upgrade"):
        old.store(is_new_allowed=True)

    assert version_of(old.arena_db) == NUMBER


def test_a_command_with_the_option_leaves_an_earlier_format_to_the_upgrade(
    old: League, tmp_path: Path
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(old.arena_db)
    folder = re.escape(str(old.folder.resolve()))

    for path in (old.arena_db, link):
        with pytest.raises(StoreError, match=f"`arena league upgrade {folder}` makes a backup"):
            Store(path)

    assert version_of(old.arena_db) == NUMBER
    assert not list(old.folder.glob("*.format-*"))


def test_a_copy_of_the_matches_of_a_league_is_changed_when_it_is_opened(
    old: League, tmp_path: Path
) -> None:
    copy = tmp_path / "copied" / "arena.db"
    copy.parent.mkdir()
    shutil.copy(old.arena_db, copy)

    Store(copy).close()

    assert version_of(copy) == NUMBER + 1


def test_an_upgrade_changes_an_earlier_format(old: League, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upgrading, "play_canary", lambda _: None)

    upgrade(old, lambda _: None)

    assert version_of(old.arena_db) == NUMBER + 1
    with old.matches() as store:
        assert store is not None


def test_a_league_in_postgresql_has_no_upgrade_and_keeps_a_copy(old: League) -> None:
    elsewhere = replace(old, site=old.site.model_copy(update={"database": "postgresql:///league"}))

    with elsewhere.matches():
        pass

    assert version_of(old.arena_db) == NUMBER + 1
    assert version_of(old.folder / f"arena.db.format-{NUMBER}") == NUMBER


def numbered(number: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"PRAGMA user_version = {number}")

    return change


def linked(path: Path) -> None:
    path.unlink()
    path.symlink_to("missing")


def with_other_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE broken")


UNUSABLE: dict[str, Callable[[Path], object]] = {
    "later": numbered(9999),
    "without a way": numbered(1),
    "no database": lambda path: path.write_bytes(b"nothing" * 1000),
    "a link": linked,
    "other tables": with_other_tables,
}


@pytest.mark.parametrize("change", UNUSABLE.values(), ids=UNUSABLE)
def test_a_league_is_advised_what_its_commands_can_do(
    played: League, change: Callable[[Path], object]
) -> None:
    change(played.arena_db)

    with pytest.raises(StoreError, match=r"restore a backup with `arena league restore`$") as found:
        played.store(is_new_allowed=True)
    assert "--db" not in str(found.value)
    with pytest.raises((StoreError, UsageError)) as stopped:
        commands.start(played.folder)
    assert "--db" not in str(stopped.value)


def test_matches_that_were_moved_are_put_back(played: League) -> None:
    with closing(played.store()) as store:
        played.arena_db.rename(played.folder / "away.db")
        with pytest.raises(MovedError, match=r"move it back and run the command again$"):
            store.database.check_place()


def test_only_the_advice_of_other_commands_has_their_option() -> None:
    """A message with the option in it would be printed by the commands of a league, too."""
    modules = {path.name: path.read_text() for path in RESULTS.glob("*.py")}
    assert [name for name, text in modules.items() if '--db"' in text or "--db," in text] == [
        "advice.py"
    ]
    assert "--db" not in f"{folder.ADVICE}"
    assert "--db" in advice.Advice().other


def test_other_commands_name_another_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="name another with --db"):
        Store(tmp_path / "arena.db")
