"""Errors of SQLite and of the disk, in words and with what to do."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from events import job_of, keep, new_event, rekeyed, won_by

from arena.errors import DiskError, LockedError, StoreError
from arena.results.database_errors import explained
from arena.results.store import Store


def test_a_full_disk_keeps_stored_matches_and_writing_resumes_with_free_space(
    store: Store, other: sqlite3.Connection
) -> None:
    event = new_event(store)
    record = won_by(job_of("ann", "bob"), 0)
    first = keep(store, event, record)
    pages = store.database.row("PRAGMA page_count")[0]
    store.database.row(f"PRAGMA max_page_count = {pages}")
    kept = [first.id]

    def more() -> Iterator[int]:
        for repeat in range(1, 1000):
            yield keep(store, event, rekeyed(record, f"ann,bob/b0/{repeat}")).id

    with pytest.raises(DiskError, match="the disk is full; make room") as caught:
        kept.extend(more())

    assert caught.value.exit_code == 5
    assert [match.id for match in store.matches(event)] == kept
    assert other.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    store.database.row("PRAGMA max_page_count = 1000000")
    keep(store, event, rekeyed(record, f"ann,bob/b0/{len(kept)}"))
    assert len(list(store.matches(event))) == len(kept) + 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_disk_without_room_for_a_new_database_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def full(path: Path, *_: object, **_kept: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(Path, "touch", full)

    with pytest.raises(DiskError, match=r"arena\.db: the disk is full; make room") as caught:
        Store(tmp_path / "arena.db", is_new_allowed=True)

    assert caught.value.exit_code == 5


@pytest.mark.parametrize("code", ["SQLITE_CANTOPEN", "SQLITE_IOERR_SHMSIZE"])
@pytest.mark.parametrize(("blocks", "numbers"), [(0, 9), (9, 0)])
def test_a_file_that_cannot_be_created_on_a_full_disk_is_an_error_of_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, blocks: int, numbers: int, code: str
) -> None:
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorname = code
    disk = SimpleNamespace(f_bavail=blocks, f_files=9, f_favail=numbers)
    monkeypatch.setattr(os, "statvfs", lambda _: disk)

    assert str(explained(error, tmp_path / "arena.db")).endswith("the disk is full; make room")


def test_a_database_of_another_user_is_not_readable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = sqlite3.OperationalError("unable to open database file")
    error.sqlite_errorname = "SQLITE_CANTOPEN"
    monkeypatch.setattr(os, "access", lambda *_: False)  # a superuser may read all files

    assert "its folder exists" in str(explained(error, tmp_path / "arena.db"))
    (tmp_path / "arena.db").touch()
    assert "it is not readable; change its" in str(explained(error, tmp_path / "arena.db"))


@pytest.mark.parametrize(
    ("code", "kind", "says"),
    [
        ("SQLITE_FULL", DiskError, "the disk is full"),
        ("SQLITE_IOERR_WRITE", DiskError, "the disk refuses reads or writes"),
        ("SQLITE_IOERR_FSYNC", DiskError, "the disk refuses reads or writes"),
        ("SQLITE_BUSY", LockedError, "another program keeps it locked"),
        ("SQLITE_BUSY_SNAPSHOT", LockedError, "another program keeps it locked"),
        ("SQLITE_READONLY", StoreError, "it is read-only"),
        ("SQLITE_READONLY_DIRECTORY", StoreError, "its folder is read-only"),
        ("SQLITE_READONLY_DBMOVED", StoreError, "it is read-only"),
        ("SQLITE_CORRUPT_VTAB", StoreError, "it is damaged"),
        ("SQLITE_MISMATCH", StoreError, "odd (SQLITE_MISMATCH)"),
    ],
)
def test_every_error_says_what_to_do(code: str, kind: type[StoreError], says: str) -> None:
    error = sqlite3.OperationalError("odd")
    error.sqlite_errorname = code

    found = explained(error, Path("arena.db"))

    assert type(found) is kind
    assert str(found).startswith("arena.db: ")
    assert says in str(found)
