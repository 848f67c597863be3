"""How long the threads of a process tree stood ready to run and did not, as the kernel counts it.

A bot has a deadline by the wall. On a busy machine it is not the bot's doing that it has to wait
for its core. Where it is, since it has lowered its own priority, nothing is counted.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

_NICE, _POLICY = 16, 38
"""Places in /proc/PID/stat after the name (proc_pid_stat(5) counts from 1, the name is its 2nd)."""
_ORDINARY = "0"
"""SCHED_OTHER."""


def queued_ns(pids: Iterable[int], nice: int) -> Mapping[int, int]:
    """Return for how long each thread of these processes has waited for a core since it began.

    A thread that is not scheduled as any other is left out: above `nice`, or by another policy.
    """
    found: dict[int, int] = {}
    for pid in filter(_is_ordinary_session, pids):
        for thread in _threads(pid):
            waited_ns = _waited_ns(f"/proc/{pid}/task/{thread}", nice)
            if waited_ns is not None:
                found[int(thread)] = waited_ns
    return found


def _is_ordinary_session(pid: int) -> bool:
    """Whether the kernel gives its session as much of a core as any other (sched(7), autogroup)."""
    try:
        return int(Path(f"/proc/{pid}/autogroup").read_text().split()[-1]) <= 0
    except (OSError, ValueError, IndexError):
        return True


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - names are all that is needed
    except OSError:
        return []


def _waited_ns(thread: str, nice: int) -> int | None:
    """Return how long a thread has waited; None of one that is gone, or waits by its own choice."""
    try:
        fields = Path(f"{thread}/stat").read_text().rpartition(")")[2].split()
        waited_ns = int(Path(f"{thread}/schedstat").read_text().split()[1])
    except (OSError, IndexError):
        return None
    is_ordinary = int(fields[_NICE]) <= nice and fields[_POLICY] == _ORDINARY
    return waited_ns if is_ordinary else None
