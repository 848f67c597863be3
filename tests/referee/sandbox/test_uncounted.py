"""What the kernel does not limit without a control group, and what the referee does about it."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from programs import Running, end_of, line_of
from sandboxed import LIMITS, MB, Starter, of_tiers
from waiting import becomes

from referee.sandbox import uncounted
from referee.sandbox.isolation import LEAST_ADDRESSES, max_addresses
from referee.sandbox.limits import Tier
from referee.sandbox.uncounted import MAX_FILES, Bounds, Watch

Thread = Callable[[str], str]
STAYS = "\nimport signal\nprint('held', flush=True)\nsignal.pause()\n"
PAGE_TABLES = """
import ctypes, mmap
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
step, size = 2 << 20, 512 << 30
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
while size >= step:
    at = libc.mmap(None, size, mmap.PROT_READ, flags, -1, 0)
    if at == ctypes.c_void_p(-1).value:
        size //= 2
        continue
    libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(size), 15)
    for place in range(at, at + size - step, step):
        ctypes.c_char.from_address(place).value
with open("/proc/self/status") as status:
    print(next(line for line in status if line.startswith("VmPTE")).split()[1], flush=True)
"""
"""Maps as much as it may, and has the kernel make a page table for every 2 MB of it."""

FILES = f"""
import os
os.chdir(os.environ["HOME"])
for number in range({MAX_FILES} + 100):
    open(str(number), "w").close()
{STAYS}"""
MANY = "import os\nfor _ in range(6):\n    if os.fork() == 0:\n        break\n"
PIPES = f"""
import os
kept = []
try:
    while True:
        kept.append(os.pipe())
except OSError:
    pass
{STAYS}"""
SHARED = f"""
import os
block = bytearray(150 << 20)
for _ in range(3):
    if os.fork() == 0:
        break
{STAYS}"""
FEW = "import os\nfor _ in range(2):\n    if os.fork() == 0:\n        break\n"
MEMORY = f"""
import ctypes
ctypes.CDLL(None).prctl(4, 0)  # makes its own files in /proc unreadable
block = bytearray(150 << 20)
{STAYS}"""

THREADS = f"""
import threading, time
threading.stack_size(32768)
try:
    for _ in range(4 * {LIMITS.processes}):
        threading.Thread(target=time.sleep, args=[3600], daemon=True).start()
except RuntimeError:
    print("refused", flush=True)
{STAYS}"""


def in_first_thread(work: str) -> str:
    return work


def in_last_thread(work: str) -> str:
    """Do the work in a thread that remains when the first one has ended."""
    return f"""
import ctypes, os, threading
threading.Thread(target=exec, args=[{work!r}, {{}}]).start()
ctypes.CDLL(None).syscall(60 if os.uname().machine == "x86_64" else 93, 0)
"""


in_each_thread = pytest.mark.parametrize("thread", [in_first_thread, in_last_thread])


@pytest.fixture(autouse=True)
def looks_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watch, "LOOK_NS", 0)


def is_ended(process: Running) -> bool:
    """Read the clock like a referee, until the bot is ended."""
    return becomes(lambda: process.cpu_ns() >= 0 and process.has_hit_memory_limit)


@of_tiers("namespaces", "landlock")
@pytest.mark.parametrize("groups", ["tree"], indirect=True)
def test_page_tables_take_little_memory(start_in: Starter, tier: Tier) -> None:
    kilobytes = int(line_of(start_in(tier, "-c", PAGE_TABLES, processes=False)))

    assert max_addresses(LIMITS.memory_bytes or 0) == max(LEAST_ADDRESSES, 64 * 300 * MB)
    assert kilobytes <= (max_addresses(LIMITS.memory_bytes or 0) >> 19) + 2048


@of_tiers("namespaces")
@pytest.mark.parametrize("groups", ["tree"], indirect=True)
@in_each_thread
def test_a_bot_with_very_many_files_in_memory_is_ended(
    start_in: Starter, tier: Tier, thread: Thread
) -> None:
    process = start_in(tier, "-c", thread(FILES), processes=False)

    assert is_ended(process)
    assert "files in /tmp; without a control group 10000 are allowed" in end_of(process)


@of_tiers("namespaces", "landlock")
@pytest.mark.parametrize("groups", ["groups", "tree"], indirect=True)
@in_each_thread
def test_a_bot_cannot_take_the_pipes_of_its_user(
    start_in: Starter, tier: Tier, thread: Thread
) -> None:
    process = start_in(tier, "-c", MANY + thread(PIPES))

    assert is_ended(process)
    assert f"open files of all its processes; {4 * LIMITS.files} are allowed" in end_of(process)


@of_tiers("namespaces", "landlock")
@pytest.mark.parametrize("groups", ["tree"], indirect=True)
@in_each_thread
def test_the_memory_of_several_processes_is_limited_as_a_whole(
    start_in: Starter, tier: Tier, thread: Thread
) -> None:
    process = start_in(tier, "-c", FEW + thread(MEMORY))

    assert is_ended(process)
    assert "MB in all its processes; 300 MB are allowed" in end_of(process)


@of_tiers("namespaces", "landlock")
@pytest.mark.parametrize("groups", ["tree"], indirect=True)
def test_threads_are_limited(start_in: Starter, tier: Tier) -> None:
    process = start_in(tier, "-c", THREADS, processes=False)

    if tier == "namespaces":
        assert line_of(process) == "refused"
    else:
        assert is_ended(process)
        assert "processes and threads; without a control group 80 are allowed" in end_of(process)


@of_tiers("namespaces", "landlock")
@pytest.mark.parametrize("groups", ["tree"], indirect=True)
def test_memory_shared_after_a_fork_counts_once(start_in: Starter, tier: Tier) -> None:
    process = start_in(tier, "-c", SHARED)
    line_of(process)

    for _ in range(3):
        process._looked_ns = 0
        process.cpu_ns()

    assert not process.has_hit_memory_limit


def test_a_bot_is_looked_at_once_in_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Watch, "LOOK_NS", 50)
    looks: list[int] = []

    def pids() -> list[int]:
        looks.append(1)
        return [os.getpid()]

    watch = Watch(Bounds(descriptors=10_000))

    found = [watch.look(now, lambda: None, pids) for now in (100, 149, 150, 199, 200)]

    assert (found, len(looks)) == ([False] * 5, 3)
    assert not Watch(Bounds()).look(time.monotonic_ns(), lambda: None, pids)
    assert len(looks) == 3


OWN_DESCRIPTORS = """
import ctypes, errno, json, os, sys
libc = ctypes.PyDLL(None, use_errno=True)
libc.syscall.argtypes = [ctypes.c_long] * 7
VM, FS, SIGHAND, THREAD, SYSVSEM, CLOEXEC, UNSHARE = 0x100, 0x200, 0x800, 0x10000, 0x40000, 4, 2
clone = 56 if os.uname().machine == "x86_64" else 220

def told(*call):
    done = libc.syscall(*call, *[0] * (7 - len(call)))
    return "allowed" if done >= 0 else errno.errorcode[ctypes.get_errno()]

print(json.dumps([
    told(436, 90, 99, CLOEXEC),
    told(436, 90, 99, UNSHARE),
    told(436, 90, 99, CLOEXEC | UNSHARE),
    # last, and without a stack: where it is allowed, the new thread ends the bot
    told(clone, VM | FS | SIGHAND | THREAD | SYSVSEM),
]), flush=True)
"""
"""A thread with descriptors of its own may have as many as the process."""


@of_tiers("namespaces", "landlock")
@pytest.mark.parametrize("groups", ["groups", "tree"], indirect=True)
@pytest.mark.parametrize("processes", [True, False])
def test_no_thread_has_descriptors_of_its_own(
    start_in: Starter, tier: Tier, *, processes: bool
) -> None:
    told = json.loads(line_of(start_in(tier, "-c", OWN_DESCRIPTORS, processes=processes)))

    assert told == ["allowed", "EPERM", "EPERM", "EPERM"]


@pytest.fixture
def many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(uncounted, "_files_in", lambda _: MAX_FILES + 1)
    return tmp_path


def test_a_bot_that_has_not_begun_has_no_files(many_files: Path) -> None:
    watch = Watch(Bounds(places=(Path("/files"),)))

    assert not watch.look(10**9, lambda: None, list)
    assert watch.look(2 * 10**9, lambda: many_files, list)
    assert not watch.look(3 * 10**9, lambda: many_files, list)
    assert str(MAX_FILES + 1) in watch.excess


@pytest.mark.parametrize(
    ("output", "was"),
    [
        ("sh: 1: Cannot fork", True),
        ("BlockingIOError: fork: Operation not permitted", True),
        ("Error: spawn EPERM", True),
        ("<main>: warning: timer_create failed: Operation not permitted, signals racy", False),
        ("", False),
    ],
)
def test_the_warning_of_ruby_is_no_refused_process(output: str, *, was: bool) -> None:
    assert uncounted.was_refused(output) is was
