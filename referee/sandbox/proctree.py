"""Process trees by /proc, for machines without control groups.

In `limits` and `none`, which filter no system calls, a child made by clone with CLONE_PARENT is in
no tree: it is killed after its match, but neither stopped nor charged before.
"""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterable

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
KILL_NS = 1_000_000_000
_OVER = (b"Z", b"X")
"""States of a thread that has ended."""


def live_children(pid: int) -> list[int]:
    """Return the PIDs of a process's children, zombies included."""
    children: list[int] = []
    for thread in threads(pid):
        with contextlib.suppress(OSError):
            text = read_proc(f"/proc/{pid}/task/{thread}/children")
            children += [int(child) for child in text.split()]
    return children


def parent_of(pid: int) -> int:
    """Return the PID of a process's parent."""
    return int(read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1])


def descendants(pid: int) -> list[int]:
    """Return the PIDs of the whole tree below a process, parents before children."""
    found = []
    waiting = live_children(pid)
    while waiting:
        child = waiting.pop()
        found.append(child)
        waiting += live_children(child)
    return found


def kill_all(pid: int) -> None:
    """Kill a process and the tree below it, for at most a second.

    Each round stops all processes before killing them, so a fork bomb cannot outrun the walk. If
    this process is a subreaper, orphans become its children.
    """
    until_ns = time.monotonic_ns() + KILL_NS
    seen: set[int] = set()
    while time.monotonic_ns() < until_ns:
        found = [pid, *descendants(pid)]
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for process in found:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, number)
        if seen.issuperset(found):
            return
        seen.update(found)


def stop_all(pid: int) -> None:
    """Stop a process and the tree below it, for at most a second.

    Repeats until no new process is found, since a process may fork before its stop.
    """
    until_ns = time.monotonic_ns() + KILL_NS
    seen: set[int] = set()
    while new := {pid, *descendants(pid)} - seen:
        for process in new:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGSTOP)
        seen |= new
        if time.monotonic_ns() > until_ns:
            return


def pin_all(pids: Callable[[], Iterable[int]], cores: set[int]) -> None:
    """Have all threads of stopped processes run on these cores alone, for at most a second.

    Repeats until all are there, since a process may fork before its stop.
    """
    until_ns = time.monotonic_ns() + KILL_NS
    while sum(_pin(int(thread), cores) for pid in pids() for thread in threads(pid)):
        if time.monotonic_ns() > until_ns:
            return


def _pin(thread: int, cores: set[int]) -> bool:
    """Return whether a thread has had to be moved."""
    try:
        if os.sched_getaffinity(thread) == cores:
            return False
        os.sched_setaffinity(thread, cores)
    except OSError:  # it has ended, or is of another user
        return False
    return True


def cpu_clock(pid: int) -> int:
    """Return the kernel's number of the CPU clock of a process, for `time.clock_gettime_ns`."""
    return (~pid << 3) | 2  # MAKE_PROCESS_CPUCLOCK of the kernel


def process_cpu_ns(pid: int) -> int:
    """Return the CPU time in ns of a process with all its threads; 0 once reaped."""
    try:
        return time.clock_gettime_ns(cpu_clock(pid))
    except OSError:
        return 0


def tree_cpu_ns(pid: int) -> int:
    """Return the CPU time in ns of a process, its live descendants and its reaped children.

    An approximation, named so in the record: reaped children count in whole ticks, and children
    with parents that ended before them are missed.
    """
    return sum(process_cpu_ns(each) + _reaped_cpu_ns(each) for each in (pid, *descendants(pid)))


def threads(pid: int) -> list[str]:
    """Return the ids of the threads of a process; empty once it has ended."""
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - only names are needed
    except OSError:
        return []


def live_place(pid: int) -> str:
    """Return the directory in /proc of a process, or of a live thread if its first one has ended.

    That of an ended first thread shows none of the memory, descriptors and directories which the
    other threads still have.
    """
    place = f"/proc/{pid}"
    if not _is_over(place):
        return place
    others = (f"{place}/task/{thread}" for thread in threads(pid))
    return next((other for other in others if not _is_over(other)), place)


def _is_over(place: str) -> bool:
    """Return whether the thread of this directory in /proc has ended."""
    try:
        return read_proc(f"{place}/stat").rpartition(b")")[2].split()[0] in _OVER
    except OSError:
        return True


def read_proc(path: str) -> bytes:
    """Return the content of a file below /proc; raises OSError."""
    with open(path, "rb", buffering=0) as file:  # noqa: PTH123 - Path takes twice as long
        return file.read()


def _reaped_cpu_ns(pid: int) -> int:
    try:
        fields = read_proc(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    except OSError:
        return 0
    return (int(fields[13]) + int(fields[14])) * TICK_NS  # cutime and cstime
