"""Runs of Arena whose every write to a folder is logged, for losses of power at any moment of them.

Everything that Arena keeps is in the folder: databases, prepared bots, a whole league.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from directing import write_event
from waiting import PATIENCE_S, becomes

COMMAND = (sys.executable, "-P", "-m", "arena")
SOURCE = Path(__file__).with_name("power.c")
EVENTS = 2
MATCHES = 10
HAND_INS = 4
BOT = "one"
_PREPARE = """
import os, sys
from pathlib import Path
folder, port, bot = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
season = (folder / "season.yaml").read_text().replace("greedy, searcher]", "greedy]")
for name, text in (("league.yaml", f"port: {port}\\n"), ("season.yaml", season)):
    (folder / "part").write_text(text)
    os.sync()  # as a careful editor does
    (folder / "part").rename(folder / name)
from arena.league.folder import open_league
from arena.league.settings import open_site
open_site(open_league(folder))
from arena.league.persons.people import add_person, new_token
from arena.league.hand_ins.reception import new_bot
person = add_person("Olga")
new_bot(person, person.teams.get(), bot)
print(f"token {new_token(person, 'power')}")
"""


class Logged:
    """A folder in which all operations of commands are logged."""

    def __init__(self, folder: Path) -> None:
        """Make the folder, empty, its log beside it, and the library that writes the log."""
        self.root = (folder / "disk").resolve()
        self.log = folder.resolve() / "log"
        self.root.mkdir()
        self.log.touch()
        library = folder.resolve() / "power.so"
        command = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True)
        self._folder = folder
        self._env: Mapping[str, str] = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "ARENA_POWER_FOLDER": str(self.root),
            "ARENA_POWER_LOG": str(self.log),
            "XDG_CACHE_HOME": str(self.root / "cache"),
        }

    def run(self, *command: str) -> str:
        """Run a command to its end and return its stdout."""
        with self.started(*command) as process:
            out, _ = process.communicate(timeout=4 * PATIENCE_S)
            assert process.returncode == 0, out
        return out

    @contextmanager
    def started(self, *command: str) -> Iterator["subprocess.Popen[str]"]:
        """Start a command, which is killed at the end."""
        with tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(
                command,
                cwd=self._folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
            try:
                yield process
            finally:
                process.kill()
                process.communicate()


def event_run(folder: Path, seed: int) -> Logged:
    """Play events one after the other into the same database."""
    logged = Logged(folder)
    config = write_event(folder, "random", "random", repeat=MATCHES, seed=seed)
    words = ("tournament", str(config), "--db", str(logged.root / "arena.db"))
    for number in range(EVENTS):
        logged.run(*COMMAND, *words, "--no-preflight", *(["--new"] if number else []))
    return logged


def league_run(folder: Path) -> Logged:
    """Make a league, hand bots in while it plays, and stop it."""
    logged = Logged(folder)
    league = logged.root / "league"
    logged.run(*COMMAND, "league", "new", str(league), "--game", "pente")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    said = logged.run(sys.executable, "-P", "-c", _PREPARE, str(league), str(port), BOT)
    with logged.started(*COMMAND, "league", "start", str(league)) as process:
        assert becomes(lambda: _answers(port)), "the pages do not answer"
        for number in range(HAND_INS):
            _hand_in(port, said.split()[-1], f"raise SystemExit({number})".encode())
        process.terminate()
        process.wait(PATIENCE_S)
    return logged


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), 10) as line:
            line.sendall(b"GET /log-in HTTP/1.0\r\nHost: localhost\r\n\r\n")
            line.settimeout(10)
            return bool(line.recv(1))
    except OSError:
        return False


def _hand_in(port: int, token: str, program: bytes) -> None:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/bots/{BOT}/hand-ins",
        program,
        {"Authorization": f"Bearer {token}", "X-File-Name": "bot.py"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310 - http
        json.load(answer)


def arena(*words: str, env: Mapping[str, str]) -> "subprocess.CompletedProcess[str]":
    """Run a command of Arena on what a loss of power has left."""
    command: Sequence[str] = (*COMMAND, *words)
    return subprocess.run(
        command, env={**os.environ, **env}, capture_output=True, text=True, check=False
    )
