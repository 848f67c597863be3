"""The tests that `.ci/bare` leaves out cannot depend on what the machine has."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pure
import pytest

PURE = pure.TESTS / "games" / "test_pente.py"


@pytest.mark.parametrize(
    "use",
    [
        lambda: subprocess.run(["true"], check=True),
        lambda: os.posix_spawn("/bin/true", ["true"], {}),
        lambda: shutil.which("stockfish"),
        lambda: Path("/usr/bin/env").read_bytes(),
    ],
    ids=["subprocess", "posix_spawn", "which", "file"],
)
def test_a_program_or_file_of_the_machine_fails_a_pure_test(use: Callable[[], object]) -> None:
    with pure.guard.watching(PURE), pytest.raises(AssertionError, match="depends on the machine"):
        use()

    with pure.guard.watching(Path(__file__)):
        use()


def test_a_pure_test_may_import_and_keep_files_of_its_own(tmp_path: Path) -> None:
    with pure.guard.watching(PURE):
        (tmp_path / "file").write_text("text")
        assert (tmp_path / "file").read_text() == "text"
        __import__("tabnanny")
        assert Path(os.__file__).read_bytes()


def test_every_pure_folder_has_tests() -> None:
    assert all(list(Path(folder).glob("**/test_*.py")) for folder in pure.FOLDERS)
