"""Kills directors and referees at random moments; looks at what is lost, doubled, left behind.

    make torture                                         for two minutes
    python tests/e2e/torture.py --seconds 600 --seed 3   for as long as wanted

An event of deterministic bots is played undisturbed first. Then the same event is played again and
again: the command is started, something is killed after a random time, and the same command is
started anew until the event is complete. Its table must then be that of the first.
"""

import argparse
import contextlib
import hashlib
import itertools
import os
import random
import re
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from directing import Directing, all_end, referees_of, results_of, rooms_of, run, write_event

from referee.cgroup import own_group
from referee.leftovers import remove_leftovers
from referee.proctree import descendants

END_S = 1.0
"""How long what belongs to a killed director may live on."""
LONGEST_S = 1.5
"""The latest moment of a run at which something is killed."""
MATCHES = 120
_MATCH = re.compile(r"^\[ *\d+/\d+\]  match (\d+): ")


@dataclass
class Damage:
    """What was done, and what was found to be wrong."""

    kills: Counter[str] = field(default_factory=Counter)
    events: int = 0
    matches: int = 0
    voids: int = 0
    lost: int = 0
    """Matches that were told to be finished, and are not there."""
    doubled: int = 0
    changed: int = 0
    """Matches that are not what they were when they were looked at before."""
    unsound: int = 0
    """Times that the database failed its own check."""
    tables: int = 0
    """Final tables that are not that of the undisturbed event."""
    leftovers: int = 0
    """Processes some time after the kill; rooms and control groups after the next run."""
    unexpected: list[str] = field(default_factory=list)
    """Endings that no kill explains."""
    slowest_s: float = 0

    def is_none(self) -> bool:
        """Whether nothing is wrong."""
        wrong = (self.lost, self.doubled, self.changed, self.unsound, self.tables, self.leftovers)
        return not any(wrong) and not self.unexpected

    def __str__(self) -> str:
        kills = ", ".join(f"{count} of {what}" for what, count in sorted(self.kills.items()))
        return "\n".join(
            [
                f"kills      {self.kills.total()} ({kills})",
                f"events     {self.events} complete, {self.matches} matches, {self.voids} void",
                f"lost       {self.lost}",
                f"doubled    {self.doubled}",
                f"changed    {self.changed}",
                f"unsound    {self.unsound}",
                f"tables     {self.tables} differ",
                f"leftovers  {self.leftovers}, the last to end took {self.slowest_s:.2f} s",
                *(f"unexpected {what}" for what in self.unexpected),
            ]
        )


class Torture:
    """One folder with one event, played over and over."""

    def __init__(self, folder: Path, end_s: float, seed: int) -> None:
        self.damage = Damage()
        self._end_s = end_s
        self._folder = folder
        self._random = random.Random(seed)
        self._seen: dict[int, str] = {}
        """A digest of each match by its number."""
        self._referees: set[int] = set()
        bots = ["starter/c"] * 3
        write_event(folder, *bots, repeat=MATCHES // 3, withdraw_after=0)
        self._wanted = results_of(self._undisturbed())

    def play_event(self, until_s: float, kills: int) -> None:
        """Play the event from its start, with kills until the time or their number is up."""
        arguments = ["--new"]
        while time.monotonic() < until_s and self.damage.kills.total() < kills:
            code = self._disturbed(arguments)
            arguments = [] if self._has_begun(self.damage.events + 2) else ["--new"]
            if code == 0:
                break
        out = self._undisturbed(*arguments)
        self.damage.events += 1
        self.damage.tables += results_of(out) != self._wanted
        self._compare_matches()
        self._look_for_rooms()

    def _undisturbed(self, *arguments: str) -> str:
        """Play what is missing; a void match in the beginning is what was just killed."""
        code, out, lines = run(self._folder, *arguments)
        if code:
            self.damage.unexpected.append(f"exit code {code} undisturbed: {lines[-1]}")
        self._look(lines)
        return out

    def _disturbed(self, arguments: list[str]) -> int:
        """Run the command and kill something; return its exit code, -9 if it was itself killed."""
        options = [*arguments, *self._random.choice([[], ["--no-preflight"]])]
        with Directing(self._folder, *options) as director:
            until_s = time.monotonic() + self._random.uniform(0, LONGEST_S)
            what = self._random.choice(["director", "director", "both", "referee"])
            while what == "referee" and self._is_running(director, until_s):
                self._kill_referee(director)
                until_s += self._random.uniform(0, LONGEST_S)
                what = self._random.choice(["director", "referee"])
            if self._is_running(director, until_s):
                self._kill_director(director, and_referees=what == "both")
            code, _ = director.end()
            lines = director.lines
        if code not in (-signal.SIGKILL, 0) and not (code == 5 and "halted" in lines[-1]):
            self.damage.unexpected.append(f"exit code {code}: {lines[-1:]}")
        self._look(lines)
        return code

    def _is_running(self, director: Directing, until_s: float) -> bool:
        """Wait until the time has come; return whether the director still runs then."""
        with contextlib.suppress(TimeoutError):
            director.wait_until(until_s)
            return False
        return True

    def _kill_referee(self, director: Directing) -> None:
        referees = referees_of(director)
        if referees:
            self._referees.update(referees)
            self.damage.kills["a referee"] += 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._random.choice(referees), signal.SIGKILL)

    def _kill_director(self, director: Directing, *, and_referees: bool) -> None:
        family = {}
        for pid in descendants(director.pid):
            with contextlib.suppress(ProcessLookupError):
                family[pid] = os.pidfd_open(pid)
        referees = referees_of(director)
        self._referees.update(referees)
        began_s = time.monotonic()
        director.send(signal.SIGKILL)
        if and_referees:
            for pid in referees:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        director.wait()
        self.damage.kills["both" if and_referees else "a director"] += 1
        self.damage.leftovers += len(all_end(family, self._end_s))
        self.damage.slowest_s = max(self.damage.slowest_s, time.monotonic() - began_s)

    def _has_begun(self, event: int) -> bool:
        with self._database() as db:
            return bool(db.execute("SELECT 1 FROM event WHERE id = ?", (event,)).fetchone())

    @contextlib.contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self._folder / "arena.db")
        try:
            yield db
        finally:
            db.close()

    def _look(self, lines: list[str]) -> None:
        """Compare the database with what was told and with what it was before."""
        # a referee that hears of the death of its director in a callback says that it ignores that
        if any(
            line.startswith("Traceback") and not before.startswith("Exception ignored in")
            for before, line in itertools.pairwise(["", *lines])
        ):
            self.damage.unexpected.append("\n".join(lines[-30:]))
        told = [int(number) for line in lines for number in _MATCH.findall(line)]
        with self._database() as db:
            if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                self.damage.unsound += 1
            rows = db.execute("SELECT * FROM match").fetchall()
            seats = db.execute("SELECT count(*) FROM seat").fetchone()[0]
            self.damage.voids = db.execute("SELECT count(*) FROM void").fetchone()[0]
        now = {row[0]: hashlib.sha256(repr(row).encode()).hexdigest() for row in rows}
        self.damage.matches = len(now)
        self.damage.lost += sum(number not in now for number in (*told, *self._seen))
        self.damage.lost += abs(2 * len(rows) - seats)
        self.damage.doubled += len(rows) - len({(row[1], row[2]) for row in rows})
        self.damage.changed += sum(
            now.get(number, digest) != digest for number, digest in self._seen.items()
        )
        self._seen |= now

    def _compare_matches(self) -> None:
        """Compare each match of the newest event with the same one of the undisturbed event."""
        query = "SELECT key, termination, reason, plies FROM match WHERE event = ?"
        with self._database() as db:
            newest = db.execute("SELECT max(id) FROM event").fetchone()[0]
            first, now = (set(db.execute(query, (event,))) for event in (1, newest))
        self.damage.unexpected += [f"match, not so when undisturbed: {row}" for row in now - first]

    def _look_for_rooms(self) -> None:
        """Count what is left of all referees so far, now that a later run had its chance."""
        remove_leftovers()  # what was killed in the last run of all
        home = own_group()
        pids = dict.fromkeys(self._referees, 0)
        groups = [path for pid in pids for path in home.glob(f"arena-{pid}-*")] if home else []
        self.damage.leftovers += len(rooms_of(pids)) + len(groups)


def torture(
    folder: Path,
    *,
    seconds: float = 3600,
    kills: int = sys.maxsize,
    end_s: float = END_S,
    seed: int = 1,
) -> Damage:
    """Torture in a folder until the time is up or so much was killed."""
    until_s = time.monotonic() + seconds
    chamber = Torture(folder, end_s, seed)
    for _ in itertools.count():
        if time.monotonic() >= until_s or chamber.damage.kills.total() >= kills:
            break
        chamber.play_event(until_s, kills)
    return chamber.damage


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--seed", type=int, default=random.randrange(2**32))
    arguments = parser.parse_args()
    print(f"seed       {arguments.seed}")
    with tempfile.TemporaryDirectory() as folder:
        damage = torture(Path(folder), seconds=arguments.seconds, seed=arguments.seed)
    print(damage)
    sys.exit(not damage.is_none())


if __name__ == "__main__":
    main()
