"""A real referee process, observed from outside."""

import contextlib
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from waiting import PATIENCE_S

from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.records.record import Record
from referee.sandbox import descendants, live_children, remove_directory
from referee.service.pipe import GO_ON_LINE, EndSplitter, job_line, read_end

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
GONE_S = 1.0
"""How long what a bot has started may outlive its match."""
LAUNCHER = b"referee.sandbox.launcher_process"
MAX_STANDING_BY = 5
"""The launcher, and a process for each bot of two matches."""
GROUPLESS = """
from referee import __main__ as referee
from referee.sandbox.cgroup import Groups
Groups.probe = lambda: None
referee.main()
"""


class SilentRefereeError(Exception):
    """The referee has ended, or said nothing for too long."""


class RefereeProcess:
    """One `python -m referee`, with a folder for all its files.

    Without groups it behaves as on a machine without control groups.
    """

    def __init__(self, *, has_groups: bool = True) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="h-", dir="/tmp"))
        self.folder.chmod(0o711)
        self.mark = f"/nowhere/{self.folder.name}"
        """Stands in the environment of the referee and of whatever its bots start."""
        self._errors = (self.folder.parent / f"{self.folder.name}.err").open("w+b")
        path = f"{os.environ['PATH']}:{self.mark}"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "referee"] if has_groups else [sys.executable, "-c", GROUPLESS],
            cwd=ROOT,
            env={**os.environ, "PATH": path, "TMPDIR": str(self.folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            start_new_session=True,
            bufsize=0,
        )
        self._splitter = EndSplitter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The referee process, once it has answered; the started process is its warden."""
        return live_children(self._process.pid)[0]

    def submit(self, job: Job) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(GO_ON_LINE + job_line(job))

    def play(self, job: Job) -> tuple[dict[str, Any], float]:
        """Have a match played; return the answer and the seconds until it came."""
        before = time.monotonic()
        self.submit(job)
        end = self._end(job)
        return _answer(end), time.monotonic() - before

    def leftovers(self) -> list[str]:
        """Return the processes of the bots, zombies too, that are left a second after a match."""
        until = time.monotonic() + GONE_S
        while (left := self._processes()) and (wait_s := until - time.monotonic()) > 0:
            _wait_for_end(left[0], wait_s)
        return [_describe(pid) for pid in left]

    def rooms(self) -> set[Path]:
        """Return the folders and files that the referee has made and not removed."""
        return set(self.folder.iterdir())

    def descriptors(self) -> int:
        """Return the number of its open files and sockets, without groups and kept namespaces."""
        links = []
        for path in Path(f"/proc/{self.pid}/fd").iterdir():
            with contextlib.suppress(FileNotFoundError):  # closed meanwhile
                links.append(str(path.readlink()))
        kept = ("/cgroup", "[eventfd]", "mnt:[", "net:[")
        return len([link for link in links if not any(part in link for part in kept)])

    def reset_peak(self) -> int:
        """Reset the peak memory of the referee; return its current memory in bytes."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")
        return self._memory("VmRSS")

    def peak(self) -> int:
        """Return how much memory the referee has had at most since then, in bytes."""
        return self._memory("VmHWM")

    def stderr(self) -> str:
        """Return the output of the referee itself."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace")

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        said = self.stderr()
        left = [str(path) for room in self.rooms() for path in (room, *room.rglob("*"))]
        self._errors.close()
        Path(self._errors.name).unlink()
        remove_directory(self.folder)
        assert said == "", "a referee has nothing to say but its results"
        assert left == [], "at its end, a referee leaves nothing"

    def _end(self, job: Job) -> MatchEnd:
        until = time.monotonic() + PATIENCE_S
        assert self._process.stdout is not None
        while True:
            wait_s = max(0.0, until - time.monotonic())
            if not select.select([self._process.stdout], [], [], wait_s)[0]:
                self._process.kill()
                raise SilentRefereeError(f"no answer within {PATIENCE_S:g} s")
            data = os.read(self._process.stdout.fileno(), 1 << 20)
            if not data:
                raise SilentRefereeError(f"it has ended: {self.stderr()[-2000:]}")
            for said in self._splitter.feed(data):
                return read_end(said, job)

    def _processes(self) -> list[int]:
        """Return what lives below the referee, or carries its mark anywhere.

        Its launcher and what stands by for the next two matches have one command line, with the
        referee's PID; a program that was executed has its own.
        """
        marked = {pid for pid in _everyone() if self.mark.encode() in _environment(pid)}
        found = (marked | set(descendants(self.pid))) - {self._process.pid, self.pid}
        end = f"\0{self.pid}\0".encode()
        standing_by = {
            pid for pid in found if LAUNCHER in (line := _command_line(pid)) and line.endswith(end)
        }
        return sorted(found - standing_by if len(standing_by) <= MAX_STANDING_BY else found)

    def _memory(self, name: str) -> int:
        lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name))


def _answer(end: MatchEnd) -> dict[str, Any]:
    """Return the record and its calls as plain maps, or why there is none."""
    if end.match is None:
        return {"void": end.void}
    record = Record.from_bytes(end.match.body)
    calls = [
        {name: value for name, value in asdict(call).items() if value is not None}
        for call in record.calls
    ]
    return {"record": {**record.to_json(), "calls": calls}}


def _everyone() -> Iterator[int]:
    return (int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def _environment(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""  # gone, or owned by another user


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _describe(pid: int) -> str:
    try:
        return f"{pid} {Path(f'/proc/{pid}/stat').read_text()[:60]}"
    except OSError:
        return f"{pid} just gone"


def _wait_for_end(pid: int, wait_s: float) -> None:
    with contextlib.suppress(OSError):
        descriptor = os.pidfd_open(pid)
        try:
            select.select([descriptor], [], [], wait_s)
        finally:
            os.close(descriptor)
