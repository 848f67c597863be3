"""Gates for tests: `arena gate` on slots without processes, in a separate folder."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from events import FakeSlots, crashed, job_of, won_by

from arena.commands import run_gate as gate_run
from arena.commands.run_event import Run
from arena.commands.run_gate import gate_command
from arena.event.play import playing
from arena.gate.request import GateRequest
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.records.record import Record

Script = Callable[[Job], MatchEnd]
Gate = Callable[..., int]
DB = Path("arena.db")
SMALL = ("rows=6", "cols=6", "men_rows=2")
"""Options of damspel; its openings are drawn fast."""


CONFIG = """
name: old-against-new
game: {name: damspel, rows: 6, cols: 6, men_rows: 2}
bots: [./new, ./base]
format: gate
gate: {cap: 60}
seed: 1
"""


@cache
def record(names: tuple[str, ...], winner: int) -> Record:
    """Return the record of a match that is like many others but for its key."""
    return won_by(job_of(*names), winner)


def wins(name: str) -> Script:
    """Return matches won by this bot."""

    def play(job: Job) -> MatchEnd:
        made = record(job.names(), job.names().index(name))
        return MatchEnd(job, replace(made, job=job).finished())

    return play


def by_board(points: str) -> Script:
    """Return matches with these points of new, out of two, on each board."""

    def play(job: Job) -> MatchEnd:
        board = int(job.key.split("/")[1].removeprefix("b"))
        is_first = job.names()[0] == "new"
        taken = int(points[board % len(points)])
        winner = "new" if taken == 2 or (taken == 1 and is_first) else "base"
        return wins(winner)(job)

    return play


def crashes(job: Job) -> MatchEnd:
    return MatchEnd(job, crashed(job, job.names().index("new")).finished())


GIVEN = ("game", "openings", "seed", "settings", "times")
"""Options of `arena gate` that are no keys of the section `gate`."""


def gate_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    """Return a function that runs `arena gate` in the folder, with scripted matches.

    The bots are new, base, and twin, a copy of new.
    """
    for name in ("new", "base", "twin"):
        (folder / name).mkdir()
        (folder / name / "bot.yaml").write_text("run: [./bot]\n")
        (folder / name / "bot").write_text(f"#!/bin/sh\n# {name.replace('twin', 'new')}\n")
        (folder / name / "bot").chmod(0o755)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.setattr(gate_run, "isolated", lambda config, players, db: (players, "isolated"))  # noqa: ARG005 - as it is

    def run(script: Script, *bots: str, db: Path = DB, **options: Any) -> int:
        def open_slots(plan: Any, pending: Any, spared: Any, _: Any) -> FakeSlots:
            del pending, spared
            return FakeSlots(script, len(plan.cores), [])

        monkeypatch.setattr(playing, "open_checked", open_slots)
        shard = options.pop("shard", None)
        is_new, is_dry = options.pop("is_new", False), options.pop("is_dry", False)
        every = options.pop("table_every", None)
        asked = {key: options.pop(key) for key in GIVEN if key in options}
        terms: dict[str, Any] = {"game": "damspel", "seed": 1}
        terms["options"] = () if "game" in asked else SMALL
        given = GateRequest(gate=options, **(terms | asked))
        run = Run(db=db, is_new=is_new, is_dry=is_dry, table_every=every)
        return gate_command(bots or ("./new", "./base"), None, given, shard, run)

    return run
