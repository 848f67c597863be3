"""What referees that were killed have left behind: control groups, processes and rooms.

A referee that ends in any other way ends its bots itself, and the kernel ends the bots of one that
is killed; but not what those have started in turn. All of it is told by the pid of its referee:
rooms and groups have that in their names, and the room stands in the environment of each bot, which
its children inherit unless they hide.
"""

import contextlib
import os
import re
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

from referee.sandbox.cgroup import remove_abandoned_groups
from referee.sandbox.proctree import is_running
from referee.sandbox.room import remove_room

_MARK = b"ARENA_ENDPOINT="
_ROOM = re.compile(rb"arena-(\d+)-")
_LOOKS = 10
"""What forks while it is looked for is found the next time, unless it is a bomb."""


def room_prefix() -> str:
    """Return what the names of this process's rooms begin with."""
    return f"arena-{os.getpid()}-"


def make_room() -> Path:
    """Make the folder of a bot, where others of this process are.

    What cleans up temporary folders may have removed the one they are all in.
    """
    Path(tempfile.gettempdir()).mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=room_prefix()))


def remove_own_rooms() -> None:
    """Remove the rooms of this process's bots that took too long to remove after their matches."""
    for room in Path(tempfile.gettempdir()).glob(f"{room_prefix()}*"):
        remove_room(room)


def remove_leftovers() -> None:
    """Kill and remove whatever belongs to a referee that is gone."""
    remove_abandoned_groups()
    for _ in range(_LOOKS):
        if not (found := list(_abandoned_processes())):
            break
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
    for room in Path(tempfile.gettempdir()).glob("arena-*-*"):
        if _is_abandoned(os.fsencode(room.name)):
            remove_room(room)


def _abandoned_processes() -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue  # it has ended, or is somebody else's
        if _MARK in environment and _is_abandoned(environment):
            yield int(folder.name)


def _is_abandoned(text: bytes) -> bool:
    owner = _ROOM.search(text)
    return owner is not None and not is_running(int(owner[1]))
