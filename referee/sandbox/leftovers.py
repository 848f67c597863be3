"""What referees that were killed have left behind: control groups, processes and rooms.

A group or a room is left behind when nobody holds its lock (`locked.py`); a process when its
environment names such a room, which its children inherit unless they hide.
"""

import contextlib
import os
import signal
import tempfile
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path

from referee.sandbox.cgroup import remove_abandoned_groups
from referee.sandbox.directory import remove_directory
from referee.sandbox.locked import NAME, abandoned_in

_MARK = b"ARENA_ENDPOINT="
_LOOKS = 10
"""What forks while it is looked for is found the next time, unless it is a bomb."""


def remove_leftovers() -> None:
    """Kill and remove whatever belongs to a process that is gone, of this user."""
    remove_abandoned_groups()
    with abandoned_in(Path(tempfile.gettempdir())) as rooms:
        _kill_those_in({room.name for room in rooms})
        for room in rooms:
            remove_directory(room)


def _kill_those_in(rooms: AbstractSet[str]) -> None:
    for _ in range(_LOOKS if rooms else 0):
        if not (found := list(_processes_in(rooms))):
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def _processes_in(rooms: AbstractSet[str]) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue  # it has ended, or is somebody else's
        if _MARK in environment and rooms & set(NAME.findall(os.fsdecode(environment))):
            yield int(folder.name)
