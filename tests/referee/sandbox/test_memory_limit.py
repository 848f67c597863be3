"""Too much memory in all processes of a bot together: noticed, ended as one, and evidence."""

import ctypes
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Running, end_of, line_of, python
from waiting import PATIENCE_S, becomes

from protocol.vocabulary import Termination
from referee.job import Job, Player
from referee.sandbox.cgroup import Group, Groups
from referee.sandbox.limits import Limits
from referee.seats.bot import Bot

pytestmark = [
    pytest.mark.usefixtures("subreaper"),
    pytest.mark.parametrize("groups", ["memory"], indirect=True),
]
MB = 1 << 20
LIMITS = Limits(memory_bytes=100 * MB)
HOARD = """
import os, signal
for child in range(4):
    if os.fork() == 0:
        kept = bytearray(b"x") * (40 << 20)
        signal.pause()
while True:
    signal.pause()
"""
"""Each process stays below its limit; the bot continues if one is killed."""


@pytest.fixture
def group(groups: Groups) -> Iterator[Group]:
    taken = groups.take(LIMITS.memory_bytes)
    yield taken
    taken.remove()


def wait_alarm(process: Running | Bot) -> None:
    """Act like a waiting link: check the memory alarm, if this kernel needs one."""
    heard = process if isinstance(process, Running) else process.process
    alarm = heard.memory_alarm
    if alarm is not None:
        assert select.select([alarm], [], [], PATIENCE_S)[0]
        heard.end_for_memory()


def test_a_bot_with_one_process_out_of_memory_is_killed_completely(group: Group) -> None:
    process = Running(python(HOARD), LIMITS, {}, group)

    wait_alarm(process)

    assert end_of(process) == "signal SIGKILL, out of memory"
    assert process.has_hit_memory_limit
    process.stop()
    assert becomes(group.is_empty)


def test_the_memory_alarm_of_a_bot_does_not_affect_the_next_in_its_group(groups: Groups) -> None:
    first = groups.take(LIMITS.memory_bytes)
    process = Running(python(HOARD), LIMITS, {}, first)
    wait_alarm(process)
    end_of(process)
    process.stop()
    assert becomes(first.is_empty)
    groups.give_back(first)

    second = groups.take(LIMITS.memory_bytes)
    other = Running(python("print('here')"), LIMITS, {}, second)

    assert second is first
    assert end_of(other) == "exit code 0"
    assert not other.has_hit_memory_limit
    if second.memory_alarm is not None:
        assert select.select([second.memory_alarm], [], [], 0)[0] == []
    other.stop()
    assert becomes(second.is_empty)
    groups.give_back(second)


LEAVER = """
import ctypes
libc = ctypes.CDLL(None)
libc.shmat.restype = ctypes.c_void_p
number = libc.shmget(0, ctypes.c_size_t(60 << 20), 0o1600)
ctypes.memset(libc.shmat(number, None, 0), 1, 60 << 20)
print(number, flush=True)
"""
"""It ends, and its segment of shared memory stays."""


def test_memory_that_a_bot_leaves_is_not_charged_to_the_next(groups: Groups) -> None:
    first = groups.take(LIMITS.memory_bytes)
    leaver = Running(python(LEAVER), LIMITS, {}, first)
    segment = int(line_of(leaver))
    try:
        end_of(leaver)
        leaver.stop()
        assert becomes(first.is_empty)
        groups.give_back(first)

        second = groups.take(LIMITS.memory_bytes)
        other = Running(python("kept = b'x' * (60 << 20)"), LIMITS, {}, second)

        assert end_of(other) == "exit code 0"
        other.stop()
        assert becomes(second.is_empty)
        groups.give_back(second)
    finally:
        ctypes.CDLL(None).shmctl(segment, 0, None)


def test_a_bot_over_its_memory_limit_is_suspected_if_its_match_is_void(
    groups: Groups, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as rooms:
        monkeypatch.setattr(tempfile, "tempdir", rooms)
        player = Player(
            name="hoarder",
            argv=(sys.executable, "-I", "-S", "-c", HOARD),
            folder=str(Path(os.devnull).parent),
            content="",
        )
        job = Job(key="k", game="pente", players=(player,) * 2, seed=1, board_seed=1, limits=LIMITS)
        bot = Bot(player, job, groups)
        before = bot.suspicion()

        wait_alarm(bot)
        end_of(bot.process)

        assert before is None
        assert bot.suspicion() == (Termination.MEMORY, "it exceeded its memory limit")
        bot.stop()


WORKER = """
import sys
from programs import Running, end_of, python
from referee.job import Limits
most = bytearray(b"x") * (180 << 20)
bot = Running(python(sys.argv[1]), Limits(memory_bytes=8 << 30), {}, None)
print(end_of(bot))
bot.stop()
"""
EATER = """
kept = []
while True:
    kept.append(bytearray(b"x") * (8 << 20))
"""


def test_where_a_bot_takes_the_memory_of_its_worker_the_kernel_ends_the_bot(
    groups: Groups,
) -> None:
    held = groups.take(300 * MB)

    def join() -> None:
        for opened in held.all_procs:
            os.write(opened, b"0")

    worker = subprocess.run(
        [sys.executable, "-c", WORKER, EATER],
        preexec_fn=join,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert (worker.returncode, worker.stdout) == (0, b"signal SIGKILL\n"), worker.stderr
    held.remove()
