"""The plugin for pytest, in a package with a game of its own."""

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path
from threading import Event

import pytest

import arena.pytest_plugin
from arena.pytest_plugin import announced
from arena.testing import RULES

ROOT = Path(__file__).parents[2]
OLD = """
import pytest

del pytest.TerminalReporter
import arena.pytest_plugin
"""
BROKEN = """
from dataclasses import dataclass

from referee.games.damspel import Damspel


@dataclass(frozen=True, kw_only=True)
class Broken(Damspel):
    def turn(self, state):
        return 2
"""
RAISING = """
from referee.games import damspel


def legal(self, state):
    raise KeyError("no such move")


damspel.Damspel.legal = legal
"""
TEST = """
from arena.testing import check_game
from broken import Broken


def test_rules():
    check_game(Broken)
"""
LIGHT = """
import sys


def test_one():
    assert not {"arena.testing", "referee"} & set(sys.modules)
"""


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    plain = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env={**plain, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_pytest_finds_the_plugin() -> None:
    (entry,) = [each for each in entry_points(group="pytest11") if each.name == "arena"]

    assert entry.load() is arena.pytest_plugin


def test_an_option_checks_a_game_rule_by_rule(tmp_path: Path) -> None:
    code, printed = run(tmp_path, "--arena-game", "damspel")

    assert (code, f"{len(RULES)} passed" in printed) == (0, True), printed
    assert "What the seats of damspel with 2 seats learn in 2 random games:" in printed
    assert "No seats move at once: each learns of a move before the next one is made." in printed
    code, printed = run(tmp_path, "--arena-game", "damspeel")
    assert code == 4
    assert 'ERROR: --arena-game: unknown game "damspeel"; did you mean "damspel"?' in printed


def test_a_broken_rule_of_a_game_is_what_pytest_prints(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "test_broken.py").write_text(TEST)

    code, printed = run(tmp_path)

    assert code == 1
    assert "damspel breaks a rule: `turn` is a seat" in printed
    assert "`turn` is 2, with 2 seats" in printed
    assert "state: " in printed
    assert "arena/testing/check.py" not in printed


def test_an_error_in_the_rules_is_printed_without_the_frames_of_arena(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(RAISING)

    code, printed = run(tmp_path, "--arena-game", "damspel", "-k", "notation_is_unique")

    assert code == 1
    assert "raises KeyError: 'no such move' (conftest.py, line 6)" in printed
    assert 'conftest.py", line 6, in legal\n    raise KeyError("no such move")\n' in printed
    assert "arena/testing/" not in printed
    assert len(printed.splitlines()) < 30


def test_without_the_option_nothing_of_arena_is_imported(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(LIGHT)

    code, printed = run(tmp_path)

    assert code == 0, printed


def test_a_slow_rule_is_announced_while_it_runs(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    lines, told = list[str](), Event()

    class Writer:
        def line(self, text: str) -> None:
            lines.append(text)
            told.set()

    monkeypatch.setattr("arena.pytest_plugin.QUIET_S", 0.01)
    monkeypatch.setattr(request.config, "get_terminal_writer", Writer)

    with announced("arena[slow]::a_rule", request.config):
        told.wait()

    assert lines[0] == "\narena[slow]::a_rule: still checked after 0.01 s"


def test_an_older_pytest_can_load_the_plugin() -> None:
    # every session of pytest does so where Arena is installed; 8.3 has no TerminalReporter
    subprocess.run([sys.executable, "-c", OLD], cwd=ROOT, check=True)
