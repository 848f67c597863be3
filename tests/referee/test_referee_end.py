"""The end of a referee's process in every way it can come, and what it leaves."""

import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pytest
from hosting import SMALL, Bots
from programs import all_end
from referee_process import REFEREE, Referee, job
from waiting import PATIENCE_S, becomes

from referee.sandbox.controllers import own_group

GROUPLESS = """
from referee import __main__ as referee
from referee.sandbox.cgroup import Groups
Groups.probe = lambda: None
referee.main()
"""
INTERRUPTED = """
import signal
from referee import __main__ as referee
from referee.sandbox.launcher import Launcher
def probe():
    print("begun", flush=True)
    try:
        signal.pause()
    except SystemExit:
        raise ValueError("a library that was interrupted") from None
Launcher.probe = probe
referee.main()
"""
HIDDEN = r"""
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, 0, 0, 0, 0)  # PR_SET_PDEATHSIG: live on
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open(sys.argv[1], "w") as told:
            told.write(f"{os.getpid()}\n")
        os.execve("/bin/sleep", ["sleep", "86399"], {})
while True:
    signal.pause()
"""
"""A bot that survives its referee, with a child that cannot be traced to it."""


def test_a_terminated_referee_ends_its_bots(referee: Referee) -> None:
    bot = referee.seat_silent_bot()

    referee.process.terminate()

    assert all_end([bot])
    assert referee.ended() == (0, "")


def test_bots_of_a_terminated_referee_receive_a_void_term(referee: Referee, tmp_path: Path) -> None:
    fifo, note = tmp_path / "called", tmp_path / "note"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    bots = Bots(tmp_path)
    thinks = f"def on_move(self, call):\n    open('{fifo}', 'w').write('!')\n    signal.pause()"
    hears = f"def on_term(self, term): open('{note}', 'w').write(term['termination'])"
    players = [asdict(bots.first("thinks", thinks)), asdict(bots.first("hears", hears))]
    time = {"per_move_ns": 3600 * 10**9}
    referee.send(job("void", players=players, time=time, **SMALL))
    assert select.select([reader], [], [], PATIENCE_S)[0], "nobody is called"
    os.close(reader)

    referee.process.terminate()

    assert referee.ended() == (0, "")
    assert note.read_text() == "void"


def test_a_library_that_is_interrupted_by_the_end_prints_no_traceback() -> None:
    command, pipe = (sys.executable, "-c", INTERRUPTED), subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"

        process.terminate()

        assert process.communicate(timeout=PATIENCE_S) == ("", "")
    assert process.returncode == 0


def left_of(pid: int) -> list[Path]:
    """Return the remaining directories and groups of the process."""
    homes = [Path(tempfile.gettempdir()), own_group()]
    return [path for home in homes if home for path in home.glob(f"arena-{pid}-*")]


def is_cleared(pid: int) -> bool:
    """Wait until nothing of an ended referee is left.

    A referee of another test may be removing it: then the warden, which has ended, has left it.
    """
    return becomes(lambda: not left_of(pid))


def test_a_killed_referee_leaves_nothing(referee: Referee) -> None:
    bot, pid = referee.seat_silent_bot(), referee.pid
    assert left_of(pid)

    os.kill(pid, signal.SIGKILL)

    assert referee.ended()[0] == -signal.SIGKILL
    assert all_end([bot])
    assert is_cleared(pid)


@pytest.mark.parametrize("command", [REFEREE, (sys.executable, "-c", GROUPLESS)])
def test_processes_outside_the_tree_of_a_killed_referee_end_too(
    tmp_path: Path, command: Sequence[str]
) -> None:
    referee = Referee(tmp_path, command)
    hidden, pid = referee.seat_silent_bot(HIDDEN), referee.pid

    os.kill(pid, signal.SIGKILL)

    assert referee.ended()[0] == -signal.SIGKILL
    assert is_ended(hidden), "its warden has ended before"


def test_a_referee_with_a_killed_warden_ends_with_its_bots(referee: Referee) -> None:
    bot, pid = referee.seat_silent_bot(), referee.pid
    itself = os.pidfd_open(pid)

    referee.process.kill()

    assert all_end([bot, itself])
    assert referee.ended()[0] == -signal.SIGKILL
    assert is_cleared(pid)


def is_ended(pidfd: int) -> bool:
    """Whether the process has ended by now."""
    return bool(select.select([pidfd], [], [], 0)[0])


DIRECTOR = """
import subprocess, sys
command = [sys.executable, "-m", "referee"]
with subprocess.Popen(command, stdin=int(sys.argv[1]), stdout=subprocess.PIPE) as referee:
    answer = referee.stdout.readline()
    with open(f"/proc/{referee.pid}/task/{referee.pid}/children") as children:
        print(referee.pid, children.read(), flush=True)
    sys.stdin.read()
"""


def test_a_referee_ends_with_its_director() -> None:
    jobs, writer = os.pipe()
    os.write(writer, job("first").encode() + b"\n")
    with subprocess.Popen(
        [sys.executable, "-c", DIRECTOR, str(jobs)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[jobs],
    ) as director:
        assert director.stdout is not None
        both = [os.pidfd_open(int(pid)) for pid in director.stdout.readline().split()]
        assert len(both) == 2

        director.kill()  # there may still come jobs, for all the referee knows

        assert all_end(both)
    os.close(writer)
    os.close(jobs)
