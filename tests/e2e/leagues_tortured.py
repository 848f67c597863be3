"""A league with any of its processes killed at random moments while hand-ins come and matches play.

Pushers and uploaders note each receipt. After each kill: every noted receipt is a row whose file is
whole, what plays is an accepted hand-in, and no finished match is gone, changed or there twice. At
the end, undisturbed, every hand-in has its answer, and `arena league verify` finds nothing wrong.
"""

import contextlib
import hashlib
import json
import os
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

from evidence import state_of
from torture_damage import Damage
from waiting import PATIENCE_S, becomes

from arena.league.folder import new_league
from referee.sandbox import descendants

BOTS = ("one", "two")
COMMAND = (sys.executable, "-P", "-m", "arena")
_START = """
import runpy
from arena.league.upkeep import supervisor
supervisor.LONGEST_S = supervisor.FIRST_S
runpy.run_module("arena", run_name="__main__", alter_sys=True)
"""
"""Starts a league that waits for half a second before each start, not longer and longer."""
_FORKING = str(Path(__file__).parent.parent / "leagues_forked.py")
REAL = 4
"""One of this many starts is as users start it; the others fork their parts."""
STARTING = 2
"""One of this many kills comes while the processes may still be starting."""
OFTEN = 4
"""How much more often something is killed that costs no start of a whole part."""
PAUSE_S = 0.3
"""Time from a hand-in to the next of the same bot."""
LONGEST_S = 0.5
"""The latest moment at which something is killed after the one before."""
VICTIMS = {
    "a web process": ("arena.league\0web", "league-web"),
    "a director": ("arena.league\0director", "league-director"),
    "an examination": ("arena.league.hand_ins.examine", "examine"),
    "a builder": ("referee.sandbox.builder", "builder"),
    "git": ("receive-pack", "git"),
}
"""Marks in the command lines of the processes that are killed, and names of their forks."""
SUPERVISOR = "the supervisor"
PARTS = ("a web process", "a director", SUPERVISOR)
_SETUP = """
from pathlib import Path
from arena.league.folder import open_league
from arena.league.settings import open_site
import sys
open_site(open_league(Path(sys.argv[1])))
from arena.league.persons.people import add_person, new_token
from arena.league.hand_ins.reception import new_bot
person = add_person("Olga")
for name in sys.argv[2:]:
    new_bot(person, person.teams.get(), name)
print(new_token(person, "torture"))
"""
TRIES = 3
"""Kills of its examination after which a hand-in is given up: those of
`arena.league.hand_ins.checks`.
"""
_MACHINE = "the machine could not examine it"


class TorturedLeague:
    """A league in a folder, with those who hand in."""

    def __init__(self, folder: Path, seed: int) -> None:
        """Make the league with its persons and bots."""
        self.damage = Damage()
        self._random = random.Random(seed)
        self._folder = folder / "league"
        self._receipts: dict[int, str] = {}  # {number: hash}
        self._matches: dict[int, str] = {}  # {number: hash of its row}
        self._whole: set[str] = set()  # hashes of the files that were found whole
        self._is_over = threading.Event()
        new_league(self._folder, "pente", "auto")
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self._port = found.getsockname()[1]
        (self._folder / "league.yaml").write_text(f"port: {self._port}\n")
        season = self._folder / "season.yaml"
        text = season.read_text().replace("[random, greedy, searcher]", "[random, greedy]")
        season.write_text(text)
        command = [sys.executable, "-P", "-c", _SETUP, str(self._folder), *BOTS]
        self._token = subprocess.check_output(command, text=True).strip()
        self._process = self._started()

    def torture(self, until_s: float, kills: int) -> None:
        """Kill until the time or number of kills is up; then let all end undisturbed."""
        handing = [threading.Thread(target=self._hand_in, args=(name,)) for name in BOTS]
        pushing = threading.Thread(target=self._push, args=(BOTS[0],))
        for thread in (*handing, pushing):
            thread.start()
        try:
            while time.monotonic() < until_s and self.damage.kills.total() < kills:
                if self._random.randrange(STARTING):
                    becomes(self._rises)
                time.sleep(self._random.uniform(0, LONGEST_S))
                self._kill()
                self._look()
        finally:
            self._is_over.set()
            for thread in (*handing, pushing):
                thread.join()
        if not becomes(lambda: self._rises() and not self._open_hand_ins()):
            self.damage.lost += len(self._open_hand_ins())
        self._whole.clear()  # look at every file once more
        self._look()
        becomes(self._rises)
        if not becomes(lambda: not self._zombies()):
            self.damage.leftovers += len(self._zombies())
        self._process.send_signal(signal.SIGTERM)
        if code := self._process.wait(PATIENCE_S):
            self.damage.unexpected.append(f"exit code {code} at the end")
        self._verify()
        self.damage.events += 1

    def _started(self) -> "subprocess.Popen[bytes]":
        is_real = self._random.randrange(REAL) == 0
        start = ["-P", "-c", _START, "league", "start"] if is_real else ["-P", _FORKING]
        return subprocess.Popen(
            [sys.executable, *start, str(self._folder)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _kill(self) -> None:
        """Kill one of the processes that are there."""
        found = self._victims()
        there = [what for what, pids in found.items() if pids]
        if not there:
            return  # the supervisor has only begun
        weights = [1 if what in PARTS else OFTEN for what in there]
        (what,) = self._random.choices(there, weights)
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._random.choice(found[what]), signal.SIGKILL)
            self.damage.kills[what] += 1
        if what == SUPERVISOR:
            self._process.wait()
            self._process = self._started()

    def _victims(self) -> dict[str, list[int]]:
        """Return the processes of this league by what they are."""
        found: dict[str, list[int]] = {what: [] for what in VICTIMS}
        children = descendants(self._process.pid)
        for pid in children:
            with contextlib.suppress(OSError, UnicodeError):
                command = Path(f"/proc/{pid}/cmdline").read_text()
                name = Path(f"/proc/{pid}/comm").read_text().strip()
                for what, (mark, fork) in VICTIMS.items():
                    if mark in command or fork == name:
                        found[what].append(pid)
        return found | {SUPERVISOR: [self._process.pid] if children else []}

    def _zombies(self) -> list[int]:
        """Return the processes that have ended and for which no director has waited."""
        found = []
        for director in self._victims()["a director"]:
            states = {pid: state_of(pid) for pid in descendants(director)}
            mark = f"PPid: {director},"
            found += [pid for pid, told in states.items() if "zombie" in told and mark in told]
        return found

    def _rises(self) -> bool:
        """Start a league that has ended, as a service manager would; return whether it is up.

        A new supervisor has no port until the web process of a killed one has ended.
        """
        if self._process.poll() is not None:
            self._process = self._started()
        return self._is_up()

    def _is_up(self) -> bool:
        """Whether the pages answer and a director runs."""
        try:
            with socket.create_connection(("127.0.0.1", self._port), 10) as line:
                line.sendall(b"GET /log-in HTTP/1.0\r\nHost: localhost\r\n\r\n")
                line.settimeout(10)
                is_answered = bool(line.recv(1))
        except OSError:
            return False
        return is_answered and bool(self._victims()["a director"])

    def _hand_in(self, name: str) -> None:
        """Hand in one small bot after the other, and note the receipts."""
        number = 0
        while not self._is_over.wait(PAUSE_S):
            number += 1
            request = urllib.request.Request(
                f"http://127.0.0.1:{self._port}/api/bots/{name}/hand-ins",
                f"raise SystemExit({number})".encode(),
                {"Authorization": f"Bearer {self._token}", "X-File-Name": "bot.py"},
            )
            with contextlib.suppress(OSError, ValueError, HTTPException):
                with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                    receipt = json.load(answer)
                self._receipts[receipt["number"]] = receipt["digest"]

    def _push(self, name: str) -> None:
        """Push one commit after the other; a receipt is what git prints."""
        folder = self._folder.parent / "pushed"
        git = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.org"]
        subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
        (folder / "bot.yaml").write_text("run: [sh, -c, 'exit 1']\n")
        subprocess.run([*git, "add", "."], check=True)
        address = f"http://x:{self._token}@127.0.0.1:{self._port}/git/{name}.git"
        while not self._is_over.wait(PAUSE_S):
            subprocess.run([*git, "commit", "-qm", "next", "--allow-empty"], check=True)
            ended = subprocess.run(
                [*git, "push", address, "main"], capture_output=True, text=True, check=False
            )
            for line in ended.stderr.splitlines():
                if line.startswith("remote: received: hand-in "):
                    words = line.replace(",", "").split()
                    self._receipts[int(words[3])] = words[6]

    def _look(self) -> None:
        """Check the databases and files as they are at this moment."""
        self.damage.checks += 1
        receipts = dict(self._receipts)
        self.damage.receipts = len(receipts)
        with self._database("site.db") as db:
            rows = dict(db.execute("SELECT id, digest FROM league_handin").fetchall())
            playing = (
                "SELECT count(*) FROM league_bot JOIN league_version ON active_id ="
                " league_version.id WHERE team_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM"
                " league_handin WHERE state = 'accepted' AND version_id = league_version.id)"
            )
            half = db.execute(playing).fetchone()[0]
        if half:
            self.damage.unexpected.append(f"{half} versions play without an accepted hand-in")
        for number, digest in receipts.items():
            self.damage.lost += rows.get(number) != digest
        for digest in set(rows.values()) - self._whole:
            path = self._folder / "files" / digest[:2] / digest[2:]
            is_whole = path.is_file() and _hash(path) == digest
            self.damage.changed += not is_whole
            self._whole.add(digest)
        self._look_at_matches()

    def _look_at_matches(self) -> None:
        if not (self._folder / "arena.db").exists():
            return
        with self._database("arena.db") as db:
            try:
                rows = db.execute("SELECT * FROM match").fetchall()
            except sqlite3.OperationalError:  # its tables are being made
                return
        now = {row[0]: hashlib.sha256(repr(row).encode()).hexdigest() for row in rows}
        self.damage.lost += len(set(self._matches) - set(now))
        self.damage.changed += sum(now.get(n, old) != old for n, old in self._matches.items())
        self.damage.doubled += len(rows) - len({(row[1], row[2]) for row in rows})
        self._matches = now
        self.damage.matches = len(now)

    def _open_hand_ins(self) -> list[int]:
        with self._database("site.db") as db:
            query = "SELECT id FROM league_handin WHERE state IN ('waiting', 'checking')"
            return [number for (number,) in db.execute(query)]

    def _verify(self) -> None:
        """Have the league check itself; no hand-in was given up for kills."""
        command = [*COMMAND, "league", "verify", str(self._folder)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            self.damage.unexpected.append(f"verify: {ended.stdout[-1000:]}")
        with self._database("site.db") as db:
            query = "SELECT count(*) FROM league_handin WHERE report LIKE ?"
            given_up = db.execute(query, (f"%{_MACHINE}%",)).fetchone()[0]
        if given_up * TRIES > self.damage.kills["an examination"] + self.damage.kills["a builder"]:
            self.damage.unexpected.append(f"{given_up} hand-ins were given up")

    @contextlib.contextmanager
    def _database(self, name: str) -> Iterator[sqlite3.Connection]:
        db = sqlite3.connect(f"file:{self._folder / name}?mode=ro", uri=True, timeout=60)
        try:
            yield db
        finally:
            db.close()


def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def torture_league(seconds: float, seed: int, kills: int = sys.maxsize) -> Damage:
    """Torture a new league until the time or the number of kills is up."""
    with tempfile.TemporaryDirectory(prefix="arena-tortured-league.") as name:
        Path(name).chmod(0o755)
        tortured = TorturedLeague(Path(name), seed)
        tortured.torture(time.monotonic() + seconds, kills)
        return tortured.damage
