"""Orphans of bots and builds: a subreaper becomes their parent, and kills them.

Linux gives the children of an ending process to the nearest subreaper among its ancestors.
"""

import contextlib
import ctypes
import os
import time
from collections.abc import Iterable

from referee.sandbox.proctree import kill_all, live_children

STOP_NS = 1_000_000_000
"""Time in ns for all orphans to end."""

_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True)


def become_subreaper() -> None:
    """Make this process the parent of every orphan below it."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def sweep(spare: set[int]) -> None:
    """Kill and reap every process below this one except the trees of `spare`.

    Orphans become children of this process, so repeat until none is left, for at most a second.
    """
    until_ns = time.monotonic_ns() + STOP_NS
    while found := kill_strays(spare):
        reap(found)
        if time.monotonic_ns() > until_ns:
            return


def kill_strays(spare: set[int]) -> set[int]:
    """Kill every process below this one except the trees of `spare`; return those to reap."""
    found = set(live_children(os.getpid())) - spare
    for pid in found:
        kill_all(pid)
    return found


def reap(killed: Iterable[int]) -> None:
    """Wait for the end of killed children of this process."""
    for pid in killed:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, 0)
