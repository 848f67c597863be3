"""Sandbox directories in the locked directory of another one."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bots.prepare import MAX_TEMPORARY
from referee.sandbox.directory import SandboxDirectory, remove_directory


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def first(temp: Path) -> Iterator[SandboxDirectory]:
    del temp
    made = SandboxDirectory()
    yield made
    made.remove()


def test_a_directory_beside_the_first_one_is_private_and_is_removed_alone(
    first: SandboxDirectory,
) -> None:
    second = SandboxDirectory(first)
    (second.path / "note").touch()

    assert second.path.parent == first.path.parent
    assert second.path.stat().st_mode & 0o777 == 0o700
    second.remove()
    assert list(first.path.parent.iterdir()) == [first.path]


def test_the_sockets_of_all_bots_fit_into_the_longest_temporary_folder(
    first: SandboxDirectory, temp: Path
) -> None:
    for made in (first, SandboxDirectory(first)):
        place = made.path.relative_to(temp) / "s"

        assert len(str(place).replace(str(os.getpid()), "4194304")) < 107 - MAX_TEMPORARY


def test_a_directory_has_its_full_path_where_the_temporary_folder_is_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot, which starts in another one, could not find the socket of its referee."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", ".")
    made = SandboxDirectory()

    assert made.path.parents[1] == tmp_path
    made.remove()
    assert list(tmp_path.iterdir()) == []


def test_what_remains_of_others_is_removed_with_the_first_directory(temp: Path) -> None:
    first = SandboxDirectory()
    (SandboxDirectory(first).path / "note").touch()
    first.remove()

    assert list(temp.iterdir()) == []


def test_a_directory_is_made_after_a_cleaner_has_removed_the_first_one(
    first: SandboxDirectory,
) -> None:
    remove_directory(first.path.parent)
    second = SandboxDirectory(first)

    assert second.path.is_dir()
    second.remove()
    assert not second.path.parent.exists()
