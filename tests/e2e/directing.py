"""The command as a process: an event of small bots, its output lines, its leftovers."""

import os
import re
import select
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Protocol, Self

from preloaded import Preloaded
from waiting import LONGEST_S, PATIENCE_S, becomes

from referee.sandbox import descendants, live_children

ROOT = Path(__file__).parents[2]

_RULE = re.compile("-+")

MISCHIEF = '''
import os
import signal
import sys

from arena_bot import Bot, play, run


class Mischief(Bot):
    """Plays the first legal move, and from its fourth on does what its argument says."""

    name = "mischief"
    version = "1"
    wants = ("legal",)

    def on_init(self, init):
        self.moves = 0

    def on_move(self, call):
        self.moves += 1
        if self.moves == 4:
            self.misbehave()
        return play(call["legal"][0])

    def misbehave(self):
        if sys.argv[1] == "crash":
            os._exit(3)
        if sys.argv[1] == "hang":
            if os.fork() == 0:
                os.setsid()
                os.execvp("sleep", ["sleep", "86399"])
            signal.pause()


run(Mischief())
'''
"""A bot that behaves well in a preflight."""


def write_event(folder: Path, *bots: str, **options: object) -> Path:
    """Write a config of damspel on a small board; a bot is a starter, or `crash` or `hang`."""
    mischief = folder / "mischief"
    if not mischief.exists():
        mischief.mkdir()
        kit = ROOT / "bots" / "sdk" / "python" / "arena_bot.py"
        (mischief / "main.py").write_text(MISCHIEF)
        (mischief / "bot.yaml").write_text(f'run: ["{{python}}", main.py]\nfiles: [{kit}]\n')
    given = {"seed": 7, "repeat": 4, **options}
    lines = ["name: event", "game: {name: damspel, rows: 6, cols: 6, men_rows: 2}", "bots:"]
    for number, bot in enumerate(bots):
        if bot in ("crash", "hang"):
            lines.append(f"  - {{name: {bot}, bot: ./mischief, args: [{bot}]}}")
        else:
            lines.append(
                f"  - {{name: {bot.replace('/', '-')}-{number}, bot: {ROOT / 'bots' / bot}}}"
            )
    lines += [f"{key}: {value}" for key, value in given.items()]
    config = folder / "event.yaml"
    config.write_text("\n".join(lines) + "\n")
    return config


class Directing:
    """A running command; as a context it is always killed at the end."""

    def __init__(self, folder: Path, *arguments: str, command: str = "tournament") -> None:
        self.lines: list[str] = []
        """Its stderr so far."""
        self._process = self._start(
            [command, "event.yaml", *arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
        )
        self.pid = self._process.pid
        self._watchdog = threading.Timer(LONGEST_S, self._process.kill)
        self._watchdog.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.kill()
        self._process.wait()
        self._watchdog.cancel()
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def _start(self, arguments: Sequence[str], **options: Any) -> subprocess.Popen[str]:
        return Preloaded(arguments, **options)

    @property
    def stderr(self) -> IO[str]:
        assert self._process.stderr is not None
        return self._process.stderr

    def wait_for(self, text: str) -> str:
        """Read on until a line on stderr has the text, and return the line."""
        for line in self.stderr:
            self.lines.append(line.rstrip("\n"))
            if text in line:
                return self.lines[-1]
        raise AssertionError(f"it never said {text!r} but {self.lines}")

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> tuple[int, str]:
        """Read to the end; return the exit code and all of stdout."""
        stdout = self._process.stdout
        assert stdout is not None
        reader = threading.Thread(target=lambda: self.lines.extend(self.stderr.read().splitlines()))
        reader.start()
        out = stdout.read()
        reader.join()
        return self._process.wait(), out

    def wait_until(self, moment_s: float) -> None:
        """Wait for the end; raises TimeoutError at this moment of the monotonic clock.

        Nothing is read meanwhile: what is said must fit into the pipe.
        """
        try:
            self._process.wait(max(0.0, moment_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise TimeoutError from None

    def close_stderr(self) -> None:
        """Go away as a reader of stderr."""
        self.stderr.close()

    def wait(self) -> int:
        return self._process.wait()

    def family(self, is_complete: Callable[[Sequence[int]], bool]) -> dict[int, int]:
        """Return a pidfd for each descendant, once all have started."""
        assert becomes(lambda: is_complete(descendants(self.pid))), descendants(self.pid)
        family = {}
        for pid in descendants(self.pid):
            try:
                family[pid] = os.pidfd_open(pid)
            except ProcessLookupError:
                continue
        return family


class Starting(Directing):
    """A command that is started as a user starts it."""

    def _start(self, arguments: Sequence[str], **options: Any) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "arena", *arguments]
        return subprocess.Popen(command, text=True, start_new_session=True, **options)


def run(folder: Path, *arguments: str) -> tuple[int, str, list[str]]:
    """Run the command to its end; return exit code, stdout and the lines on stderr."""
    with Directing(folder, *arguments) as director:
        code, out = director.end()
        return code, out, director.lines


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


class Running(Protocol):
    """A director of any kind."""

    pid: int


def referees_of(director: Running) -> list[int]:
    """Return the referees; other processes with their command line are bots being started."""
    return [pid for warden in wardens_of(director) for pid in live_children(warden)]


def wardens_of(director: Running) -> list[int]:
    """Return the parents of the referees."""
    return [pid for pid in live_children(director.pid) if _is_referee(pid)]


def _is_referee(pid: int) -> bool:
    try:
        is_named_so = Path(f"/proc/{pid}/comm").read_text() == "referee\n"
    except OSError:
        return False
    return is_named_so or "-m referee" in command_of(pid)


def is_hanging(family: Sequence[int]) -> bool:
    """Whether one of the bots hangs: it then has a child in another session."""
    return any(command_of(pid).startswith("sleep 86399") for pid in family)


def all_end(family: Mapping[int, int], within_s: float = PATIENCE_S) -> list[int]:
    """Wait for the end of the processes; return the survivors."""
    until_s = time.monotonic() + within_s
    waiting = {pidfd: pid for pid, pidfd in family.items()}
    while waiting:
        ended, _, _ = select.select(list(waiting), [], [], max(0.0, until_s - time.monotonic()))
        if not ended:
            break
        for pidfd in ended:
            del waiting[pidfd]
    for pidfd in family.values():
        os.close(pidfd)
    return list(waiting.values())


def rooms_of(pids: Mapping[int, int]) -> list[Path]:
    """Return the sandbox directories that belong to any of these processes."""
    temp = Path(tempfile.gettempdir())
    return [room for pid in pids for room in temp.glob(f"arena-{pid}-*")]


def kept(folder: Path) -> list[tuple[str, int]]:
    """Return key and attempt of all matches that are kept, the database being sound."""
    db = sqlite3.connect(folder / "arena.db")
    try:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        return db.execute("SELECT key, attempt FROM match ORDER BY key").fetchall()
    finally:
        db.close()


def results_of(event: str) -> list[tuple[str, ...]]:
    """Return from a printed event what does not depend on times: rank, bot, score, results."""
    _, header, rule, *rows = event.split("\n\n")[1].splitlines()
    spans = {
        header[slice(*dashes.span())].strip(): dashes.span() for dashes in _RULE.finditer(rule)
    }
    columns = [spans[name] for name in ("#", "bot", "score", "+", "=", "-")]
    ranked = [row for row in rows if row.lstrip()[:1].isdigit()]  # not the lines below the table
    return [tuple(row[start:end].strip() for start, end in columns) for row in ranked]
