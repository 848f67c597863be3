"""The tutorial on a first game, step by step, and its game as an installed package."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from arena.testing import RULES, BrokenRuleError, check_game

ROOT = Path(__file__).parent.parent.parent
TUTORIAL = (ROOT / "docs/tutorial/first-game.md").read_text()


def block(language: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", TUTORIAL, re.DOTALL)
    return str(found[0])


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the tutorial, built and installed by pip into a separate folder."""
    source = tmp_path_factory.mktemp("package")
    (source / "arena_bachet").mkdir()
    (source / "arena_bachet/__init__.py").write_text(block("python"))
    (source / "pyproject.toml").write_text(block("toml"))
    target = tmp_path_factory.mktemp("installed")
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", str(target), str(source)],
        check=True,
        timeout=120,
    )
    return target


def run(installed: Path, *command: str, folder: Path = ROOT) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_installed_game_is_listed_and_played_by_the_starters(
    installed: Path, tmp_path: Path
) -> None:
    (tmp_path / "bachet.yaml").write_text(block("yaml").replace("repeat: 10", "repeat: 2"))

    games = run(installed, "arena", "games", folder=tmp_path)
    table = run(installed, "arena", "tournament", "bachet.yaml", folder=tmp_path)

    assert "bachet" in games
    assert "took the last stick" in run(installed, "arena", "replay", "1", folder=tmp_path)
    assert re.search(r"^\d  starter-c .* 4 .* 0$", table, re.MULTILINE), table


def test_the_package_tests_its_rules_with_what_arena_ships(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "test_rules.py").write_text(
        re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL)[1]
    )
    (command,) = re.findall(r"^pytest (--arena-game \w+)$", TUTORIAL, re.MULTILINE)
    pytest_ = ("pytest", "-q", "-p", "no:cacheprovider")

    assert "1 passed" in run(installed, *pytest_, folder=tmp_path)
    printed = run(installed, *pytest_, *command.split(), folder=tmp_path)
    assert f"{1 + len(RULES)} passed" in printed


def game_of(rules: str) -> Any:
    """Return the class of the tutorial's game with these rules."""
    module = ModuleType("bachet_of_the_page")
    sys.modules[module.__name__] = module  # dataclasses look it up
    exec(compile(rules, module.__name__, "exec"), vars(module))  # noqa: S102 - our own text
    return module.Bachet


def test_the_picture_of_the_page_follows_the_contract() -> None:
    blocks = re.findall(r"```python\n(.*?)```", TUTORIAL, re.DOTALL)
    methods = next(text for text in blocks if "def gesture" in text).partition("# as above\n")[2]
    rules = block("python").replace("\n\ndef _won_by", f"\n{methods}\n\ndef _won_by")
    game = game_of(f"from referee.rules.layout import Layout, Piece, Place\n{rules}")(heap=5)

    check_game(game)

    start = game.start(2, 1)
    assert [game.gesture(move) for move in game.legal(start)] == [(0,), (1,), (2,)]
    assert len(game.pieces(start, None)) == 5


def test_the_message_on_the_page_is_that_of_the_broken_rule() -> None:
    rules = block("python").replace("not 1 <= move.take <=", "not move.take <=")

    with pytest.raises(BrokenRuleError) as caught:
        check_game(game_of(rules))

    assert f"{caught.value}\n" == block("text")


def test_the_contract_test_finds_the_game(installed: Path) -> None:
    contract = ("tests/games/test_every_game.py", "-k", "bachet")

    printed = run(installed, "pytest", "-q", "-p", "no:cacheprovider", *contract)

    assert re.search(r"[1-9]\d* passed", printed)


def test_the_rules_of_the_tutorial_are_clean(tmp_path: Path) -> None:
    rules = tmp_path / "bachet.py"
    rules.write_text(block("python"))
    config = ("--config", str(ROOT / "pyproject.toml"))

    # INP001: in the tutorial the file is in a package
    for command in (("check", *config, "--ignore", "INP001"), ("format", "--check", *config)):
        subprocess.run([sys.executable, "-m", "ruff", *command, str(rules)], check=True)
