"""A separate user id for each bot and build where the referee or builder is root.

The kernel limits some resources per user, regardless of namespaces and control groups:
descriptors in flight between sockets, pages of pipes, instances of inotify, and outside
namespaces pending signals. A bot could exhaust them for a rival with the same user.
"""

import contextlib
import errno
import fcntl
import hashlib
import os
import struct
from collections import deque
from pathlib import Path
from typing import Self

from referee.sandbox.directory import private_directory
from referee.sandbox.unprivileged import NOBODY, is_mapped, is_root

FIRST = 2_100_000_000
"""systemd lists the ids from 1,879,048,192 to 2,147,352,575 as unused; user databases of networks
(SSSD, FreeIPA) end at 2,000,200,000, ids of containers (subuid) far below."""
BLOCK = 1024
BLOCKS = 45_000
LOCKS = Path("/run/arena-users.lock")
"""File with one locked byte for each id in use. Only root can open it."""

_TAKEN = (errno.EAGAIN, errno.EACCES)


class Users:
    """The ids of one referee, locked on demand and reused, the longest unused first."""

    def __init__(self, locks: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._locks = os.fdopen(os.open(locks, flags, 0o600), "r+b", buffering=0)
        self._first = FIRST + BLOCK * _block_of(os.fstat(self._locks.fileno()))
        self._tried = 0
        self._free: deque[int] = deque()

    @classmethod
    def probe(cls, locks: Path = LOCKS) -> Self | None:
        """Return the ids available to this process, or None."""
        if not is_root():
            return None
        with contextlib.suppress(OSError):
            users = cls(locks)
            try:
                users._prove()
            except BaseException:
                users.close()
                raise
            return users
        return None

    def take(self) -> int:
        """Return an id unique on this machine; `NOBODY` if none is left."""
        if not self._free:
            self._lock_next()
        return self._free.popleft() if self._free else NOBODY

    def give_back(self, user: int) -> None:
        """Keep the id of an ended bot for another."""
        if user != NOBODY:
            self._free.append(user)

    def close(self) -> None:
        """Release all ids once: later the descriptor may be another file's. `take` then fails."""
        self._locks.close()
        self._free.clear()
        self._tried = 0

    def _lock_next(self) -> None:
        while self._tried < BLOCK:
            place = self._tried
            self._tried += 1
            if self._lock(place):
                self._free.append(self._first + place)
                return

    def _lock(self, place: int) -> bool:
        """Lock a byte until the end of this process; False if taken."""
        try:
            fcntl.fcntl(self._locks, fcntl.F_OFD_SETLK, _lock_of(place))
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            raise
        return True

    def _prove(self) -> None:
        """Raise OSError if this container or its file system does not support these ids."""
        user = self.take()
        if not (is_mapped("uid_map", user) and is_mapped("gid_map", user)):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        with private_directory() as directory:
            os.chown(directory, user, user)
        self.give_back(user)


def give_directory(directory: Path, user: int) -> None:
    """Make this user the owner of a tree; not of a link, nor of another user's file."""
    waiting = [os.fspath(directory)]
    os.chown(directory, user, user, follow_symlinks=False)
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                is_folder = entry.is_dir(follow_symlinks=False)
                stat = entry.stat(follow_symlinks=False)
                if not is_folder and stat.st_nlink > 1 and not _is_of_bots(stat.st_uid):
                    continue
                os.chown(entry.path, user, user, follow_symlinks=False)
                if is_folder:
                    waiting.append(entry.path)


def _is_of_bots(user: int) -> bool:
    return user == NOBODY or FIRST <= user < FIRST + BLOCK * BLOCKS


def _lock_of(place: int) -> bytes:
    """Return the kernel's `struct flock` for a write lock on one byte."""
    return struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0)


def _block_of(locks: os.stat_result) -> int:
    """Return the block of ids that belongs to this lock file, by its device and inode.

    Containers that share user ids do not see each other's locks, but their lock files differ, so
    they rarely get the same ids.
    """
    digest = hashlib.sha256(f"{locks.st_dev}:{locks.st_ino}".encode()).digest()
    return int.from_bytes(digest[:8]) % BLOCKS
