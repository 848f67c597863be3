"""Events with directors and referees killed at random moments: losses, repetitions, leftovers.

An event of deterministic bots is played undisturbed first. Then the same event is played again and
again: the command is started, something is killed after a random time, and the same command is
started anew until the event is complete. Its table and its matches must then be those of the first.

Most commands and referees are forks of this process (`forking.py`), so that thousands can be
killed; some are started as a user starts them. Several events are played side by side, each in a
folder of its own.
"""

import contextlib
import hashlib
import itertools
import json
import os
import random
import re
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from directing import (
    Directing,
    Starting,
    all_end,
    command_of,
    referees_of,
    results_of,
    run,
    write_event,
)
from evidence import is_explained, left_of, matches_in, state_of, written
from forking import ForkedDirector
from torture_damage import Damage
from waiting import PATIENCE_S

from referee.sandbox import descendants, remove_leftovers

END_S = 2.0
"""Survival time allowed after a kill of the director: twice the promise, with more
processes than cores."""
LONGEST_S = 1.5
"""The latest moment of a run at which something is killed."""
LONGEST_OF_FORKS_S = 0.2
WRITING_S = 0.002
"""How long after the first byte of a commit the kill comes, at most."""
MATCHES = 60
STARTING = 8
"""One of this many kills comes while the command is starting."""
LOOK_S = 0.005
CHAMBERS = 3
"""Events side by side for each core: most of them just wait for the moment of a kill."""
REAL = 16
"""One of this many runs starts the command as a user would."""
_MATCH = re.compile(r"^\[ *\d+/\d+\]  match (\d+): ")
Director = Directing | ForkedDirector


class Chamber:
    """One folder with one event, played repeatedly, each time into a new database."""

    def __init__(
        self, folder: Path, wanted: "Wanted", end_s: float, seed: int, *, is_forking: bool
    ) -> None:
        self.damage = Damage()
        self._wanted = wanted
        self._end_s = end_s
        self._folder = folder
        self._is_forking = is_forking
        self._random = random.Random(seed)
        self._seen: dict[int, str] = {}
        """A digest of each match of this event by its number."""
        self._referees: set[int] = set()
        self._db = folder / "0.db"

    def play_event(self, until_s: float, kills: int) -> None:
        """Play the event from its start, with kills until the time or their number is up."""
        self._seen.clear()
        self._db = self._folder / f"{self.damage.events}.db"
        write(self._folder, self._random.choice(["auto", "none", "none", "none"]))
        while time.monotonic() < until_s and self.damage.kills.total() < kills:
            if self._disturbed() == 0:
                break
        out = self._undisturbed()
        self.damage.events += 1
        self.damage.tables += not out or results_of(out) != self._wanted.table
        self._count_event()
        self._look_for_rooms()
        for path in self._folder.glob(f"{self._db.name}*"):
            path.unlink()

    def _undisturbed(self) -> str:
        """Play the missing matches; a void match at the start is the killed one."""
        code, out, lines = run(self._folder, "--db", self._db.name)
        if code:
            said = "\n".join(lines[-10:])
            self.damage.unexpected.append(f"exit code {code} undisturbed: {said}")
        self._look(lines)
        return out

    def _disturbed(self) -> int:
        """Run the command and kill something; return its exit code, -9 if it was itself killed."""
        is_real = self._random.randrange(REAL) == 0
        fork = ForkedDirector if self._is_forking else Directing
        start: Callable[..., Director] = Starting if is_real else fork
        longest_s = LONGEST_S if is_real else LONGEST_OF_FORKS_S
        options = self._random.choice([[], ["--no-preflight"], ["--no-preflight"]])
        with start(self._folder, "--db", self._db.name, *options) as director:
            if self._random.randrange(STARTING):
                self._wait_for_referees(director)
            what = ""
            while what in ("", "referee") and self._is_running(director, longest_s):
                what = self._random.choice(["director", "both", "referee", "referee"])
                if what == "referee":
                    self._kill_referee(director)
                else:
                    self._kill_director(director, and_referees=what == "both")
            code, _ = director.end()
            lines = director.lines
        if code not in (-signal.SIGKILL, 0) and not is_explained(code, lines):
            self.damage.unexpected.append(f"exit code {code}: {lines[-1:]}")
        self._look(lines)
        return code

    def _is_running(self, director: Director, longest_s: float) -> bool:
        """Wait for a random time or for a commit; return whether the director still runs then."""
        until_s = time.monotonic() + self._random.uniform(0, longest_s)
        if self._random.randrange(2):
            self._wait_for_commit(until_s)
            until_s = time.monotonic() + self._random.uniform(0, WRITING_S)
        with contextlib.suppress(TimeoutError):
            director.wait_until(until_s)
            return False
        return True

    def _wait_for_referees(self, director: Director) -> None:
        """Wait until the slots are there, or the end: otherwise most kills hit a start."""
        until_s = time.monotonic() + PATIENCE_S
        while not referees_of(director) and time.monotonic() < until_s:
            with contextlib.suppress(TimeoutError):
                director.wait_until(time.monotonic() + LOOK_S)
                return

    def _wait_for_commit(self, until_s: float) -> None:
        """Wait until something is written to the database, or for so long."""
        log = self._db.with_name(f"{self._db.name}-wal")
        before = written(log)
        while time.monotonic() < until_s and written(log) == before:
            time.sleep(0)

    def _kill_referee(self, director: Director) -> None:
        referees = referees_of(director)
        if referees:
            self._referees.update(referees)
            self.damage.kills["a referee"] += 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._random.choice(referees), signal.SIGKILL)

    def _kill_director(self, director: Director, *, and_referees: bool) -> None:
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
        self._count_survivors(all_end(family, self._end_s))
        self.damage.add_end(time.monotonic() - began_s)

    def _count_survivors(self, pids: list[int]) -> None:
        self.damage.leftovers += len(pids)
        for pid in pids:
            self.damage.unexpected.append(f"still there: {pid} {command_of(pid)} {state_of(pid)}")

    @contextlib.contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(self._db)
        try:
            yield db
        finally:
            db.close()

    def _look(self, lines: list[str]) -> None:
        """Compare the database with the output and with its previous content."""
        # a referee interrupted in a callback by the death of its director prints a warning
        if any(
            line.startswith("Traceback") and not before.startswith("Exception ignored in")
            for before, line in itertools.pairwise(["", *lines])
        ):
            self.damage.unexpected.append("\n".join(lines[-30:]))
        told = [int(number) for line in lines for number in _MATCH.findall(line)]
        if not self._has_tables():
            self.damage.lost += len(told) + len(self._seen)
            return
        with self._database() as db:
            self.damage.checks += 1
            if db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                self.damage.unsound += 1
            rows = db.execute("SELECT * FROM match").fetchall()
            seats = db.execute("SELECT count(*) FROM seat").fetchone()[0]
        now = {row[0]: hashlib.sha256(repr(row).encode()).hexdigest() for row in rows}
        self.damage.lost += sum(number not in now for number in {*told, *self._seen})
        self.damage.lost += abs(2 * len(rows) - seats)
        self.damage.doubled += len(rows) - len({(row[1], row[2]) for row in rows})
        self.damage.changed += sum(
            now.get(number, digest) != digest for number, digest in self._seen.items()
        )
        self._seen |= now

    def _has_tables(self) -> bool:
        """Whether the director got as far as to make its database."""
        if not self._db.exists():
            return False
        with self._database() as db:
            return bool(db.execute("SELECT 1 FROM sqlite_master WHERE name = 'match'").fetchone())

    def _count_event(self) -> None:
        """Compare each match of the event with the same one of the undisturbed event."""
        if not self._has_tables():
            self.damage.lost += len(self._wanted.matches)
            return
        with self._database() as db:
            now = matches_in(db)
            self.damage.matches += len(now)
            self.damage.lost += len(self._wanted.matches) - len(now)
            self.damage.unexpected += [
                f"match, not so when undisturbed: {row}" for row in now - self._wanted.matches
            ]
            later = "SELECT count(*) FROM match WHERE attempt > 1"
            self.damage.again += db.execute(later).fetchone()[0]
            self.damage.voids += db.execute("SELECT count(*) FROM void").fetchone()[0]

    def _look_for_rooms(self) -> None:
        """Count the leftovers of earlier referees after a later run could remove them."""
        remove_leftovers()  # the referees killed in the last run
        self.damage.leftovers += len(left_of(self._referees))
        self._referees.clear()


@dataclass(frozen=True)
class Wanted:
    """Result of an undisturbed event."""

    table: list[tuple[str, ...]]
    matches: set[tuple[str, ...]]

    @classmethod
    def played(cls, folder: Path) -> Self:
        """Play an event undisturbed in a folder."""
        write(folder, "auto")
        code, out, lines = run(folder, "--db", "undisturbed.db")
        if code:
            raise RuntimeError("\n".join(lines))
        with contextlib.closing(sqlite3.connect(folder / "undisturbed.db")) as db:
            return cls(results_of(out), matches_in(db))


def write(folder: Path, isolation: str) -> None:
    """Write the event of deterministic bots."""
    bots = ["starter/c"] * 3
    write_event(folder, *bots, repeat=MATCHES // 3, withdraw_after=0, isolation=isolation)


def torture(
    folder: Path,
    *,
    seconds: float = 3600,
    kills: int = sys.maxsize,
    end_s: float = END_S,
    seed: int = 1,
    is_forking: bool = False,
    wanted: Wanted | None = None,
) -> Damage:
    """Torture in a folder until the time or the number of kills is reached."""
    until_s = time.monotonic() + seconds
    wanted = wanted or Wanted.played(folder)
    chamber = Chamber(folder, wanted, end_s, seed, is_forking=is_forking)
    while time.monotonic() < until_s and chamber.damage.kills.total() < kills:
        chamber.play_event(until_s, kills)
    return chamber.damage


def side_by_side(seconds: float, seed: int, chambers: int) -> Damage:
    """Torture in several processes at the same time; return all damage together."""
    with tempfile.TemporaryDirectory() as name:
        wanted = Wanted.played(Path(name))
        folders = [Path(name, str(number)) for number in range(chambers)]
        pids = []
        for number, folder in enumerate(folders):
            folder.mkdir()
            pids.append(os.fork())
            if pids[-1] == 0:
                _torture_in(folder, seconds, seed + number, wanted)
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        total = Damage()
        for code, folder in zip(codes, folders, strict=True):
            if code:
                total.unexpected.append(f"a chamber ended with exit code {code}")
                continue
            found = json.loads((folder / "damage.json").read_text())
            total.add(Damage(**{**found, "kills": Counter(found["kills"])}))
        return total


def _torture_in(folder: Path, seconds: float, seed: int, wanted: Wanted) -> None:
    """Torture in this dedicated process, and write the result."""
    code = 1
    try:
        damage = torture(folder, seconds=seconds, seed=seed, is_forking=True, wanted=wanted)
        (folder / "damage.json").write_text(json.dumps(vars(damage)))
        code = 0
    except Exception:  # noqa: BLE001 - it is shown, and this process ends
        traceback.print_exc()
    finally:
        os._exit(code)
