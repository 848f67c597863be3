"""A referee's own process for tests, spoken to as the director does."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from fakes import next_end
from programs import python
from waiting import PATIENCE_S, becomes

from referee.records.match_end import MatchEnd
from referee.records.record import JOBS
from referee.sandbox.proctree import live_children

SILENT = r"""
import os, signal, sys
with open(sys.argv[1], "w") as told:
    told.write(f"{os.getpid()}\n")
"""
"""A bot that tells its pid and then never says hello."""
REFEREE = (sys.executable, "-m", "referee")


class Referee:
    """A running referee, spoken to as the director does."""

    def __init__(
        self,
        folder: Path,
        command: Sequence[str] = REFEREE,
        start: Callable[..., "subprocess.Popen[bytes]"] = subprocess.Popen,
    ) -> None:
        self.home = folder
        self.said = ""
        self.sent: deque[str] = deque()
        """The jobs that have not ended."""
        self.process = start(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
        )

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.sent += [line for line in lines if line.startswith("{")]
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def answer(self) -> MatchEnd:
        assert self.process.stdout is not None
        assert select.select([self.process.stdout], [], [], PATIENCE_S)[0], "it does not answer"
        return next_end(self.process.stdout, JOBS.validate_json(self.sent.popleft()))

    def ended(self) -> tuple[int, str]:
        """Wait for its end; return the exit code and what it said on stderr."""
        if self.process.stdin and not self.process.stdin.closed:
            _, said = self.process.communicate(timeout=PATIENCE_S)
            self.said = said.decode()
        return self.process.returncode, self.said

    def kill(self) -> None:
        for pid in (*live_children(self.process.pid), self.process.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    @property
    def pid(self) -> int:
        """The referee process, once it runs; the started process is its warden."""
        assert becomes(lambda: bool(live_children(self.process.pid)))
        return live_children(self.process.pid)[0]

    def seat_silent_bot(self, program: str = SILENT + "while True: signal.pause()") -> int:
        """Give it a match with a silent bot; return a pidfd of the pid sent by the bot."""
        fifo = self.home / "pid"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        silent = python(program, str(fifo))
        self.send(job("waiting", silent.argv, time={"start_ns": 3600 * 10**9}, restart="match"))
        assert select.select([reader], [], [], PATIENCE_S)[0], "the bot is not started"
        pid = int(os.read(reader, 20))
        os.close(reader)
        return os.pidfd_open(pid)


def job(key: str, argv: tuple[str, ...] = ("/no/such/bot",), **others: Any) -> str:
    player = {"name": "bot", "argv": argv, "folder": "/", "content": "-"}
    given = {"key": key, "game": "down_n_out", "players": [player], "seed": 1, "board_seed": 1}
    return json.dumps({**given, **others})
