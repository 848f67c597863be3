"""Waiting for a core: the counted time, and bots that try to wait on purpose."""

import os

import pytest
from programs import line_of, python
from test_process import Starter
from test_users import Bots, bots

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
