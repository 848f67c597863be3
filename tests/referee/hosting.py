"""Matches between small real programs on a host of this very process."""

import shutil
import sys
import textwrap
from pathlib import Path
from typing import Any

from protocol.vocabulary import Termination
from referee.job import Job, Player, TimeControl
from referee.records.record import Record

KIT = Path(__file__).parents[2] / "bots" / "sdk" / "python" / "arena_bot.py"
MINUTE_NS = 60 * 10**9
PATIENT = TimeControl(
    start_ns=MINUTE_NS,
    init_ns=MINUTE_NS,
    per_move_ns=MINUTE_NS,
    display_ns=MINUTE_NS,
    term_ns=MINUTE_NS,
    grace_ns=MINUTE_NS,
)
"""Wide limit; only a hang exceeds it."""

BOT = """
import os, signal, sys
from arena_bot import Bot, play, run

class First(Bot):
    name = "first"
    version = "1"
    wants = ("legal",)

    def on_move(self, call):
        return play(call["legal"][0], note=str(os.getpid()))

"""
POLITE = BOT + "run(First())"
SMALL: dict[str, Any] = {"game": "damspel", "options": {"rows": 4, "cols": 4, "men_rows": 1}}


class Bots:
    """Writes bots and seats them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        shutil.copy(KIT, folder)

    def write(self, name: str, program: str) -> Player:
        (self._folder / f"{name}.py").write_text(textwrap.dedent(program))
        argv = (sys.executable, f"{name}.py")
        return Player(name=name, argv=argv, folder=str(self._folder), content=name)

    def polite(self, name: str = "polite") -> Player:
        return self.write(name, POLITE)

    def first(self, name: str, body: str) -> Player:
        """Return a bot that plays the first legal move, except for the redefinitions in `body`."""
        own = textwrap.indent(textwrap.dedent(body), "    ")
        return self.write(name, f"{BOT}class Own(First):\n{own}\n\nrun(Own())")


def job(*players: Player, **others: Any) -> Job:
    given = {"key": "k", "seed": 1, "board_seed": 1, "time": PATIENT, **SMALL, **others}
    return Job(players=players, **given)


def pids(record: Record) -> dict[int, int]:
    """Return the pids that bots noted with their moves, by seat."""
    return {
        call.seat: int(call.note)
        for call in record.calls
        if call.note is not None and call.seat is not None
    }


def termination(record: Record) -> Termination:
    return record.verdict.termination
