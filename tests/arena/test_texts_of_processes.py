"""Texts between Arena's own processes are UTF-8, whatever the user's locale says."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAY = """
import sys
from pathlib import Path

def say(value):
    sys.stdout.buffer.write(str(value).encode())
    sys.stdout.buffer.flush()

try:
{}
except Exception as error:
    say(error)
"""
UNPACK = """
    from arena.bots.archives import unpacked
    unpacked(Path("bot.zip"), "bot")
"""
TRIAL = """
    from referee.open_spiel.trial import tried
    tried("hex", (("string_rep", "Jörg"),), 2)
"""
SERVE = """
    from arena.pages.server_process import served
    with served(Path("Jörg.db")) as line:
        say(line)
"""
BUILD = """
    from arena.bots.building import BuildTerms
    from arena.bots.manifest import find_bot
    from arena.bots.prepare import prepare
    bot = prepare(find_bot("./bot", Path()), terms=BuildTerms(isolation="none"))
    say((bot.folder / "Jörg").read_text())
"""
ASCII = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
NO_UTF8 = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as archive:
        archive.writestr("../Jörg", b"")
    (tmp_path / "bot").mkdir()
    manifest = 'build: [sh, -c, "echo built > Jörg"]\nrun: [./main.sh]\n'
    (tmp_path / "bot" / "bot.yaml").write_text(manifest, encoding="utf-8")
    main = tmp_path / "bot" / "main.sh"
    main.write_text("#!/bin/sh\n")
    main.chmod(0o755)
    return tmp_path


@pytest.mark.parametrize(
    ("program", "environment", "says"),
    [
        (UNPACK, ASCII, 'has a path to outside, "../Jörg"'),
        (UNPACK, NO_UTF8, 'has a path to outside, "../Jörg"'),
        (TRIAL, ASCII, "OpenSpiel refuses it: Invalid string_rep Jörg"),
        (SERVE, ASCII, "Jörg.db"),
        (BUILD, ASCII, "built"),
        (BUILD, NO_UTF8, "built"),
    ],
    ids=["archive", "archive-no-utf8", "trial", "pages", "build", "build-no-utf8"],
)
def test_a_text_of_another_process_is_read_in_every_locale(
    folder: Path, program: str, environment: dict[str, str], says: str
) -> None:
    (folder / "program.py").write_text(SAY.format(program), encoding="utf-8")
    own = {**os.environ, **environment, "PYTHONPATH": str(ROOT)}
    own["XDG_CACHE_HOME"] = str(folder / "cache")
    command = [sys.executable, "program.py"]
    ended = subprocess.run(command, cwd=folder, env=own, capture_output=True, check=False)

    assert says in ended.stdout.decode()
