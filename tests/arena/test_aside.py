"""Folders beside a place: none stays, whatever ends the process that has made it."""

import os
import signal
from pathlib import Path

import pytest

from arena import aside
from arena.aside import PREFIX, made_aside


def killed_in(place: Path) -> Path:
    """Return a folder that a killed process has left, with a file in it."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        with made_aside(place) as folder:
            (folder / "part").write_text("half")
            os.write(write, os.fsencode(folder))
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read) as said:
        return Path(said.read())


def test_a_folder_is_private_beside_its_place_and_removed(tmp_path: Path) -> None:
    with made_aside(tmp_path / "new") as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "inner").mkdir()
        (folder / "made").write_text("whole")
        (folder / "made").rename(tmp_path / "new")

    assert [path.name for path in tmp_path.iterdir()] == ["new"]


def test_the_next_one_removes_that_of_a_killed_process(tmp_path: Path) -> None:
    left = killed_in(tmp_path / "new")
    assert (left / "part").exists()

    with made_aside(tmp_path / "another") as folder:
        assert list(tmp_path.iterdir()) == [folder]


def test_one_that_is_used_stays(tmp_path: Path) -> None:
    with made_aside(tmp_path / "new") as folder, made_aside(tmp_path / "new") as other:
        assert {folder, other} == set(tmp_path.iterdir())


def test_a_folder_of_another_name_stays(tmp_path: Path) -> None:
    own = tmp_path / PREFIX.removeprefix(".")
    own.mkdir()

    with made_aside(tmp_path / "new"):
        pass

    assert list(tmp_path.iterdir()) == [own]


def test_where_no_file_has_locks_a_folder_is_made_and_none_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = killed_in(tmp_path / "new")

    def refused(_: Path) -> int:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(aside, "take_lock", refused)
    with made_aside(tmp_path / "new") as folder:
        assert {left, folder} == set(tmp_path.iterdir())

    assert list(tmp_path.iterdir()) == [left]
