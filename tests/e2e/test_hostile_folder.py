"""Commands in a folder whose files have the names of modules, as a stranger's bot may have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from modules import write_modules

ROOT = Path(__file__).parents[2]
ARENA = (sys.executable, "-P", "-m", "arena")  # like the installed command


def test_no_module_of_a_bot_is_imported_outside_its_sandbox(tmp_path: Path) -> None:
    """The build, the referee and its helpers start in this folder."""
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.yaml").write_text("name: mine\nbuild: [sh, -c, :]\nrun: [sh, -c, exit]\n")
    write_modules(folder, tmp_path / "imported")

    ended = subprocess.run(
        [*ARENA, "match", "./", "random", "--game", "damspel", "--games", "2"],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert "ended before its hello" in ended.stdout + ended.stderr
    assert not (tmp_path / "imported").exists(), (tmp_path / "imported").read_text()


def test_python_m_arena_imports_nothing_more_from_its_folder(tmp_path: Path) -> None:
    """Python itself has imported from there by then: see the threat model."""
    write_modules(tmp_path, tmp_path / "imported")
    (tmp_path / "pathlib.py").write_text((tmp_path / "glob.py").read_text())

    ended = subprocess.run(
        [sys.executable, "-m", "arena", "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert ended.returncode == 0, ended.stderr
    assert not (tmp_path / "imported").exists(), (tmp_path / "imported").read_text()


@pytest.mark.parametrize("package", ["arena", "referee"])
def test_every_python_of_ours_is_started_without_the_working_directory(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        text = path.read_text()
        assert text.count('"-m", "') == text.count('"-P", "-m", "'), path
