"""A machine without control groups: what `isolation: require` and a gate refuse, and the cure."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena import cli
from arena.config.event import Config
from arena.config.loading import make_config
from arena.errors import UncountedError
from arena.machine import scope, tier_choice
from arena.machine.cures import group_cure
from arena.machine.tier_choice import best_tier, isolated
from referee.job import Player
from referee.sandbox import probe
from referee.sandbox.cgroup import Groups
from referee.sandbox.controllers import KINDS

ALL = ("CPU time", "memory", "processes")
PLAYERS = {
    name: Player(name=name, argv=("./bot",), folder="/", content=name) for name in ("ann", "bob")
}
MANAGER = f"run/user/{os.geteuid()}/systemd"


@pytest.fixture
def uncounted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what no control group counts, to be changed; every tier is allowed."""
    missing = list(ALL)
    monkeypatch.setattr(probe, "refusal", lambda *_, **__: None)
    monkeypatch.setattr(probe, "missing_counts", lambda: tuple(missing))
    monkeypatch.setattr(tier_choice, "group_cure", lambda: "the cure")
    return missing


def config(folder: Path, bot: Mapping[str, Any] | None = None, **more: Any) -> Config:
    for name in ("ann", "bob"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "bot.yaml").write_text("run: [./bot]\n")
    bots = ({"bot": "./ann", **(bot or {})}, {"bot": "./bob"})
    values = {"name": "cup", "game": {"name": "pente"}, "bots": bots, **more}
    return make_config(values, folder=folder, origin="cup.yaml")


def test_required_isolation_needs_a_control_group(uncounted: list[str], tmp_path: Path) -> None:
    required = config(tmp_path, {"isolation": "require"})
    with pytest.raises(UncountedError, match="required for ann, and no control group") as caught:
        isolated(required, PLAYERS, tmp_path / "arena.db")
    assert caught.value.exit_code == 2
    assert str(caught.value).endswith("\ncure: the cure")

    uncounted.clear()

    assert isolated(required, PLAYERS, tmp_path / "arena.db")[1].count("\n") == 0


def test_without_a_group_one_line_says_what_does_not_hold(
    uncounted: list[str], tmp_path: Path
) -> None:
    asking = {**PLAYERS, "bob": replace(PLAYERS["bob"], processes=True)}

    _, alone = isolated(config(tmp_path), PLAYERS, tmp_path / "arena.db")
    _, told = isolated(config(tmp_path), asking, tmp_path / "arena.db")
    uncounted.remove("CPU time")
    _, counted = isolated(config(tmp_path), asking, tmp_path / "arena.db")

    counts = "no control group counts the CPU time, memory and processes of a bot"
    assert alone.splitlines()[1] == (
        f"isolation: {counts}: a bot is one process, unless its bot.yaml asks for more;"
        " cure: the cure"
    )
    assert told.splitlines()[1] == (
        f"isolation: {counts}: the CPU time of bob is approximate, and limits.memory holds for each"
        " process alone; cure: the cure"
    )
    assert counted.splitlines()[1] == (
        "isolation: no control group counts the memory and processes of a bot: limits hold for each"
        " process alone; cure: the cure"
    )


def test_a_gate_with_an_exact_clock_refuses_a_bot_of_several_processes(
    uncounted: list[str], tmp_path: Path
) -> None:
    gate = config(tmp_path, format="gate", gate={"exact_clock": True})
    asking = {**PLAYERS, "ann": replace(PLAYERS["ann"], processes=True)}

    isolated(gate, PLAYERS, tmp_path / "arena.db")
    with pytest.raises(UncountedError, match="CPU time of ann would be approximate"):
        isolated(gate, asking, tmp_path / "arena.db")
    uncounted.clear()
    isolated(gate, asking, tmp_path / "arena.db")


def test_a_gate_with_an_exact_clock_refuses_bots_without_a_sandbox(
    uncounted: list[str], tmp_path: Path
) -> None:
    uncounted.clear()
    gate = config(tmp_path, format="gate", isolation="none", gate={"exact_clock": True})

    with pytest.raises(UncountedError, match="may leave its control group"):
        isolated(gate, PLAYERS, tmp_path / "arena.db")


def test_what_a_group_counts_here_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    class Few:
        controllers = frozenset({KINDS[0]})

        def close(self) -> None:
            pass

    monkeypatch.setattr(Groups, "probe", lambda: None)
    assert probe.missing_counts() == ALL
    monkeypatch.setattr(Groups, "probe", Few)
    assert probe.missing_counts() == ("processes",)
    assert best_tier().uncounted == ("processes",)


def test_the_cure_is_the_command_of_the_service_manager(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1997)
    command = "systemd-run --user --scope -p Delegate=yes arena ..."

    assert "as root" in group_cure(tmp_path)
    (tmp_path / "run/systemd/system").mkdir(parents=True)
    assert group_cure(tmp_path) == f"sudo loginctl enable-linger 1997, and then {command}"
    (tmp_path / "run/user/1997/systemd").mkdir(parents=True)
    assert group_cure(tmp_path) == command


@pytest.mark.parametrize(("answer", "is_entered"), [('exec "$@"', True), ("exit 1", False)])
def test_a_scope_is_entered_only_if_the_service_manager_makes_one(
    tmp_path: Path, *, answer: str, is_entered: bool
) -> None:
    (tmp_path / MANAGER).mkdir(parents=True)
    program = tmp_path / "systemd-run"
    program.write_text(f'#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\n{answer}\n')
    program.chmod(0o755)

    command = scope.scope_command(program, tmp_path, {"PATH": os.defpath})

    assert (command is not None) == is_entered
    assert scope.scope_command(program, tmp_path / "no", {}) is None
    assert scope.scope_command(program, tmp_path, {"ARENA_SCOPE": "1"}) is None


def test_a_command_that_needs_a_group_runs_again_in_a_scope(tmp_path: Path) -> None:
    (tmp_path / MANAGER).mkdir(parents=True)
    program = tmp_path / "systemd-run"
    program.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift\nexec "$@"\n')
    program.chmod(0o755)
    code = f"""
import os, sys
from pathlib import Path
from arena.machine import scope
print(os.getpid(), os.environ.get("ARENA_SCOPE", "before"), *sys.argv[1:], flush=True)
scope.PROGRAM, scope.ROOT = Path({str(program)!r}), Path({str(tmp_path)!r})
scope.enter_scope()
print("continues")
"""
    ran = subprocess.run(
        [sys.executable, "-c", code, "one", "two words"],
        capture_output=True,
        text=True,
        check=True,
    )

    first, second, third = ran.stdout.splitlines()
    pid = first.split()[0]
    assert first == f"{pid} before one two words"
    assert second == f"{pid} 1 one two words"
    assert third == "continues"


def test_the_command_asks_for_a_scope_before_it_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(scope, "enter_scope", lambda: asked.append("scope"))

    def refuse() -> None:
        raise UncountedError("no control group")

    monkeypatch.setattr(cli, "_run_application", refuse)
    with pytest.raises(SystemExit) as ended:
        cli.main()

    assert asked == ["scope"]
    assert ended.value.code == 2
    assert "no control group" in capsys.readouterr().err
