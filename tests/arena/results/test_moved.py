"""A database that is moved, removed or replaced while it is open."""

import os
import re
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from events import job_of, keep, new_event, new_store, rekeyed, won_by

from arena.errors import MovedError
from arena.results.store import Store

RECORD = won_by(job_of("ann", "bob"), 0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    return folder


def matches_of(path: Path) -> int:
    """Return the number of matches, as another program finds them."""
    with closing(sqlite3.connect(path)) as db:
        (found,) = db.execute("SELECT count(*) FROM match").fetchone()
        return int(found)


def error_after(store: Store, change: Callable[[], object]) -> str:
    """Keep a match before and one after a change of the file; return the error."""
    event = new_event(store)
    keep(store, event, RECORD)
    change()
    with pytest.raises(MovedError) as raised:
        keep(store, event, rekeyed(RECORD, "later"))
    assert raised.value.exit_code == 5
    return str(raised.value)


def saved_in(text: str) -> Path:
    found = re.search(r"saved in (\S+):", text)
    assert found, text
    return Path(found[1])


def test_a_moved_database_is_complete_and_its_new_name_is_reported(folder: Path) -> None:
    store, place = new_store(folder), folder.parent / "elsewhere.db"

    text = error_after(store, lambda: store.path.rename(place))

    assert text.startswith(f"{store.path}: this database was moved to {place} while it was open")
    assert "move it back, or name it with --db, and run the command again" in text
    assert matches_of(place) == 2, "before the file is closed, which a kill may prevent"
    store.close()
    assert matches_of(place) == 2
    assert not store.path.exists()


def test_a_moved_folder_is_found(folder: Path) -> None:
    store = new_store(folder)

    text = error_after(store, lambda: folder.rename(folder.parent / "new"))

    place = folder.parent / "new" / store.path.name
    assert f"moved to {place} while" in text
    assert matches_of(place) == 2
    store.close()


def test_the_results_of_a_removed_database_are_saved_once(folder: Path) -> None:
    store = new_store(folder)

    text = error_after(store, store.path.unlink)

    assert f"{store.path}: this database was removed while it was open" in text
    assert "rename it, or name it with --db, and run the command again" in text
    with pytest.raises(MovedError, match=re.escape(text)):
        new_event(store)
    saved = saved_in(text)
    assert saved.parent == folder
    assert matches_of(saved) == 2
    assert saved.stat().st_mode & 0o077 == 0
    store.close()
    assert list(folder.glob("*saved*.db")) == [saved]


def test_a_file_in_the_place_of_the_database_is_left_alone(folder: Path) -> None:
    store, other = new_store(folder), folder / "other"
    other.write_text("of the user")

    text = error_after(store, lambda: other.rename(store.path))

    assert "was replaced by another file" in text
    assert matches_of(saved_in(text)) == 2
    store.close()
    assert store.path.read_text() == "of the user"


def test_a_new_database_without_events_is_not_removed_by_name_only(folder: Path) -> None:
    store, other = new_store(folder), folder / "other"
    other.write_text("of the user")
    other.rename(store.path)

    store.close()

    assert store.path.read_text() == "of the user"


def test_results_of_a_removed_folder_are_saved_in_the_working_directory(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = new_store(folder)

    saved = saved_in(error_after(store, lambda: shutil.rmtree(folder)))

    assert saved.parent == tmp_path
    assert matches_of(saved) == 2
    store.close()


def test_results_that_cannot_be_saved_are_said_to_be_lost(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: object) -> tuple[int, str]:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("tempfile.mkstemp", full)
    store = new_store(folder)

    text = error_after(store, store.path.unlink)

    assert "removed while it was open, and its results cannot be saved" in text
    assert os.strerror(28) in text
    store.close()


def test_a_link_that_leads_elsewhere_is_noticed(folder: Path) -> None:
    link, real = folder / "link.db", new_store(folder)
    real.close()
    store = new_store(folder)
    new_event(store)
    store.close()
    link.symlink_to(store.path)
    with closing(Store(link)) as linked:

        def turn() -> None:
            link.unlink()
            link.symlink_to(folder / "nothing.db")

        text = error_after(linked, turn)

    assert f"moved to {store.path} while" in text


def test_a_path_that_cannot_be_looked_at_is_no_moved_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = new_store(folder)
    event = new_event(store)

    def forbidden(path: Path) -> None:
        raise PermissionError(path)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", forbidden)
        keep(store, event, RECORD)

    assert matches_of(store.path) == 1
    store.close()
