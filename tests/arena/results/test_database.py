"""The database file: created, refused, locked, damaged."""

import os
import sqlite3
import struct
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from events import job_of, keep, new_event, new_store, won_by

from arena.errors import LockedError, StoreError
from arena.event.play.locks import lock_file
from arena.results import database
from arena.results.database import JOURNAL_MARK, lock_path
from arena.results.database_format import APPLICATION_ID, NUMBER
from arena.results.store import Store
from protocol.codec import packed
from referee.records import record

ENDS = ("", "-shm", "-wal", ".lock")
EMPTY = {"format": 2, "players": [], "calls": {}, "seats": [], "verdict": {}}


def objection(path: Path) -> str:
    with pytest.raises(StoreError) as caught:
        Store(path, is_new_allowed=True)
    return str(caught.value).removeprefix(f"{path}: ")


def test_a_new_file_has_our_application_id_and_syncs_its_writes(
    store: Store, other: sqlite3.Connection
) -> None:
    def pragma(name: str) -> Any:
        return other.execute(f"PRAGMA {name}").fetchone()[0]

    assert (pragma("application_id"), pragma("user_version")) == (APPLICATION_ID, NUMBER)
    assert pragma("journal_mode") == "wal"
    assert store.database.row("PRAGMA synchronous") == (2,)  # FULL
    assert store.database.row("PRAGMA foreign_keys") == (1,)


def test_other_users_can_neither_read_nor_lock_a_database(tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        store = new_store(tmp_path)
        new_event(store)
        with lock_file(store):
            modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    finally:
        os.umask(mask)

    assert modes == dict.fromkeys((store.path.name + end for end in ENDS), 0o600)
    store.close()


def test_a_database_that_cannot_be_written_to_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_one = new_store(tmp_path)
    new_event(with_one)
    with_one.close()
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(os, "access", lambda *_given: False)

    store = Store(with_one.path)

    assert len(list(store.events())) == 1
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(StoreError, match="it is read-only"):
        new_event(store)
    store.close()


def test_a_new_database_without_events_is_removed_with_its_lock(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    lock_path(store.path).touch()
    store.close()

    assert list(tmp_path.iterdir()) == []


def test_a_database_with_events_stays(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    new_event(store)
    store.close()

    assert store.path.exists()


def test_an_empty_database_of_another_run_or_in_use_stays(tmp_path: Path) -> None:
    first, second = new_store(tmp_path), new_store(tmp_path)
    first.close()
    new_event(second)
    second.close()
    assert len(Store(first.path).events()) == 1

    third = Store(first.path, is_new_allowed=True)
    third.remove_untouched(1)
    third.close()
    assert first.path.exists()


def test_a_database_removed_while_it_is_opened_is_opened_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "arena.db"
    removed: list[Path] = []
    open_tables = database.Database.create_tables

    def create_tables(self: database.Database) -> None:
        open_tables(self)
        if not removed:
            removed.append(path)
            for each in tmp_path.iterdir():
                each.unlink()

    monkeypatch.setattr(database.Database, "create_tables", create_tables)
    store = Store(path, is_new_allowed=True)
    new_event(store)
    store.close()

    assert len(Store(path).events()) == 1


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_a_number_that_sqlite_cannot_have_is_refused_in_words(store: Store, number: int) -> None:
    for found in (store.event, store.match, store.record):
        with pytest.raises(StoreError, match="nothing here has so large a number"):
            found(number)


def test_a_path_that_is_too_long_for_sqlite_is_refused_in_words(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["x" * 200] * 3)
    folder.mkdir(parents=True)

    assert "SQLite allows 500" in objection(folder / "arena.db")


def test_an_absent_file_is_made_only_where_that_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "absent.db"

    with pytest.raises(StoreError, match="no match was played here yet"):
        Store(path)

    assert not path.exists()
    store = Store(path, is_new_allowed=True)
    Store(path).close()
    store.close()


def test_an_empty_file_is_filled(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()

    store = Store(path, is_new_allowed=True)

    assert new_event(store) == 1
    store.close()


def test_a_file_opened_by_two_programs_is_created_once(tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    first = sqlite3.connect(path, isolation_level=None)
    first.execute("PRAGMA journal_mode = WAL")
    second = new_store(tmp_path)

    second.database.create_tables()

    assert new_event(second) == 1
    second.close()
    first.close()


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE recipe (name TEXT)")
    other.close()
    before = path.read_bytes()

    assert objection(path) == "a database of another program; name another with --db"
    assert path.read_bytes() == before


@pytest.mark.parametrize(("version", "when"), [(NUMBER - 1, "an earlier"), (NUMBER + 1, "a later")])
def test_another_format_is_refused(tmp_path: Path, version: int, when: str) -> None:
    path = tmp_path / "arena.db"
    path.touch()
    Store(path, is_new_allowed=True).close()
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA user_version = {version}")
    other.close()

    assert objection(path) == (
        f"written by {when} version of arena (format {version}, this one reads {NUMBER})"
        " and unchanged; read it with that version, or name another with --db"
    )


def test_a_file_that_is_not_a_database_is_refused_and_left_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("far more than a hundred bytes of notes about bots\n" * 50)
    before = path.read_bytes()

    assert objection(path) == "this is not a database; name another with --db"
    assert path.read_bytes() == before


def test_a_damaged_database_is_reported_when_opened_or_read(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    event = new_event(store)
    for repeat in range(20):
        keep(store, event, won_by(job_of("ann", "bob", key=f"ann,bob/{repeat}"), 0))
    store.close()
    path = tmp_path / "arena.db"
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))

    with pytest.raises(StoreError, match="it is damaged; keep a copy"):
        list(Store(path).matches(event))


@pytest.mark.parametrize(
    "damaged",
    [
        "nonsense",
        b"nonsense",
        zlib.compress(b"\x80")[:-1],
        zlib.compress(b"\x80") + b"more",
        *map(
            zlib.compress,
            (b"", b"\xc1", *map(packed, ("", [], {}, {"format": 1}, {**EMPTY, "players": 1}))),
        ),
    ],
)
def test_a_damaged_record_is_named(
    store: Store, other: sqlite3.Connection, damaged: str | bytes
) -> None:
    match = keep(store, new_event(store), won_by(job_of("ann", "bob"), 0))
    other.execute("UPDATE record SET body = ?", (damaged,))

    with pytest.raises(StoreError, match=f"match {match.id} is damaged"):
        store.record(match.id)


def test_a_record_that_would_fill_the_memory_is_not_unpacked(
    store: Store, other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = keep(store, new_event(store), won_by(job_of("ann", "bob"), 0))
    monkeypatch.setattr(record, "RECORD_BYTES", 1 << 20)
    other.execute("UPDATE record SET body = ?", (zlib.compress(bytes(2 << 20)),))

    with pytest.raises(StoreError, match=f"match {match.id} is damaged: .* above 1 MB"):
        store.record(match.id)


ENDLESS_VIEW = """
    DROP TABLE worker;
    CREATE VIEW worker AS
        WITH RECURSIVE n(match) AS (SELECT 1 UNION ALL SELECT match + 1 FROM n)
        SELECT match, 'w', 1.0 FROM n
"""


@pytest.mark.parametrize("is_link", [False, True])
def test_a_journal_removes_no_other_file(tmp_path: Path, is_link: bool) -> None:  # noqa: FBT001 - a case
    with_one = new_store(tmp_path)
    new_event(with_one)
    with_one.close()
    with closing(sqlite3.connect(with_one.path)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    precious = tmp_path / "precious"
    precious.write_text("mine")
    name, pages = os.fsencode(precious), with_one.path.stat().st_size // 4096
    head = JOURNAL_MARK + struct.pack(">5I", 0, 0, pages, 512, 4096)
    tail = (
        struct.pack(">I", (1 << 30) // 4096 + 1) + name + struct.pack(">2I", len(name), sum(name))
    )
    journal = Path(f"{with_one.path}-journal")
    journal.write_bytes(head.ljust(512, b"\0") + tail + JOURNAL_MARK)
    path = with_one.path
    if is_link:
        path = tmp_path / "link.db"
        path.symlink_to(with_one.path)

    assert "its journal names other files" in objection(path)
    assert precious.exists()


@pytest.mark.parametrize(
    "forged",
    [
        ENDLESS_VIEW,
        "CREATE TRIGGER t AFTER INSERT ON seat BEGIN UPDATE seat SET points = 9; END",
        "DROP TABLE begun; CREATE TABLE begun (event, key, attempt)",
    ],
)
def test_forged_tables_are_refused(store: Store, other: sqlite3.Connection, forged: str) -> None:
    new_event(store)
    other.executescript(forged)
    store.close()

    assert "not those of arena, it is damaged or forged" in objection(store.path)


def test_views_of_the_user_are_left_alone(store: Store, other: sqlite3.Connection) -> None:
    new_event(store)
    other.executescript("CREATE VIEW mine AS SELECT * FROM match; ANALYZE")
    store.close()

    Store(store.path).close()


def test_a_folder_is_not_a_database(tmp_path: Path) -> None:
    assert "is a folder or no regular file" in objection(tmp_path)
    assert "it cannot be opened" in objection(tmp_path / "absent" / "arena.db")


def test_the_lock_of_another_program_is_waited_for(
    store: Store, other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = new_event(store)
    store.database.row("PRAGMA busy_timeout = 1")
    monkeypatch.setattr(database, "BUSY_S", 0.001)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(LockedError, match="another program keeps it locked"):
        keep(store, event, won_by(job_of("ann", "bob"), 0))

    other.execute("COMMIT")
    keep(store, event, won_by(job_of("ann", "bob"), 0))


def test_a_file_locked_at_opening_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.001)
    with sqlite3.connect(tmp_path / "arena.db", isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert "another program keeps it locked" in objection(tmp_path / "arena.db")
    other.close()


def test_the_lock_of_another_program_is_waited_for_at_opening_and_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "BUSY_S", 0.001)
    path, waits = tmp_path / "arena.db", list[int]()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:

        def patience(before: int) -> bool:
            waits.append(before)
            if before == 2:
                other.execute("COMMIT")
            return True

        other.execute("BEGIN EXCLUSIVE")
        with closing(Store(path, is_new_allowed=True, patience=patience)) as store:
            other.execute("BEGIN IMMEDIATE")
            event = new_event(store)

        assert waits == [0, 1, 2, 0, 1, 2]
        assert other.execute("SELECT id FROM event").fetchall() == [(event,)]


def test_a_lock_is_an_error_when_the_patience_is_over(
    store: Store, other: sqlite3.Connection
) -> None:
    store.database.row("PRAGMA busy_timeout = 1")
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(LockedError), store.database.transaction(lambda waits: waits < 3):
        pytest.fail("the other program has the lock")
