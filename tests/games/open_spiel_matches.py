"""Plays every game of OpenSpiel with random bots and checks it against the contract: `make games`.

    python tests/games/open_spiel_matches.py [NAME ...] [--matches 3]

Each game is played with each number of seats by a referee, in a process of its own, and every
record is replayed. The exit code is 1 if a match was void, ended by a fault, or if a rule of the
contract is broken.
"""

import argparse
import contextlib
import io
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from verifying import verify

from arena.event.slots.local_slots import LocalSlots
from arena.testing import BrokenRuleError, GameWarning, check_game
from referee.catalog import open_spiel_names
from referee.job import Job, Player
from referee.options import make_game
from referee.records.match_end import MatchEnd
from referee.records.record import Record
from referee.records.result import Finished
from referee.seeds import derive_seed

ROOT = Path(__file__).parent.parent.parent
MAX_PLIES = 3000
BOT = """\
import random
from arena_bot import Bot, done, play, run

class Random(Bot):
    wants = ("legal", "view")

    def on_init(self, init):
        self.random = random.Random(init["seed"])

    def on_move(self, call):
        return play(self.random.choice(call["legal"]))

run(Random())
"""


def main() -> int:
    """Play the games that were asked for, all by default, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=open_spiel_names())
    parser.add_argument("--matches", type=int, default=3)
    asked = parser.parse_args()
    begun = time.monotonic()
    matches = plies = 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name in asked.names:
            if fault := _broken_rule(name):
                wrong.append(f"{name}: {fault}")
            found = list(_play(name, Path(folder), asked.matches))
            wrong += [f"{name}: {fault}" for fault, _ in found if fault]
            matches, plies = matches + len(found), plies + sum(number for _, number in found)
            print(
                f"{name:<34} {len(found):>3} matches {sum(n for _, n in found):>7} plies",
                flush=True,
            )
    print(*wrong, sep="\n")
    spent_s = time.monotonic() - begun
    print(f"{len(asked.names)} games, {matches} matches, {plies} plies, {spent_s:.0f} s", end="")
    print(f", {len(wrong)} faults")
    return 1 if wrong else 0


def _broken_rule(name: str) -> str:
    """Return what is wrong with a game by the contract test, in a process that may crash."""
    with ProcessPoolExecutor(1) as examiner:
        try:
            examiner.submit(_check, name).result()
        except BrokenRuleError as error:
            return str(error)
        except BrokenProcessPool:
            return "crashes the process"
    return ""


def _check(name: str) -> None:
    """Check a game without a word; one that may never end is broken, too."""
    warnings.simplefilter("error", GameWarning)
    with contextlib.redirect_stdout(io.StringIO()):
        check_game(name)


def _play(name: str, folder: Path, matches: int) -> Iterator[tuple[str, int]]:
    """Play a game with each number of seats; yield what was wrong with a match, and its plies."""
    (folder / "main.py").write_text(BOT)
    kit = ROOT / "bots/sdk/python/arena_bot.py"
    (folder / "arena_bot.py").write_text(kit.read_text())
    slots = LocalSlots([(0,)])
    try:
        for seats in make_game(name, {}).seats:
            for number in range(matches):
                slots.free()[0].submit(_job(name, folder, seats, number))
                found: Sequence[MatchEnd] = ()
                while not found:
                    found = slots.wait(1.0)
                if found[0].match is None:
                    yield f"{seats} seats, match {number}: void: {found[0].void}", 0
                    slots.close()
                    slots = LocalSlots([(0,)])
                else:
                    yield _judged(found[0].match), found[0].match.plies
    finally:
        slots.close()


def _judged(match: Finished) -> str:
    record = Record.from_bytes(match.body)
    if record.verdict.faults:
        return record.verdict.reason
    verify(record)
    return ""


def _job(name: str, folder: Path, seats: int, number: int) -> Job:
    argv = (sys.executable, "main.py")
    players = (
        Player(name=f"random-{seat}", argv=argv, folder=str(folder), content=f"{seat:064x}")
        for seat in range(seats)
    )
    return Job(
        key=f"{name}/{seats}/{number}",
        game=name,
        players=tuple(players),
        seed=derive_seed(number, "match", name, seats),
        board_seed=derive_seed(number, "board", name),
        max_plies=MAX_PLIES,
        restart="never",
    )


if __name__ == "__main__":
    sys.exit(main())
