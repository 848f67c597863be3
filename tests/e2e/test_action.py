"""The action: its steps are run as a runner runs them, and its page names what it has."""

import json
import os
import re
import shlex
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from action_runner import ROOT, Runner, action
from modules import write_modules
from preloaded import ADDRESS
from ruamel.yaml import YAML
from typer.main import get_command

from arena.commands.loading import application

app = application()

PAGE = ROOT / "docs/howto/ci.md"
NAME = "1\r2\n::forged::3%0A"
SMALL = {"new": "greedy", "base": "random", "game": "pente", "cap": "40", "elo0": "-80"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "the workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def runner(workspace: Path, tmp_path: Path) -> Runner:
    return Runner(workspace, tmp_path / "home")


@pytest.fixture
def preloaded_runner(workspace: Path, tmp_path: Path) -> Runner:
    """A runner whose command is a fork of the suite's server."""
    asking = ROOT / "tests" / "asking.py"
    arena = f'"{sys.executable}" -S -E "{asking}" "{os.environ[ADDRESS]}" arena'
    return Runner(workspace, tmp_path / "home", arena=arena)


def workflows() -> Iterator[Any]:
    for text in PAGE.read_text().split("```yaml\n")[1:]:
        yield YAML(typ="safe").load(text.split("```")[0])


def test_the_action_plays_the_gate_and_reports_its_verdict(runner: Runner) -> None:
    own = runner.workspace / "bots of mine"
    own.mkdir()
    for folder in (runner.workspace, own):
        write_modules(folder, runner.home / "imported")
    options = "--seed 5\n-o half_size=10\n\n--max-faults\n  2\n"
    files = {"summary": "my summary.md", "badge": "badge.json"}

    code, outputs = runner.run(
        {**SMALL, **files, "options": options, "working-directory": "bots of mine"}
    )

    assert (code, outputs["exit-code"], outputs["verdict"]) == (0, "0", "passed"), runner.log
    found = json.loads(Path(outputs["json"]).read_text())
    rule = found["gate"]["rule"]
    assert (rule["elo0"], rule["cap"], rule["max_faults"]) == (-80, 40, 2)
    assert (found["game"]["half_size"], found["event"]["seed"]) == (10, "5")
    assert Path(outputs["junit"]).exists()
    assert Path(outputs["db"]).exists()
    assert "gate: passed" in runner.summary.read_text()
    assert "gate: passed" in (runner.workspace / "bots of mine/my summary.md").read_text()
    assert json.loads((runner.workspace / "bots of mine/badge.json").read_text())["message"]
    assert not (runner.home / "imported").exists()


def test_the_action_installs_versions_that_are_known_and_caches_them(runner: Runner) -> None:
    runner.run({})

    call = " ".join(runner.called("pip"))
    assert call.endswith(f" --constraint {ROOT / 'constraints.txt'} {ROOT}")
    digest = runner.outputs["versions"]["hash"]
    assert re.fullmatch("[0-9a-f]{32}", digest)
    assert f"arena-pip', 'arena-Linux-X64-{digest}'" in runner.log


@pytest.mark.parametrize("works", [True, False])
def test_bubblewrap_is_installed_where_it_is_missing(tmp_path: Path, *, works: bool) -> None:
    programs = {} if works else {"sudo": "#!/bin/sh\nexit 1\n"}
    runner = Runner(
        tmp_path, tmp_path / "home", programs, path=machine_without_bubblewrap(tmp_path)
    )

    code, _ = runner.run({"new": "no-such"})

    assert code == 2  # of the gate
    installs = "apt-get install -qq -y bubblewrap" in " ".join(runner.called("calls"))
    assert installs == works
    warning = "::warning::bubblewrap cannot be installed: bots are sandboxed less"
    assert (warning in runner.log) != works


def test_bubblewrap_is_not_installed_where_nobody_wants_it(tmp_path: Path) -> None:
    runner = Runner(tmp_path, tmp_path / "home", path=machine_without_bubblewrap(tmp_path))

    runner.run({"bubblewrap": "false"})

    assert not runner.called("calls")


def machine_without_bubblewrap(folder: Path) -> str:
    """Return a folder with all programs of this machine but bwrap."""
    here = folder / "machine"
    here.mkdir()
    for home in map(Path, ("/usr/bin", "/bin")):
        for program in home.iterdir():
            if program.name != "bwrap" and not (here / program.name).is_symlink():
                (here / program.name).symlink_to(program)
    return str(here)


HOSTILE: tuple[dict[str, str], ...] = (
    {},
    {"new": "greedy", "base": "$(touch hacked)", "game": "pente; touch hacked"},
    {"config": "`touch hacked`.yaml", "options": "--no-such $(touch hacked)"},
    {"new": '"; touch hacked; "', "base": "random", "game": "pente"},
    {"new": "--help", "base": "--version", "game": "pente"},
    {"options": "--help"},
    {"options": '"; touch hacked'},
    {"options": "'; touch hacked\nmore"},
    {"merge": "$(touch hacked) *; touch hacked"},
    {"merge": "${IFS}touch${IFS}hacked"},
    {**SMALL, "summary": "$(touch hacked)/s.md"},
    {**SMALL, "badge": "`touch hacked`/b.json"},
    {**SMALL, "cap": "100 --db x", "elo1": "$(touch hacked)"},
)


@pytest.mark.parametrize("inputs", HOSTILE)
def test_the_action_fails_with_the_command_and_runs_no_input(
    preloaded_runner: Runner, inputs: dict[str, str]
) -> None:
    runner = preloaded_runner

    code, outputs = runner.run(inputs)

    assert (code, outputs["exit-code"], outputs["verdict"]) == (2, "2", "error"), runner.log
    assert list(runner.workspace.rglob("*hacked*")) == []


def test_shards_are_merged_to_one_verdict(preloaded_runner: Runner) -> None:
    runner = preloaded_runner
    shards = runner.workspace / "shards"
    for number in (1, 2):
        part = Runner(runner.workspace, runner.home.parent / f"home {number}", arena=runner.arena)
        options = f"-o half_size=10 --seed 5 --shard {number}/2"
        code, outputs = part.run({**SMALL, "cap": "20", "options": options})
        assert (code, outputs["verdict"]) == (0, "finished"), part.log
        (shards / f"shard {number}").mkdir(parents=True)
        Path(outputs["db"]).rename(shards / f"shard {number}" / "arena.db")

    code, outputs = runner.run({"merge": "shards/*/arena.db"})

    found = json.loads(Path(outputs["json"]).read_text())
    assert (found["matches"]["played"], outputs["verdict"]) == (20, found["gate"]["outcome"])
    assert code == found["exit_code"]


def test_a_gate_that_fails_is_annotated_with_its_verdict(preloaded_runner: Runner) -> None:
    runner = preloaded_runner
    weak = {**SMALL, "new": "random", "base": "greedy", "elo0": "-400", "options": "--seed 5"}

    code, outputs = runner.run(weak)

    assert (code, outputs["verdict"]) == (1, "failed"), runner.log
    verdict = json.loads(Path(outputs["json"]).read_text())["headline"]
    assert f"::error::{verdict}\n" in runner.log


def test_a_name_in_a_forged_shard_is_no_line_of_the_log(preloaded_runner: Runner) -> None:
    runner = preloaded_runner
    part = Runner(runner.workspace, runner.home.parent / "home of a part", arena=runner.arena)
    options = "-o half_size=10 --seed 5 --shard 1/1"
    code, outputs = part.run({**SMALL, "cap": "20", "elo0": "0", "elo1": "50", "options": options})
    assert (code, outputs["verdict"]) == (0, "finished"), part.log
    shard = Path(outputs["db"])
    with closing(sqlite3.connect(shard)) as db, db:
        for table in ("record", "seat", "match"):
            db.execute(f"DELETE FROM {table}")  # noqa: S608 - the names above
        db.execute("UPDATE entrant SET content = 'same', name = replace(name, 'greedy', ?)", [NAME])

    _, outputs = runner.run({"merge": shlex.quote(str(shard))})

    assert outputs["verdict"] == "failed", runner.log
    assert "::error::gate FAILED: 1\\r2\\n::forged::3%250A and random" in runner.log
    assert not [line for line in runner.log.splitlines() if line.lstrip().startswith("::forged")]


def test_the_action_has_what_github_asks_for() -> None:
    loaded = action()

    assert loaded["runs"]["using"] == "composite"
    for step in loaded["runs"]["steps"]:
        assert ("uses" in step) != ("run" in step)
        assert "run" not in step or step["shell"] == "bash"
        assert "${{" not in step.get("run", "")  # an input would be run as a part of the script
        assert re.fullmatch(r"[\w-]+/[\w-]+@v\d+", step.get("uses", "a/b@v1"))
    used = re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text())
    assert set(used) == set(loaded["inputs"])
    for name, output in loaded["outputs"].items():
        assert output["value"] == f"${{{{ steps.gate.outputs.{name} }}}}"
        assert f'"{name}=' in loaded["runs"]["steps"][-1]["run"]


def test_every_option_that_the_action_and_its_page_name_exists() -> None:
    commands = get_command(app).commands  # type: ignore[attr-defined]  # it is a group
    known = {option for each in commands.values() for p in each.params for option in p.opts}
    gate = {option for each in commands["gate"].params for option in each.opts}

    assert set(re.findall(r"(?<!\S)--[a-z0-9]+", action()["runs"]["steps"][-1]["run"])) <= gate
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", PAGE.read_text())) <= known


def test_the_workflows_on_the_page_fit_the_action() -> None:
    page = PAGE.read_text()
    inputs, outputs = set(action()["inputs"]), set(action()["outputs"])
    steps = [step for flow in workflows() for job in flow["jobs"].values() for step in job["steps"]]
    ours = [step for step in steps if "OWNER/arena" in step["uses"]]

    assert len(list(workflows())) == 2
    assert all(flow["permissions"] == {"contents": "read"} for flow in workflows())
    assert all(set(step["with"]) <= inputs for step in ours)
    assert len(ours) == 3
    checkouts = [step for step in steps if "actions/checkout" in step["uses"]]
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)
    assert set(re.findall(r"steps\.gate\.outputs\.([\w-]+)", page)) <= outputs
    assert inputs == set(re.findall(r"`([\w-]+)`", _inputs_of(page)))


def _inputs_of(page: str) -> str:
    """Return the first column of the table of inputs."""
    rows = page.partition("| input | meaning |")[2].partition("\n\n")[0].splitlines()[2:]
    return "\n".join(row.split("|")[1] for row in rows)
