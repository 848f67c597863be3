"""Events on workers, before anything is played."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena import errors
from arena.bots.prepare import content_of
from arena.commands.run_event import Run, cluster_address, run_event
from arena.commands.run_gate import run_gate
from arena.config.event import Config
from arena.config.loading import load_config
from arena.errors import ConfigError, UsageError
from arena.event.resume.players import prepare_players

CONFIG = "name: cup\ngame: {name: pente}\nbots: [./ann, ./bob]\n"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Return a config with a bot whose toolchain nobody has."""
    for name, program in (("ann", "./bot"), ("bob", "no-such-language")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.yaml").write_text(f"run: [{program}, bot]\n")
        (tmp_path / name / "bot").write_text(f"#!/bin/sh\n# {name}\n")
        (tmp_path / name / "bot").chmod(0o755)
    (tmp_path / "cup.yaml").write_text(CONFIG)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return load_config(str(tmp_path / "cup.yaml"))


@pytest.mark.parametrize("play", [run_event, run_gate])
def test_a_cluster_without_its_packages_is_refused_before_anything_is_built(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, play: object
) -> None:
    monkeypatch.setattr(errors, "find_spec", {}.get)
    monkeypatch.setattr("arena.commands.run_gate.check_question", bool)
    assert callable(play)

    with pytest.raises(UsageError, match="pip install -e "):
        play(config, Run(db=tmp_path / "arena.db", cluster="local:1"))

    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("address", [None, "local:2"])
@pytest.mark.parametrize("is_in_config", [False, True])
def test_keys_are_for_a_cluster_of_other_machines(
    config: Config, address: str | None, *, is_in_config: bool
) -> None:
    run = Run(db=Path("arena.db"), cluster=None if is_in_config else address, keys=Path("keys"))
    config = config.model_copy(update={"cluster": address if is_in_config else None})

    with pytest.raises(UsageError, match="--keys is for a cluster at HOST:PORT"):
        cluster_address(config, run)

    elsewhere = replace(run, cluster="host:7777", is_dry=True)
    assert cluster_address(config, elsewhere) == "host:7777"
    config, run = config.model_copy(update={"cluster": "host:7777"}), replace(run, is_dry=True)
    assert cluster_address(config, replace(run, cluster=None)) == "host:7777"


def test_speeds_are_compared_between_workers_only(config: Config) -> None:
    time = config.time.model_copy(update={"scale": "speed"})
    config = config.model_copy(update={"time": time})

    with pytest.raises(UsageError, match="speed compares workers"):
        cluster_address(config, Run(db=Path("arena.db")))


def test_a_dry_run_for_workers_needs_no_toolchain_here(
    config: Config, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run(db=Path("arena.db"), is_dry=True)

    assert run_event(config, replace(run, cluster="host:7777")) == 0
    assert capsys.readouterr().out.startswith("1. ann - bob")
    with pytest.raises(ConfigError, match="no-such-language"):
        run_event(config, run)


def test_a_bot_without_its_toolchain_here_is_left_to_the_workers(config: Config) -> None:
    players, unavailable = prepare_players(config, skip_missing=False, is_elsewhere=True)

    assert (list(players), unavailable) == (["ann", "bob"], [])
    assert players["bob"].content == content_of(config.bots[1].manifest, ())
    with pytest.raises(ConfigError, match="no-such-language"):
        prepare_players(config, skip_missing=False)
