"""The files of real runs, the steps of the action, and the pages that tell of them."""

import json
import os
import re
import signal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from directing import Directing
from preloaded import run
from waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
GATE = (
    *("--game", "damspel", "-o", "rows=5", "-o", "cols=5", "-o", "men_rows=1"),
    *("--seed", "1", "--elo0", "-400", "--cap", "24"),
)
"""A short game and a low cap: the openings of all matches are drawn before the first."""
FILES = ("--junit", "j.xml", "--summary", "s.md", "--json", "r.json", "--badge", "b.json")
BOT = """
import sys
from arena_bot import Bot, play, run

class Rash(Bot):
    name = "rash"
    wants = ("legal",)

    def on_init(self, init):
        self.moves = 0

    def on_move(self, call):
        self.moves += 1
        if self.moves == 4:
            print("</pre>| \\x1b[31m::error::x", file=sys.stderr, flush=True)
            sys.exit(3)
        return play(call["legal"][0])

run(Rash())
"""
"""Well behaved in a preflight, and then not."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a bot that crashes in every match."""
    bot = tmp_path / "rash"
    bot.mkdir()
    (bot / "main.py").write_text(BOT)
    kit = ROOT / "bots" / "sdk" / "python" / "arena_bot.py"
    (bot / "bot.yaml").write_text(f'run: ["{{python}}", main.py]\nfiles: [{kit}]\n')
    return tmp_path


def environment(**more: str) -> dict[str, str]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")}
    return {**known, "PYTHONPATH": str(ROOT), **more}


def arena(folder: Path, *arguments: str, **more: str) -> tuple[int, str]:
    done = run(*arguments, cwd=folder, env=environment(**more), timeout=PATIENCE_S)
    return done.returncode, done.stderr


def results(folder: Path) -> tuple[ET.Element, str, dict[str, Any], dict[str, Any]]:
    return (
        ET.parse(folder / "j.xml").getroot(),  # noqa: S314 - it is our own
        (folder / "s.md").read_text(),
        json.loads((folder / "r.json").read_text()),
        json.loads((folder / "b.json").read_text()),
    )


def test_a_failed_gate_is_reported_in_every_file(folder: Path) -> None:
    code, _ = arena(folder, "gate", "random", "damspel-c", *GATE, *FILES)

    xml, page, found, badge = results(folder)
    assert code == found["exit_code"] == 1
    assert found["outcome"] == found["gate"]["outcome"] == "failed"
    assert found["gate"]["llr"]["value"] <= found["gate"]["llr"]["fails_at"]
    assert page.startswith("### arena gate: failed\n\ngate FAILED: random is too weak")
    assert badge["message"].startswith("failed, -")
    verdict, matches = xml
    assert [len(list(suite.iter("failure"))) for suite in (verdict, matches)] == [1, 0]
    assert len(matches) == found["matches"]["played"] >= 20
    failure = verdict.find("testcase/failure")
    assert failure is not None
    assert "LLR: -" in (failure.text or "")


def test_a_gate_that_passes_has_no_failure(folder: Path) -> None:
    code, _ = arena(folder, "gate", "damspel-c", "starter/c", *GATE, *FILES)

    xml, page, found, badge = results(folder)
    assert (code, found["outcome"], badge["color"]) == (0, "passed", "brightgreen")
    assert page.startswith("### arena gate: passed\n")
    assert list(xml.iter("failure")) == list(xml.iter("error")) == []


def test_a_gate_that_stays_undecided_fails_its_case(folder: Path) -> None:
    code, _ = arena(folder, "gate", "starter/c", "random", *GATE, "--elo0", "-5", *FILES)

    xml, _, found, badge = results(folder)
    assert (code, found["outcome"], badge["color"]) == (4, "undecided", "yellow")
    (failure,) = xml.iter("failure")
    assert failure.get("type") == "undecided"


def test_faults_of_new_fail_the_gate_and_their_matches(folder: Path) -> None:
    code, _ = arena(folder, "gate", "./rash", "starter/c", *GATE, *FILES)

    xml, page, found, _ = results(folder)
    assert (code, found["outcome"]) == (3, "faults")
    verdict, matches = xml
    assert verdict.find("testcase/failure") is not None
    (text, *_) = [failure.text or "" for failure in matches.iter("failure")]
    assert "the process had ended: exit code 3" in text
    assert "  </pre>| \\x1b[31m::error::x" in text
    assert page.count("</pre>") == page.count("<pre>") == found["fault_count"]
    assert f"arena replay {found['faults'][0]['match']}" in text


def test_the_reports_of_an_interrupted_event_have_the_finished_matches(folder: Path) -> None:
    config = "name: event\ngame: {name: pente}\nbots: [greedy, random]\nrepeat: 2000\nseed: 1\n"
    (folder / "event.yaml").write_text(config)

    with Directing(folder, *FILES) as director:
        director.wait_for("[ ")
        director.send(signal.SIGINT)
        code, _ = director.end()

    xml, page, found, badge = results(folder)
    assert code == found["exit_code"] == 130
    assert found["outcome"] == badge["message"] == "interrupted"
    played = found["matches"]["played"]
    assert played + found["matches"]["missing"] == 2000
    assert len(xml[1]) == played > 0
    assert len(list(xml.iter("error"))) == 1
    assert page.startswith("### arena tournament: interrupted\n")


def test_a_bot_that_fails_the_preflight_is_reported(folder: Path) -> None:
    (folder / "rash" / "main.py").write_text('raise SystemExit("  ::stop-commands::x")')

    more = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(folder / "step.md")}
    code, said = arena(folder, "match", "./rash", "greedy", "--game", "pente", *FILES, **more)

    xml, page, found, _ = results(folder)
    assert (code, found["outcome"]) == (3, "faults")
    assert len(list(xml.iter("failure"))) == 1
    assert (folder / "step.md").read_text() == page
    commands = re.findall(r"(?m)^\s*::([a-z-]+)", said)
    assert commands == ["error"]


def test_nothing_is_played_where_a_file_cannot_be_written(folder: Path) -> None:
    for command in (["match", "greedy", "random"], ["gate", "greedy", "random"]):
        code, said = arena(folder, *command, "--game", "pente", "--json", "none/x.json")

        assert code == 2
        assert said == "error: --json none/x.json: there is no none; mkdir -p none\n"
    assert [path.name for path in folder.iterdir()] == ["rash"]


def test_a_debugged_match_has_no_files(folder: Path) -> None:
    match = ("match", "greedy", "random", "--game", "pente", "--debug", "greedy")

    code, said = arena(folder, *match, "--badge", "x.json")

    assert code == 2
    assert said.startswith("error: --debug writes no files")
