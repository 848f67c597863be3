"""Events on workers, before anything is played."""

from pathlib import Path

import pytest

from arena import errors
from arena.bots.prepare import content_of
from arena.commands.run_event import Run, run_event
from arena.commands.run_gate import run_gate
from arena.config.event import Config
from arena.config.loading import load_config
from arena.errors import ConfigError, UsageError
from arena.event.players import prepare_players

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


def test_a_bot_without_its_toolchain_here_is_left_to_the_workers(config: Config) -> None:
    players, unavailable = prepare_players(config, skip_missing=False, is_elsewhere=True)

    assert (list(players), unavailable) == (["ann", "bob"], [])
    assert players["bob"].content == content_of(config.bots[1].manifest)
    with pytest.raises(ConfigError, match="no-such-language"):
        prepare_players(config, skip_missing=False)
