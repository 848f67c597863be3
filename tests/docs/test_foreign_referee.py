"""The example of docs/howto/foreign-referee.md, played as its readers would."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "foreign-referee.md"
FILE = re.compile(r"^In `([^`]+)`[^\n]*\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_example_is_played_and_says_who_has_refereed(tmp_path: Path) -> None:
    for name, text in FILE.findall(PAGE.read_text()):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    for bot in ("one", "best"):
        shutil.copy(tmp_path / "nim" / "bot.yaml", tmp_path / bot)

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "arena", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
        )

    def arena(*arguments: str) -> str:
        done = run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    table = arena("tournament", "nim.yaml", "--json", "r.json", "--summary", "s.md")
    shown = arena("show", "--match", "1")
    exported = [json.loads(line) for line in arena("export").splitlines()]

    assert re.search(r"1  best +6 ", table)
    assert "not refereed by arena:\n  Another program plays nim: ./nim" in table
    assert "not refereed by arena: the runner took" in shown
    assert "its replay:\n  seat 0 takes" in shown
    assert [record["foreign"]["note"] for record in exported] == ["not refereed by arena"] * 6
    assert len({record["foreign"]["replay"] for record in exported}) > 1
    assert arena("export", "--csv").count("(not refereed by arena)") == 12
    assert "no board here" in arena("replay", "1")
    assert "not refereed by arena" in (tmp_path / "r.json").read_text()
    assert "not refereed by arena" in (tmp_path / "s.md").read_text()

    boards = [(record["board_seed"], record["foreign"]["replay"][20:]) for record in exported]
    assert len({seed for seed, _ in boards}) == 3
    assert "only `arena tournament` plays it" in run("play", "foreign").stderr
    assert "only `arena tournament` plays it" in run("games", "foreign").stderr
    assert "0:00:30 a match: runner.time" in arena("tournament", "nim.yaml", "--dry-run")
    (tmp_path / "nim" / "main.py").write_text("print('?')\n")
    changed = run("tournament", "nim.yaml")
    assert changed.returncode == 2
    assert "game.program" in changed.stderr
