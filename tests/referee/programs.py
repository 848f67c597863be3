"""Small real programs to start, and ways to wait for what they do without ever sleeping."""

import os
import select
import sys
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path

from waiting import PATIENCE_S

from referee.sandbox.cgroup import Group
from referee.sandbox.isolation import Access
from referee.sandbox.limits import Limits
from referee.sandbox.process import Process
from referee.sandbox.program import Program
from referee.seats.remote_process import RemoteProcess

RUNNER = """
import os
print(os.getpid(), flush=True)
while True:
    if os.fork():
        os._exit(0)
"""
"""Runs from parent to child without end."""


def program(*argv: str, folder: str = "/") -> Program:
    return Program(name="bot", argv=argv, folder=folder)


def shell(script: str) -> Program:
    return program("/bin/sh", "-c", script)


def python(script: str, *arguments: str) -> Program:
    """Return a program of the standard library alone."""
    quiet = ("-I", "-S", "-W", "ignore")  # a warning would count as output
    return program(sys.executable, *quiet, "-c", textwrap.dedent(script), *arguments)


class Running(Process):
    """A process with a repeatable stop."""

    is_stopped = False

    def __init__(
        self,
        program: Program,
        limits: Limits,
        env: Mapping[str, str],
        group: Group | None,
        access: Access | None = None,
    ) -> None:
        """Start it; without `access` its own folder is its sandbox directory."""
        super().__init__(
            program, limits, env, group, access or Access(directory=Path(program.folder))
        )
        try:
            self.confirm()
        except BaseException:
            self.stop()
            raise

    def stands_still(self, pid: int) -> bool:
        """Whether one of its processes is suspended."""
        if self._group is None:
            return state_of(pid) == "T"
        return "frozen 1" in (self._group.path / "cgroup.events").read_text()

    def stop(self) -> None:
        if not self.is_stopped:
            self.is_stopped = True
            super().stop()

    def stop_without_group(self) -> None:
        """Stop it after its control group is gone."""
        self._group = None
        self.stop()


def line_of(process: Process | RemoteProcess) -> str:
    """Wait until the program has printed a line, and return it."""
    while "\n" not in (text := process.tail()):
        assert select.select([process.output], [], [], PATIENCE_S)[0], "it prints nothing"
        assert process.drain(), f"it has ended with {text!r}"
    return text.partition("\n")[0]


def end_of(process: Process | RemoteProcess) -> str:
    """Read the program's output to its end; return its exit text."""
    while select.select([process.output], [], [], PATIENCE_S)[0] and process.drain():
        pass
    ended = process.wait_end(PATIENCE_S * 10**9)
    assert ended is not None, "it does not end"
    return ended


def descriptors_of(pids: list[int]) -> list[int]:
    """Return a pidfd for each process, which must be alive."""
    return [os.pidfd_open(pid) for pid in pids]


def all_end(pidfds: list[int]) -> bool:
    """Wait for the end of the processes and close their pidfds."""
    until_s = time.monotonic() + PATIENCE_S
    waiting = set(pidfds)
    while waiting and (left_s := until_s - time.monotonic()) > 0:
        waiting.difference_update(select.select(list(waiting), [], [], left_s)[0])
    for pidfd in pidfds:
        os.close(pidfd)
    return not waiting


def state_of(pid: int) -> str:
    """Return the letter of a process's state: R runs, S sleeps, T is stopped, Z is a zombie."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


FAMILY = """
import ctypes, os, signal, sys, threading, time

def born(become, is_headless=False):
    reader, writer = os.pipe()

    def stay():
        os.write(writer, b"%d\\n" % os.getpid())
        os.close(writer)
        while True:
            signal.pause()

    if os.fork() == 0:
        become()
        if is_headless:
            threading.Thread(target=stay).start()
            ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
        stay()
    os.close(writer)
    return int(os.read(reader, 20))

def twice():
    if os.fork():
        os._exit(0)
    os.setsid()

def deaf():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)

pids = [born(lambda: None), born(os.setsid), born(twice), born(deaf)]
pids += [born(lambda: None, is_headless=True), born(lambda: None)]
os.kill(pids[-1], signal.SIGSTOP)
print(*pids, flush=True)
"""
"""Starts a plain child, a daemon, one forked twice, a deaf one, one whose first thread has ended,
and a stopped one; prints their pids."""

STAY = "while True: signal.pause()\n"

ON_OTHERS = """
import os, resource, sys
stranger = int(sys.argv[1])
attempts = {
    "prlimit": lambda: resource.prlimit(stranger, resource.RLIMIT_CORE, (0, 0)),
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, stranger, 19),
    "setpriority of its user": lambda: os.setpriority(os.PRIO_USER, 0, 19),
    "setscheduler": lambda: os.sched_setscheduler(
        stranger, os.SCHED_BATCH, os.sched_param(0)
    ),
    "chmod": lambda: os.chmod(os.environ["HOME"], 0o700),
    "fchmod": lambda: os.fchmod(os.open("own.txt", os.O_RDONLY), 0o644),
    "truncate": lambda: os.truncate("own.txt", 4),
}
done = []
for name, attempt in attempts.items():
    try:
        attempt()
        done.append(name)
    except PermissionError:
        pass
resource.prlimit(0, resource.RLIMIT_CORE, (0, 0))
print("did:", *done)
"""
