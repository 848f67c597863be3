"""An event without processes, played like a command plays it, and its output."""

from pathlib import Path
from typing import Any

import pytest
from event_runs import CONFIG, ISOLATION, Play, Said
from events import FakeSlots, Script, first_wins

from arena.commands import run_event as run
from arena.commands.run_event import Run, run_event
from arena.config.event import Config
from arena.config.loading import load_config
from arena.event.play import playing


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Return a function that plays the config like the command, with scripted matches."""
    for name in ("ann", "bob"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.yaml").write_text("run: [./bot]\n")
        (tmp_path / name / "bot").write_text(f"#!/bin/sh\n# {name}\n")
        (tmp_path / name / "bot").chmod(0o755)
    (tmp_path / "missing").mkdir()
    (tmp_path / "missing" / "bot.yaml").write_text("run: [no-such-language, main]\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def played(
        script: Script = first_wins,
        config: str = CONFIG,
        loaded: Config | None = None,
        **options: Any,
    ) -> int:
        def open_slots(plan: Any, pending: Any, spared: Any, _: Any) -> FakeSlots:
            assert pending
            assert not spared
            return FakeSlots(script, len(plan.cores), [])

        monkeypatch.setattr(playing, "open_checked", open_slots)
        monkeypatch.setattr(run, "isolated", lambda config, players, db: (players, ISOLATION))  # noqa: ARG005 - as it is
        Path("cup.yaml").write_text(config)
        return run_event(
            loaded or load_config("cup.yaml"), Run(**{"db": Path("arena.db"), **options})
        )

    return played


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Return the results and the lines on stderr printed since the last call."""

    def read() -> tuple[str, list[str]]:
        out, err = capsys.readouterr()
        return out, [line for line in err.splitlines() if line != ISOLATION]

    return read
