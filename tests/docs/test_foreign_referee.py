"""The example of docs/howto/foreign-referee.md, played as its readers would."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import preloaded
import pytest
from waiting import PATIENCE_S

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "foreign-referee.md"
FILE = re.compile(r"^In `([^`]+)`[^\n]*\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the files of the page."""
    folder = tmp_path_factory.mktemp("nim")
    for name, text in FILE.findall(PAGE.read_text()):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    for bot in ("one", "best"):
        shutil.copy(folder / "nim" / "bot.yaml", folder / bot)
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    """Return a function that runs a command in the folder."""
    return lambda *arguments: preloaded.run(*arguments, cwd=folder, timeout=PATIENCE_S)


@pytest.fixture(scope="module")
def arena(run: Run) -> Callable[..., str]:
    """Return a function that runs a command without a failure and returns its stdout."""

    def output(*arguments: str) -> str:
        done = run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return output


@pytest.fixture(scope="module")
def table(arena: Callable[..., str]) -> str:
    """Play the event; return its table."""
    return arena("tournament", "nim.yaml", "--json", "r.json", "--summary", "s.md")


def test_the_example_is_played_and_says_who_has_refereed(
    table: str, arena: Callable[..., str], folder: Path
) -> None:
    shown = arena("show", "--match", "1")
    shutil.copy(folder / "arena.db", folder / "closed.db")
    arena("close", "1", "--db", "closed.db")
    exported = [json.loads(line) for line in arena("export", "--db", "closed.db").splitlines()]

    assert re.search(r"1  best +6 ", table)
    assert "not refereed by arena:\n  Another program plays nim: ./nim" in table
    assert "not refereed by arena: the runner took" in shown
    assert "its replay:\n  seat 0 takes" in shown
    assert [record["foreign"]["note"] for record in exported] == ["not refereed by arena"] * 6
    assert len({record["foreign"]["replay"] for record in exported}) > 1
    assert arena("export", "--csv").count("(not refereed by arena)") == 12
    assert "no board here" in arena("replay", "1")
    assert "not refereed by arena" in (folder / "r.json").read_text()
    assert "not refereed by arena" in (folder / "s.md").read_text()

    boards = [(record["board_seed"], record["foreign"]["replay"][20:]) for record in exported]
    assert len({seed for seed, _ in boards}) == 3


def test_a_changed_referee_is_refused_and_other_commands_do_not_play(
    table: str, arena: Callable[..., str], run: Run, folder: Path
) -> None:
    assert table
    assert "only `arena tournament` plays it" in run("play", "foreign").stderr
    assert "only `arena tournament` plays it" in run("games", "foreign").stderr
    assert "0:00:30 a match: runner.time" in arena("tournament", "nim.yaml", "--dry-run")
    (folder / "nim" / "main.py").write_text("print('?')\n")
    changed = run("tournament", "nim.yaml")
    assert changed.returncode == 2
    assert "game.program" in changed.stderr
