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


@pytest.mark.parametrize("package", ["arena", "referee"])
def test_every_python_of_ours_is_started_without_the_working_directory(package: str) -> None:
    for path in (ROOT / package).rglob("*.py"):
        text = path.read_text()
        assert text.count('"-m", "') == text.count('"-P", "-m", "'), path
