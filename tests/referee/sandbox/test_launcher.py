"""Processes that stand by for a bot: children of the referee, in their groups, never left over."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosting import Bots, job, pids
from programs import all_end
from waiting import PATIENCE_S, becomes

from referee.sandbox.cgroup import Groups
from referee.sandbox.child import SECOND_NS, Child, Command, PrepareError
from referee.sandbox.launcher import Launcher
from referee.sandbox.new_process import FIRST
from referee.sandbox.proctree import live_children
from referee.service.slot import Slot

PATIENCE_NS = 60 * SECOND_NS
SELF_KILLER = """
import os, signal, sys
from referee.sandbox.launcher import Launcher
launcher = Launcher()
standby = launcher.start([])
print(launcher.pid, standby.pid, flush=True)
sys.stdin.read(1)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    if (found := Launcher.probe()) is None:
        pytest.skip("the system calls of this processor are unknown to Arena")
    yield found
    found.close()


IMPOSSIBLE = ("limit", 1_000_000, 0)
"""A step that fails, as one of a sandbox may."""


def command(*argv: str, folder: Path, **others: object) -> Command:
    given = {"env": {"PATH": os.defpath, "NAME": "a bot"}, "descriptors": (), "steps": ()}
    return Command(argv=argv, folder=str(folder), **(given | others))  # type: ignore[arg-type]


def test_a_standby_process_becomes_the_program(launcher: Launcher, tmp_path: Path) -> None:
    standby = launcher.start([])
    assert standby is not None
    assert standby.pid in live_children(os.getpid())
    reader, writer = os.pipe()
    script = f'pwd; echo "$NAME $0 $$"; cat; echo said >/proc/$$/fd/{FIRST}; ls /proc/$$/fd'
    child = Child(command("sh", "-c", script, folder=tmp_path, descriptors=(writer,)), standby)
    os.close(writer)

    child.confirm()
    assert child.wait(PATIENCE_NS) == 0
    where, who, *descriptors = os.read(child.output, 1 << 16).decode().split("\n")
    assert (where, who) == (str(tmp_path), f"a bot sh {standby.pid}")
    assert set(descriptors) <= {"", "0", "1", "2", str(FIRST)}
    assert os.read(reader, 100) == b"said\n"
    os.close(reader)
    child.close()


@pytest.mark.parametrize(
    ("program", "steps", "error"),
    [("no-such-program", (), FileNotFoundError), ("true", (IMPOSSIBLE,), PrepareError)],
)
def test_a_standby_process_reports_what_fails(
    launcher: Launcher, tmp_path: Path, program: str, steps: object, error: type[Exception]
) -> None:
    child = Child(command(program, folder=tmp_path, steps=steps), launcher.start([]))

    with pytest.raises(error, match=r"No such file|invalid resource"):
        child.confirm()

    assert child.wait(PATIENCE_NS) == 255
    child.close()


@pytest.mark.parametrize("length", [1, 100_000])
def test_a_command_is_executed_once_by_its_standby_process(
    launcher: Launcher, tmp_path: Path, length: int
) -> None:
    env = {"PATH": os.defpath} | {f"NAME_{number}": "x" * length for number in range(6)}
    for _ in range(8):  # the end of a quick process is seen while its command is still being sent
        standby = launcher.start([])
        assert standby is not None
        child = Child(command("true", folder=tmp_path, env=env), standby)
        child.confirm()
        assert child.wait(PATIENCE_NS) == 0
        assert child.pid == standby.pid
        child.close()


def test_without_its_standby_process_a_program_is_forked(
    launcher: Launcher, tmp_path: Path
) -> None:
    standby = launcher.start([])
    assert standby is not None
    os.kill(standby.pid, signal.SIGKILL)
    os.waitpid(standby.pid, 0)
    child = Child(command("sh", "-c", "echo here", folder=tmp_path), standby)

    child.confirm()
    assert child.wait(PATIENCE_NS) == 0
    assert child.pid != standby.pid
    assert os.read(child.output, 100) == b"here\n"
    child.close()


def test_a_launcher_that_has_ended_starts_nothing(launcher: Launcher) -> None:
    os.kill(launcher.pid, signal.SIGKILL)

    assert launcher.start([]) is None
    assert launcher.start([]) is None


def test_launcher_and_standby_process_end_with_their_referee() -> None:
    command = [sys.executable, "-c", SELF_KILLER]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as referee:
        assert referee.stdout is not None
        started = [os.pidfd_open(int(pid)) for pid in referee.stdout.readline().split()]
        assert len(started) == 2
        referee.communicate("!", PATIENCE_S)

    assert referee.returncode == -signal.SIGKILL
    assert all_end(started)


def test_the_bots_of_the_next_match_stand_by_and_nothing_is_left(
    new_groups: Groups, launcher: Launcher, subreaper: None, rooms: Path, bots: Bots
) -> None:
    del subreaper
    before = set(live_children(os.getpid())) - {launcher.pid}
    new_groups.launcher = launcher
    slot = Slot(new_groups)
    task = job(bots.polite("one"), bots.polite("other"))

    slot.play(task)
    waiting = new_groups.own_pids() - {launcher.pid}
    # joining takes them some milliseconds
    assert becomes(lambda: len({Path(f"/proc/{pid}/cgroup").read_text() for pid in waiting}) == 4)
    record = slot.play(task)

    assert len(waiting) == 4
    assert set(pids(record).values()) < waiting
    assert len(new_groups.own_pids() & waiting) == 2
    slot.close()
    new_groups.close()
    assert set(live_children(os.getpid())) <= before
    assert list(rooms.iterdir()) == []
