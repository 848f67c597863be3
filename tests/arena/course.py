"""A teacher's event: a folder of bots, a config, and commands whose matches follow a script."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from events import FakeSlots, Script, first_wins, won_by

from arena.bot_output import LAST_OUTPUT
from arena.commands.run_event import Run, run_event
from arena.config.loading import load_config
from arena.errors import EventError, PreflightError
from arena.event.plan import Plan
from arena.event.play import playing
from arena.formats.event_results import table_of
from arena.formats.qualifiers import best_bots
from arena.results.queries import find_event
from arena.results.store import MatchRow, Store
from referee.job import Job
from referee.records.match_end import MatchEnd

NAMES = ("ann", "bob", "cat", "dan")


class KilledError(Exception):
    """Stands for a kill of the director."""


class Class:
    """A folder of bots and the event of a teacher."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.begun: list[str] = []
        """Keys of the matches that the last command has played."""
        self.faulty: set[str] = set()
        """Players that fail the preflight."""
        self.doubtful: set[str] = set()
        """Those of them that a busy machine may have failed."""
        self.tested: set[str] = set()
        """Players tested by the last command."""
        self._patch = monkeypatch
        for name in (*NAMES, "eve"):
            self.submit(name, "first")
        self.config()

    def submit(self, name: str, text: str) -> None:
        """Write the files of a bot."""
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        (folder / "bot.yaml").write_text("run: [./bot]\n")
        (folder / "bot").write_text(f"#!/bin/sh\n# {name} {text}\n")
        (folder / "bot").chmod(0o755)

    def config(self, *names: str, more: str = "") -> None:
        bots = ", ".join(f"./{name}" for name in names or NAMES)
        game = "" if "game:" in more else "game: {name: pente}\n"
        (self.folder / "cup.yaml").write_text(
            f"name: cup\nbots: [{bots}]\nseed: 5\nslots: 1\n{game}{more}"
        )

    def check(self, plan: Plan, names: Iterable[str], _say: object = None) -> None:
        """Fail as the preflight does."""
        names = set(names)
        assert all(name in plan.players for name in names)
        self.tested |= names
        if failures := {
            name: f"{name}: crash\n{LAST_OUTPUT}\n    a\n    KeyError: 1"
            for name in names
            if name in self.faulty
        }:
            raise PreflightError(failures, set(failures) - self.doubtful)

    def play(self, script: Script = first_wins, **options: Any) -> int:
        self.begun = []
        self.tested = set()

        def noted(job: Job) -> MatchEnd:
            self.begun.append(job.key)
            return script(job)

        def open_slots(plan: Any, agenda: Any, spared: Any, _: Any) -> FakeSlots:
            del agenda
            self.check(plan, set(plan.players) - set(spared))
            return FakeSlots(noted, len(plan.cores), [])

        self._patch.setattr(playing, "open_checked", open_slots)
        self._patch.setattr(
            "arena.event.plan.LocalSlots", lambda cores, **_: FakeSlots(noted, len(cores), [])
        )
        self._patch.setattr("arena.commands.run_event.check_bots", self.check)
        self._patch.setattr(
            "arena.commands.run_event.isolated", lambda _config, players, _db: (players, "")
        )
        skip_broken = options.pop("skip_broken", False)
        loaded = load_config(
            "cup.yaml", skip_broken=skip_broken, qualify=partial(best_bots, Path("arena.db"))
        )
        return run_event(loaded, Run(db=Path("arena.db"), **options))

    def refusal(self) -> list[str]:
        """Return the lines of the refusal; nothing is changed by it."""
        before = self.dump()
        with pytest.raises(EventError) as caught:
            self.play()
        assert self.dump() == before
        assert self.begun == []
        return [line.strip() for line in str(caught.value).splitlines()]

    def dump(self) -> list[str]:
        with closing(sqlite3.connect("arena.db")) as db:
            return [line for line in db.iterdump() if 'INSERT INTO "event"' not in line]

    def rows(self) -> dict[str, int]:
        """Return the matches of each player in the table."""
        with open_store() as store:
            table = table_of(store, find_event(store, "cup"))
        return {name: row.matches for name, row in table.rows.items()}

    def seeds(self) -> dict[str, tuple[int, int]]:
        with open_store() as store:
            jobs = [store.record(match.id).job for match in store.matches(1)]
        return {job.key: (job.seed, job.board_seed) for job in jobs}

    def earlier(self) -> list[str]:
        with open_store() as store:
            return [names(match) for match in store.earlier_matches(1)]


@contextmanager
def open_store() -> Iterator[Store]:
    with closing(Store(Path("arena.db"))) as store:
        yield store


def names(match: MatchRow) -> str:
    return " ".join(seat.player for seat in match.seats)


def alphabetical(job: Job) -> MatchEnd:
    """Let the first name win."""
    return MatchEnd(job, won_by(job, int(job.names()[0] > job.names()[1])).finished())
