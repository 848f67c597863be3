"""Waiting for a core: the counted time, and bots that try to wait on purpose."""

import os

import pytest
from programs import line_of, python
from test_process import Starter
from test_users import Bots, bots

from referee.sandbox import queued
from referee.sandbox.limits import Tier
from referee.sandbox.queued import queued_ns
from referee.sandbox.unprivileged import NOBODY

__all__ = ["bots"]

WAITS_ON_PURPOSE = """
import ctypes, errno, os, struct
libc = ctypes.CDLL(None, use_errno=True)
number = {"x86_64": 314, "aarch64": 274}[os.uname().machine]

def attribute(policy, nice):
    wish = ctypes.create_string_buffer(struct.pack("IIQiIQQQ", 48, policy, 0, nice, 0, 0, 0, 0))
    if libc.syscall(number, 0, wish, 0):
        raise OSError(ctypes.get_errno(), "sched_setattr")

def control(operation):
    if libc.prctl(62, operation, 0, 0, 0):
        is_unknown = ctypes.get_errno() == errno.EINVAL  # and not ENODEV, without such cores
        raise OSError(errno.EPERM if is_unknown else errno.ENOSYS, "core scheduling")

def write(name, text):
    with open(name, "w") as file:
        file.write(text)

attempts = {
    "nice": lambda: os.nice(5),
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, 0, 5),
    "setpriority of its group": lambda: os.setpriority(os.PRIO_PGRP, 0, 5),
    "batch": lambda: os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0)),
    "idle": lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)),
    "nice by sched_setattr": lambda: attribute(0, 5),
    "batch by sched_setattr": lambda: attribute(3, 0),
    "idle by sched_setattr": lambda: attribute(5, 0),
    "core scheduling": lambda: control(1),
    "affinity": lambda: os.sched_setaffinity(0, os.sched_getaffinity(0)),
    "autogroup": lambda: write("/proc/self/autogroup", "5"),
    "autogroup of a thread": lambda: write("/proc/thread-self/autogroup", "5"),
}
done = []
for name, attempt in attempts.items():
    try:
        attempt()
        done.append(name)
    except FileNotFoundError:
        pass  # a kernel without sessions in groups
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EACCES, errno.EROFS):
            done.append(f"{name}: {error}")
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
print("did:", *done, flush=True)
"""


@pytest.mark.parametrize("tier", ["namespaces", "landlock"])
def test_a_sandboxed_bot_cannot_lower_its_own_priority(bots: Bots, tier: Tier) -> None:
    assert line_of(bots.start(tier, NOBODY, WAITS_ON_PURPOSE)) == "did:"


STAYS = 'print(flush=True)\nimport signal\nsignal.pause()'  # fmt: skip
CHOICES = {
    "as any other": "",
    "nice": "import os; os.nice(1)",
    "batch": "import os; os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))",
    "idle": "import os; os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))",
}


@pytest.mark.parametrize("choice", CHOICES)
def test_waiting_with_a_lowered_priority_is_not_counted(start: Starter, choice: str) -> None:
    process = start(python(f"{CHOICES[choice]}\n{STAYS}"))
    line_of(process)

    assert set(process.queued_ns()) == ({process.pid} if choice == "as any other" else set())


def test_each_living_thread_of_each_process_is_counted(start: Starter) -> None:
    family = """
import os, signal, threading
threading.Thread(target=signal.pause, daemon=True).start()
if child := os.fork():
    print(child, flush=True)
signal.pause()
"""
    process = start(python(family))
    child = int(line_of(process))
    threads = {int(name) for name in os.listdir(f"/proc/{process.pid}/task")}  # noqa: PTH208

    waited = process.queued_ns()

    assert set(waited) == threads | {child}
    assert len(threads) == 2
    assert min(waited.values()) >= 0
    process.stop()
    assert queued_ns([process.pid], nice=19) == {}


def test_a_name_that_is_no_text_hides_no_thread(start: Starter) -> None:
    renamed = 'import ctypes; ctypes.CDLL(None).prctl(15, b"\\xff) R 1", 0, 0, 0)'
    process = start(python(f"{renamed}\n{STAYS}"))
    line_of(process)

    assert set(process.queued_ns()) == {process.pid}


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Give process 7 a thread 8 with a name like a state, which has waited 500 ns."""
    made = {
        "/proc/7/autogroup": b"/autogroup-3 nice 0\n",
        "/proc/7/task/8/stat": _stat(),
        "/proc/7/task/8/schedstat": b"9000 500 12\n",
    }

    def read(path: str) -> bytes:
        if path not in made:
            raise FileNotFoundError(path)
        return made[path]

    monkeypatch.setattr(queued, "read_proc", read)
    monkeypatch.setattr(queued, "threads", lambda pid: ["8"] if pid == 7 else [])
    return made


def _stat(*, nice: int = 0, policy: int = 0) -> bytes:
    """Return the line of a thread with these fields 19 and 41 of proc_pid_stat(5)."""
    fields = ["S", *map(str, range(4, 53))]
    fields[19 - 3], fields[41 - 3] = str(nice), str(policy)
    return f"8 (a) R 1) {' '.join(fields)}\n".encode()


def test_a_thread_has_waited_as_long_as_the_kernel_says(files: dict[str, bytes]) -> None:
    assert queued_ns([7], nice=0) == {8: 500}

    del files["/proc/7/autogroup"]  # a kernel without sessions in groups

    assert queued_ns([6, 7], nice=0) == {8: 500}


@pytest.mark.parametrize(("share", "is_counted"), [(-1, True), (0, True), (1, False), (5, False)])
def test_a_session_with_a_lowered_share_waits_by_its_own_choice(
    files: dict[str, bytes], *, share: int, is_counted: bool
) -> None:
    files["/proc/7/autogroup"] = f"/autogroup-3 nice {share}\n".encode()

    assert set(queued_ns([7], nice=0)) == ({8} if is_counted else set())


@pytest.mark.parametrize("text", [b"", b"/autogroup-3 nice\n"])
def test_a_session_whose_share_cannot_be_read_is_ordinary(
    files: dict[str, bytes], text: bytes
) -> None:
    files["/proc/7/autogroup"] = text

    assert queued_ns([7], nice=0) == {8: 500}


def test_a_thread_is_ordinary_with_the_nice_value_that_its_bot_was_given(
    files: dict[str, bytes],
) -> None:
    files["/proc/7/task/8/stat"] = _stat(nice=3)

    assert queued_ns([7], nice=3) == {8: 500}
    assert queued_ns([7], nice=2) == {}


def test_a_thread_that_ends_between_two_files_is_not_counted(files: dict[str, bytes]) -> None:
    files["/proc/7/task/8/schedstat"] = b""

    assert queued_ns([7], nice=0) == {}
