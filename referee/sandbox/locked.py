"""Locks on the directories and control groups of a running process.

The kernel releases a lock when its process ends, however it ends. A lock holds in every container
with access to the directory; a PID names another process in another container. Each directory is
open to its owner only, so a bot with another user cannot take the lock.
"""

import contextlib
import fcntl
import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path

LOCKED_NAME = re.compile(r"arena-\d+-[0-9a-f]{8}")
"""Name of a locked directory. Its PID is for people; no decision depends on it."""


def make_locked(home: Path) -> tuple[Path, int]:
    """Create a directory in `home`; return it and the descriptor of its lock."""
    while True:
        folder = home / f"arena-{os.getpid()}-{secrets.token_hex(4)}"
        folder.mkdir(mode=0o700)
        if (lock := take_lock(folder)) is not None:
            return folder, lock
        # another process removed it as abandoned before it was locked


def take_lock(folder: Path) -> int | None:
    """Return a descriptor of the lock; None if it is held, or the directory is gone or foreign."""
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
    """Yield the directories in `homes` of ended processes, locked during the context."""
    locks: dict[Path, int] = {}
    try:
        for home in homes:
            for folder in home.glob("arena-*-*"):
                with contextlib.suppress(OSError):  # another user's, or no directory
                    if (
                        LOCKED_NAME.fullmatch(folder.name)
                        and (lock := take_lock(folder)) is not None
                    ):
                        locks[folder] = lock
        yield list(locks)
    finally:
        for lock in locks.values():
            os.close(lock)
