"""The files of a database: opening one writes to no other file and waits for no pipe."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path

import pytest
from events import new_event, new_store

from arena.errors import StoreError
from arena.results.damage import read_results
from arena.results.database import lock_path
from arena.results.store import Store


def test_a_command_that_reads_leaves_an_empty_file_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    without_tables = tmp_path / "other.db"
    with closing(sqlite3.connect(without_tables, isolation_level=None)) as other:
        other.execute("PRAGMA application_id = 7")
        other.execute("VACUUM")
    before = without_tables.read_bytes()
    assert before

    for each in (path, without_tables):
        with pytest.raises(StoreError, match="it is empty; no match was played here yet; name"):
            Store(each)

    assert path.read_bytes() == b""
    assert without_tables.read_bytes() == before
    assert sorted(tmp_path.iterdir()) == [path, without_tables]


@pytest.mark.parametrize("is_failing", [False, True])
def test_a_command_that_reads_leaves_no_files_of_its_own(
    tmp_path: Path,
    is_failing: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    with closing(new_store(tmp_path)) as store:
        new_event(store)
    before = sorted(tmp_path.iterdir())

    with pytest.raises(KeyError) if is_failing else nullcontext(), read_results(store.path) as read:
        rows = read.database.rows("SELECT name FROM event")
        next(rows)  # an open query, as an error may leave one
        if is_failing:
            raise KeyError

    assert sorted(tmp_path.iterdir()) == before


def test_a_command_that_reads_does_not_disturb_a_director(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as director:
        first = new_event(director)
        with read_results(director.path) as read:
            assert len(read.events()) == 1
        second = new_event(director)
        assert (tmp_path / "arena.db-wal").stat().st_size > 0

    with read_results(director.path) as read:
        assert [event.id for event in read.events()] == [first, second]


@pytest.mark.parametrize("target", ["missing", "empty"])
def test_no_link_makes_a_file_of_its_target(tmp_path: Path, target: str) -> None:
    real, link = tmp_path / "real", tmp_path / "arena.db"
    link.symlink_to(real)
    if target == "empty":
        real.touch()

    for is_new_allowed in (False, True):
        says = r"a link to a missing file; name that file with --db$|it is empty"
        with pytest.raises(StoreError, match=says):
            Store(link, is_new_allowed=is_new_allowed)

    assert not real.exists() or real.read_bytes() == b""
    assert not list(tmp_path.glob("*-wal"))


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_pipe_or_folder_is_no_broken_disk(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "arena.db")

    for is_new_allowed in (False, True):
        with pytest.raises(StoreError, match="is a folder or no regular file"):
            Store(tmp_path / "arena.db", is_new_allowed=is_new_allowed)


@pytest.mark.parametrize("kind", ["pipe", "link", "second name"])
@pytest.mark.parametrize("end", ["-journal", "-wal", "-shm", ".lock"])
def test_a_pipe_or_link_beside_a_database_is_not_opened(
    tmp_path: Path, end: str, kind: str
) -> None:
    store = new_store(tmp_path)
    new_event(store)
    store.close()
    companion, other = Path(f"{store.path}{end}"), tmp_path / "other"
    other.write_text("of the user")
    if kind == "pipe":
        os.mkfifo(companion)
    elif kind == "link":
        companion.symlink_to(other)
    else:
        companion.hardlink_to(other)

    for is_new_allowed in (False, True):
        with pytest.raises(StoreError, match=f"arena.db{end} is a link or no regular file"):
            Store(store.path, is_new_allowed=is_new_allowed)

    assert other.read_text() == "of the user"


def test_the_locks_of_a_database_are_those_of_its_links(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "arena.db")

    assert lock_path(link) == lock_path(tmp_path / "arena.db")
