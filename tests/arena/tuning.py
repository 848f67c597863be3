"""Tunings for tests: `arena tune` on slots without processes, with results by the settings."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from events import FakeSlots
from gating import SMALL, record

from arena.commands import run_gate as gate_run
from arena.commands import run_tune as tune_run
from arena.commands.run_event import Run
from arena.commands.run_tune import tune_command
from arena.event.play import playing
from arena.tune.request import TuneRequest
from referee.job import Job
from referee.records.match_end import MatchEnd

Strength = Callable[[Mapping[str, float]], float]
Script = Callable[[Job], MatchEnd]
Tune = Callable[..., int]
DB = Path("arena.db")
DEPTH = ("depth:1:1:9",)
ARGS = "--depth {depth}"
TERMS: dict[str, Any] = {"game": "damspel", "options": SMALL, "seed": 1}


def settings_of(job: Job) -> list[dict[str, float]]:
    """Return the settings of both seats of a match."""
    return [{name: float(text) for name, text in player.settings} for player in job.players]


def by_strength(elo: Strength) -> Script:
    """Return matches won by chance, by the Elo of the settings; the seed of a match decides."""

    def play(job: Job) -> MatchEnd:
        first, second = (elo(settings) for settings in settings_of(job))
        share = 1 / (1 + 10 ** ((second - first) / 400))
        winner = 0 if Random(job.seed).random() < share else 1
        return won(job, winner)

    return play


def won(job: Job, winner: int) -> MatchEnd:
    """Return the end of a match won by a seat, with the right players in its record."""
    made = record(job.names(), winner)
    seats = [
        replace(seat, content=player.content)
        for seat, player in zip(made.seats, job.players, strict=True)
    ]
    return MatchEnd(job, replace(made, job=job, seats=seats).finished())


def peak(at: float, loss: float) -> Strength:
    """Return an Elo that falls by `loss` times the squared distance of depth from its best."""
    return lambda settings: -loss * (settings["depth"] - at) ** 2


def add_bot(folder: Path, name: str) -> None:
    """Make a bot with this name in its folder, as `./bot` or another part of the name."""
    here = folder / name[:3]
    here.mkdir()
    (here / "bot.yaml").write_text(f"name: {name}\nrun: [./bot]\n")
    (here / "bot").write_text("#!/bin/sh\n")
    (here / "bot").chmod(0o755)


def tune_in(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str = "bot") -> Tune:
    """Return a function that runs `arena tune` of the bot in `./bot`."""
    add_bot(folder, name)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    for module in (gate_run, tune_run):
        monkeypatch.setattr(module, "isolated", lambda _config, players, _db: (players, ""))

    def run(script: Script, *, slots: int = 2, **given: Any) -> int:
        def open_slots(plan: Any, *_: Any) -> FakeSlots:
            del plan
            return FakeSlots(script, slots, [])

        monkeypatch.setattr(playing, "open_checked", open_slots)
        options = {
            name: given.pop(name) for name in ("is_new", "is_dry", "reports") if name in given
        }
        bots = ["./bot", *given.pop("others", ())]
        terms = {**TERMS, "parameters": DEPTH, "arguments": ARGS, **given}
        return tune_command(bots, TuneRequest(**terms), Run(db=DB, **options))

    return run
