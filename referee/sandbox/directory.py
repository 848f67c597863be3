"""The room of a bot: the folder that is its own for as long as it runs, and its removal."""

import contextlib
import os
import secrets
import tempfile
import time
from pathlib import Path

from referee.sandbox.locked import make_locked

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class SandboxDirectory:
    """A folder for one bot, in a locked one that stays the referee's when the bot owns its own."""

    def __init__(self) -> None:
        """Make it where temporary files go; what cleans up there may have removed that folder."""
        home = Path(tempfile.gettempdir())
        home.mkdir(parents=True, exist_ok=True)
        self._outer, self._lock = make_locked(home)
        self._outer.chmod(0o711)
        self.path = self._outer / "b"
        """The bot's own folder."""
        self.path.mkdir(mode=0o700)

    def remove(self, wait_ns: int | None = None) -> None:
        """Remove it; what is not removed within `wait_ns` is abandoned."""
        try:
            remove_directory(self._outer, wait_ns)
        finally:
            os.close(self._lock)


def remove_directory(room: Path, wait_ns: int | None = None) -> None:
    """Remove a room with all that is in it, however deep, and whatever the bot has forbidden.

    Folders are moved up to the top one by one: `shutil.rmtree` goes down by recursion, and a bot
    digs deeper than that reaches, or than a path can name. What cannot be removed stays, and so
    does what is not removed within `wait_ns`. No link is followed, nor one that somebody puts in
    the place of a folder or of the room itself meanwhile: a bot may be nobody and the referee root.
    """
    until_ns = None if wait_ns is None else time.monotonic_ns() + wait_ns
    with contextlib.suppress(OSError):
        if room.is_symlink():
            room.unlink()
            return
        top = _opened(str(room))
        try:
            while _empty(top, until_ns):
                continue
        finally:
            os.close(top)
        room.rmdir()


def _opened(name: str, parent: int | None = None) -> int:
    """Open a folder to list and change it, whatever it has forbidden its owner."""
    place = os.open(name, os.O_PATH | _FOLDER, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{place}", 0o700)  # noqa: PTH101 - it has no other name for sure
        return os.open(".", os.O_RDONLY | _FOLDER, dir_fd=place)
    finally:
        os.close(place)


def _empty(top: int, until_ns: int | None) -> bool:
    """Remove all files and the uppermost folders, whose folders move up; False if it was empty."""
    was_empty = True
    with os.scandir(top) as entries:
        for entry in entries:
            was_empty = False
            _check_time(until_ns)
            if entry.is_dir(follow_symlinks=False):
                _raise_folders(entry.name, top, until_ns)
                os.rmdir(entry.name, dir_fd=top)
            else:
                os.unlink(entry.name, dir_fd=top)
    return not was_empty


def _raise_folders(name: str, top: int, until_ns: int | None) -> None:
    folder = _opened(name, top)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                _check_time(until_ns)
                if entry.is_dir(follow_symlinks=False):
                    os.close(_opened(entry.name, folder))  # moving it writes its `..`
                    aside = secrets.token_hex(16)
                    os.rename(entry.name, aside, src_dir_fd=folder, dst_dir_fd=top)
                else:
                    os.unlink(entry.name, dir_fd=folder)
    finally:
        os.close(folder)


def _check_time(until_ns: int | None) -> None:
    if until_ns is not None and time.monotonic_ns() > until_ns:
        raise TimeoutError
