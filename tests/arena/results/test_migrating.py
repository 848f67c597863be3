"""Databases of earlier formats: changed on open, with a copy; and those of each format kept."""

import os
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from events import job_of, keep, new_event, new_store, won_by

from arena.errors import LockedError, StoreError
from arena.results import database, database_format
from arena.results.database_format import NUMBER, SCHEMA
from arena.results.migrating import migrate
from arena.results.store import Store
from referee.records.replay import steps

FORMATS = Path(__file__).with_name("formats")
COLUMN = "ALTER TABLE event ADD COLUMN own TEXT"
ROWS = "UPDATE event SET own = 'from before'"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A database of this format with a match, of which the tests make an earlier one."""
    with closing(new_store(tmp_path)) as store:
        keep(store, new_event(store), won_by(job_of("one", "two"), 0))
        return store.path


@pytest.fixture
def later(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the format the one after that of the database, with another column."""
    assert version_of(old) == NUMBER
    monkeypatch.setattr(database_format, "NUMBER", NUMBER + 1)
    monkeypatch.setattr(database_format, "STEPS", {NUMBER: (COLUMN, ROWS)})
    event = re.compile(r"(CREATE TABLE event \(.*?)\n\);", re.DOTALL)
    monkeypatch.setattr(database_format, "SCHEMA", event.sub(r"\1, own TEXT);", SCHEMA))


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("PRAGMA user_version").fetchone()[0])


def assert_unchanged(path: Path) -> None:
    """Check that a database has its earlier format, and no copy beside it."""
    assert version_of(path) == NUMBER
    assert not list(path.parent.glob("*.format-*"))


@pytest.mark.usefixtures("later")
def test_an_earlier_format_is_changed_and_kept(
    old: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = old.read_bytes()

    with closing(Store(old)) as store:
        assert store.database.row("SELECT own FROM event") == ("from before",)
        assert len(list(store.matches(1))) == 1
        assert store.database.row("PRAGMA journal_mode") == ("wal",)

    kept = old.with_name(f"{old.name}.format-{NUMBER}")
    said = f"{old}: changed from format {NUMBER} to {NUMBER + 1}; {kept} is as before\n"
    assert capsys.readouterr() == ("", said)
    assert version_of(old) == NUMBER + 1
    assert version_of(kept) == NUMBER
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.read_bytes()[100:] == before[100:]  # the header counts changes
    with closing(Store(old)):
        assert not list(old.parent.glob("*-2"))  # opened again, it is not changed again


@pytest.mark.usefixtures("later")
def test_a_copy_kept_before_stays(old: Path) -> None:
    kept = old.with_name(f"{old.name}.format-{NUMBER}")
    kept.write_text("another database", "utf-8")

    Store(old).close()

    assert kept.read_text("utf-8") == "another database"
    assert version_of(old.with_name(f"{kept.name}-2")) == NUMBER


@pytest.mark.usefixtures("later")
def test_a_step_that_fails_changes_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_format, "STEPS", {NUMBER: (COLUMN, "UPDATE missing SET a = 1")})

    with pytest.raises(StoreError, match="no such table: missing"):
        Store(old)

    assert version_of(old) == NUMBER
    assert not list(old.parent.glob("*.format-*"))  # each new attempt would leave another
    with closing(sqlite3.connect(old)) as db, pytest.raises(sqlite3.OperationalError):
        db.execute("SELECT own FROM event")


def mode_of(path: Path) -> str:
    with closing(sqlite3.connect(path)) as db:
        return str(db.execute("PRAGMA journal_mode").fetchone()[0])


class KilledBefore(sqlite3.Connection):
    """A connection whose process ends without a word before it writes ahead again."""

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql == "PRAGMA journal_mode = WAL":
            os._exit(0)
        return super().execute(sql, *values)


@pytest.mark.usefixtures("later")
def test_a_kill_after_the_change_leaves_no_other_journal(old: Path) -> None:
    if (child := os.fork()) == 0:
        db = sqlite3.connect(old, isolation_level=None, factory=KilledBefore)
        migrate(db, old, [COLUMN])
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    assert (version_of(old), mode_of(old)) == (NUMBER + 1, "delete")

    Store(old).close()

    assert mode_of(old) == "wal"


def test_another_journal_stays_while_the_database_is_read(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.0)
    with closing(sqlite3.connect(old, isolation_level=None)) as reader:
        reader.execute("PRAGMA journal_mode = DELETE")
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM event").fetchone()

        with closing(Store(old)) as store:
            assert len(list(store.matches(1))) == 1

    assert mode_of(old) == "delete"
    Store(old).close()
    assert mode_of(old) == "wal"


def test_another_journal_stays_where_nobody_may_write(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(old)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    before = old.read_bytes()
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)

    Store(old).close()

    assert old.read_bytes() == before


@pytest.mark.usefixtures("later")
def test_an_open_database_is_not_changed(old: Path) -> None:
    with closing(sqlite3.connect(old)) as other:
        other.execute("SELECT count(*) FROM event").fetchone()
        with pytest.raises(LockedError, match="another program has it open"):
            Store(old)

    assert_unchanged(old)


@pytest.mark.usefixtures("later")
def test_without_room_for_the_copy_nothing_is_changed(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfileobj", full)

    with pytest.raises(StoreError, match=r"can be kept .*No space left.*name the copy with --db"):
        Store(old)

    assert_unchanged(old)


@pytest.mark.usefixtures("later")
def test_a_read_only_one_is_refused_with_a_way_to_read_it(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda _, mode: mode != os.W_OK)

    with pytest.raises(StoreError, match=r"earlier version.*read-only; copy it into a folder"):
        Store(old)

    assert_unchanged(old)


@pytest.mark.usefixtures("later")
def test_no_statement_of_a_stranger_runs_in_a_change(old: Path) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as db:
        db.execute(
            "CREATE TRIGGER strange AFTER UPDATE ON event BEGIN DELETE FROM match WHERE 1; END"
        )

    with pytest.raises(StoreError, match="and unchanged"):
        Store(old)

    with closing(sqlite3.connect(old)) as db:
        assert db.execute("SELECT count(*) FROM match").fetchone() == (1,)


def test_a_database_of_each_format_is_kept() -> None:
    numbers = sorted(int(path.stem) for path in FORMATS.glob("*.sql"))
    assert numbers[-1:] == [NUMBER], "run python tests/arena/results/make_format.py"
    assert sorted(database_format.STEPS) == numbers[:-1], "write the step into STEPS"


def test_a_changed_table_has_a_new_number() -> None:
    kept = (FORMATS / f"{NUMBER}.sql").read_text("utf-8")
    with closing(sqlite3.connect(":memory:")) as then, closing(sqlite3.connect(":memory:")) as now:
        then.executescript(kept)
        now.executescript(SCHEMA)
        before, after = (
            dict(db.execute("SELECT name, sql FROM sqlite_master")) for db in (then, now)
        )

    assert after == before, "a changed table needs a new NUMBER, see database_format.py"


@pytest.mark.parametrize("kept", sorted(FORMATS.glob("*.sql")), ids=lambda path: path.stem)
def test_a_database_of_each_format_is_read(kept: Path, tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.executescript(kept.read_text("utf-8"))

    with closing(Store(path)) as store:
        event = store.event(1)
        assert event is not None
        assert list(event.entrants) == ["greedy", "random"]
        matches = list(store.matches(1))
        assert [match.termination for match in matches] == ["normal"] * 4
        for match in matches:
            record = store.record(match.id)
            assert len(list(steps(record.job, record.calls))) > match.plies

    assert path.with_name(f"kept.db.format-{kept.stem}").exists() == (int(kept.stem) != NUMBER)
