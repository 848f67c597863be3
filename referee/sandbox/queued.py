"""Time that threads have waited for a core while ready to run, as counted by the kernel.

A bot has a deadline in wall-clock time, and on a busy machine waits for its core through no fault
of its own. A thread with a lowered priority waits by its own choice and is not counted.
"""

from collections.abc import Iterable, Mapping

from referee.sandbox.proctree import read_proc, threads

_NICE, _POLICY = 16, 38
"""Indexes in /proc/PID/stat after the name, the 2nd field of proc_pid_stat(5)."""
_ORDINARY = b"0"
"""SCHED_OTHER."""


def queued_ns(pids: Iterable[int], nice: int) -> Mapping[int, int]:
    """Return the time in ns that each ordinary thread of these processes has waited for a core."""
    found: dict[int, int] = {}
    for pid in filter(_is_ordinary_session, pids):
        for thread in threads(pid):
            waited_ns = _waited_ns(f"/proc/{pid}/task/{thread}", nice)
            if waited_ns is not None:
                found[int(thread)] = waited_ns
    return found


def _is_ordinary_session(pid: int) -> bool:
    """Return whether its session has an ordinary share of a core (sched(7), autogroup)."""
    try:
        return int(read_proc(f"/proc/{pid}/autogroup").split()[-1]) <= 0
    except (OSError, ValueError, IndexError):
        return True


def _waited_ns(thread: str, nice: int) -> int | None:
    """Return the waiting time in ns of a thread; None if ended or of low priority."""
    try:
        fields = read_proc(f"{thread}/stat").rpartition(b")")[2].split()
        waited_ns = int(read_proc(f"{thread}/schedstat").split()[1])
    except (OSError, IndexError):
        return None
    is_ordinary = int(fields[_NICE]) <= nice and fields[_POLICY] == _ORDINARY
    return waited_ns if is_ordinary else None
