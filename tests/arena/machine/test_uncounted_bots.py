"""A machine without control groups: what `isolation: require` and a gate refuse."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena import cli
from arena.config.event import Config
from arena.config.loading import make_config
from arena.errors import UncountedError
from arena.machine import tier_choice
from arena.machine.tier_choice import isolated
from referee.job import Player
from referee.sandbox import TierFinding

ALL = ("CPU time", "memory", "processes")
PLAYERS = {
    name: Player(name=name, argv=("./bot",), folder="/", content=name) for name in ("ann", "bob")
}


@pytest.fixture
def uncounted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what no control group counts, to be changed; every tier is allowed."""
    missing = list(ALL)

    def found(**_: object) -> TierFinding:
        return TierFinding(tier="namespaces", refusals={}, uncounted=tuple(missing))

    monkeypatch.setattr(tier_choice, "find_tier", found)
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


def test_the_command_asks_for_a_scope_before_it_refuses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []
    monkeypatch.setattr("referee.sandbox.enter_scope", lambda: asked.append("scope"))

    def refuse() -> None:
        raise UncountedError("no control group")

    monkeypatch.setattr(cli, "_run_application", refuse)
    with pytest.raises(SystemExit) as ended:
        cli.main()

    assert asked == ["scope"]
    assert ended.value.code == 2
    assert "no control group" in capsys.readouterr().err
