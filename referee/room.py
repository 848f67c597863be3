"""A bot's room: the folder that is its own for as long as it runs."""

import contextlib
import os
import secrets
import time
from pathlib import Path


def remove_room(room: Path, wait_ns: int | None = None) -> None:
    """Remove a room with all that is in it, however deep, and whatever the bot has forbidden.

    Folders are moved up to the top one by one: `shutil.rmtree` goes down by recursion, and a bot
    digs deeper than that reaches, or than a path can name. What cannot be removed stays, and so
    does what is not removed within `wait_ns`.
    """
    until_ns = None if wait_ns is None else time.monotonic_ns() + wait_ns
    with contextlib.suppress(OSError):
        while _empty(room, until_ns):
            continue
        room.rmdir()


def _empty(room: Path, until_ns: int | None) -> bool:
    """Remove all files and the uppermost folders, whose folders move up; False if it was empty."""
    entries = list(os.scandir(room))
    for entry in entries:
        if until_ns is not None and time.monotonic_ns() > until_ns:
            return False
        if entry.is_dir(follow_symlinks=False):
            _raise_folders(entry.path, room)
            os.rmdir(entry.path)  # noqa: PTH106 - a path object for each of many is slow
        else:
            os.unlink(entry.path)  # noqa: PTH108 - the same
    return bool(entries)


def _raise_folders(folder: str, room: Path) -> None:
    os.chmod(folder, 0o700)  # noqa: PTH101 - as above
    for entry in list(os.scandir(folder)):
        if entry.is_dir(follow_symlinks=False):
            os.chmod(entry.path, 0o700)  # noqa: PTH101 - moving it writes its `..`
            os.rename(entry.path, room / secrets.token_hex(16))  # noqa: PTH104 - as above
        else:
            os.unlink(entry.path)  # noqa: PTH108 - as above
