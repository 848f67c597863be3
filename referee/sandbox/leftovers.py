"""Leftovers of killed referees: control groups, processes and sandbox directories.

A group or directory is a leftover if no process holds its lock (`locked.py`). A process is a
leftover if a variable `ARENA_...` and such a directory are in its environment, which its children
inherit unless they change it.
"""

import contextlib
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

from referee.sandbox.cgroup import remove_abandoned_groups
from referee.sandbox.directory import remove_directory
from referee.sandbox.locked import LOCKED_NAME, abandoned_in

_MARK = re.compile(rb"(?:^|\0)ARENA_[A-Z]+=")
_SEARCHES = 10
"""Maximum number of searches: a process may fork during a search."""


def remove_leftovers() -> None:
    """Kill and remove the leftovers of this user's ended processes."""
    remove_abandoned_groups()
    with abandoned_in(Path(tempfile.gettempdir())) as directories:
        _kill_processes_of({directory.name for directory in directories})
        for directory in directories:
            remove_directory(directory)


def _kill_processes_of(directories: AbstractSet[str]) -> None:
    for _ in range(_SEARCHES if directories else 0):
        if not (found := list(_processes_of(directories))):
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _processes_of(directories: AbstractSet[str]) -> Iterator[int]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
        except OSError:
            continue  # ended, or another user's
        if _MARK.search(environment) and directories & set(
            LOCKED_NAME.findall(os.fsdecode(environment))
        ):
            yield int(process.name)
