"""Folders and control groups that belong to a running process: it holds a lock on each of them.

The kernel releases the lock when that process ends, however it ends, and it holds in every
container that sees the folder. A pid says less: in another container it is another process.
Each folder is open to its owner alone, so that no bot which is another user can hold the lock.
"""

import contextlib
import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

NAME = re.compile(r"arena-\d+-[0-9a-f]{8}")
"""Of every such folder. The pid in it is for people; nothing is decided by it."""


def make_locked(home: Path) -> tuple[Path, int]:
    """Make a folder in `home`; return it and the descriptor that holds its lock."""
    while True:
        folder = home / f"arena-{os.getpid()}-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        if (lock := take_lock(folder)) is not None:
            return folder, lock
        # somebody who removes what is abandoned was here before us


def take_lock(folder: Path) -> int | None:
    """Return a descriptor that holds the lock; None if it is not to be had.

    That is so where another process holds it, and where the folder is another user's, or gone.
    """
    try:
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(lock), folder.lstat()):
                return lock
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(lock)
        raise
    os.close(lock)
    return None


@contextlib.contextmanager
def abandoned_in(*homes: Path) -> Iterator[list[Path]]:
    """Yield the folders in `homes` whose processes have ended, all locked meanwhile."""
    locks: dict[Path, int] = {}
    try:
        for home in homes:
            for folder in home.glob("arena-*-*"):
                with contextlib.suppress(OSError):  # another user's, or no folder
                    if NAME.fullmatch(folder.name) and (lock := take_lock(folder)) is not None:
                        locks[folder] = lock
        yield list(locks)
    finally:
        for lock in locks.values():
            os.close(lock)
