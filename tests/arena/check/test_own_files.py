"""A debugged bot runs its author's files where these are all that it needs."""

from pathlib import Path

import pytest

from arena.check.own_files import with_own_files
from referee.job import Player


@pytest.fixture
def entry(tmp_path: Path) -> Player:
    """Return a bot of one file, in its copy."""
    for folder in ("own", "copy"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "main.py").write_text("run()")
    argv = ("python", "kit.py", "main.py")
    own, copy = str(tmp_path / "own"), str(tmp_path / "copy")
    return Player(name="mine", argv=argv, folder=copy, source=own, content="")


def test_a_bot_of_its_own_files_runs_where_they_are_edited(entry: Player) -> None:
    moved, variables = with_own_files(entry)

    assert (moved.folder, moved.argv) == (entry.source, entry.argv)
    assert "PYTHONPATH" not in variables


def test_a_module_from_elsewhere_is_imported_and_started_from_the_copy(entry: Player) -> None:
    kit = Path(entry.folder, "kit.py")
    kit.write_text("")

    moved, variables = with_own_files(entry)

    assert (moved.folder, moved.argv) == (entry.source, ("python", str(kit), "main.py"))
    assert f"PYTHONPATH={entry.folder} " in variables


@pytest.mark.parametrize("is_stale", [False, True])
def test_a_built_bot_stays_in_its_copy(entry: Player, *, is_stale: bool) -> None:
    Path(entry.folder, "engine").write_bytes(b"new")
    if is_stale:
        Path(entry.source, "engine").write_bytes(b"old")

    assert with_own_files(entry) == (entry, "")


def test_a_program_without_a_folder_of_its_author_stays(tmp_path: Path) -> None:
    program = Player(name="mine", argv=("./engine",), folder=str(tmp_path), content="")

    assert with_own_files(program) == (program, "")
