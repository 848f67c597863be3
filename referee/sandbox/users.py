"""A user id for each bot of a referee that is root, so that no two bots are the same user.

The kernel counts some things by user that no namespace and no control group keeps apart:
descriptors in flight between sockets, pages of pipes, instances of inotify, and outside of
namespaces pending signals. Of bots that are the same user one could use up what a rival needs.
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

from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.unprivileged import NOBODY, is_root

FIRST = 2_100_000_000
"""systemd lists the ids from 1,879,048,192 to 2,147,352,575 as unused; user databases of networks
(SSSD, FreeIPA) end at 2,000,200,000, ids of containers (subuid) far below."""
BLOCK = 1024
BLOCKS = 45_000
LOCKS = Path("/run/arena-users.lock")
"""A byte of it is locked for each id in use. Only root can open it."""

_TAKEN = (errno.EAGAIN, errno.EACCES)


class Users:
    """The ids of one referee, taken when needed and used again, the one longest unused first."""

    def __init__(self, locks: Path) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        self._locks = os.fdopen(os.open(locks, flags, 0o600), "r+b", buffering=0)
        self._first = FIRST + BLOCK * _block_of(os.fstat(self._locks.fileno()))
        self._tried = 0
        self._free: deque[int] = deque()

    @classmethod
    def probe(cls, locks: Path = LOCKS) -> Self | None:
        """Return the ids that this process may give to bots; None where it can give none."""
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
        """Return an id that no other bot on this machine has; `NOBODY` if there is none left."""
        if not self._free:
            self._lock_next()
        return self._free.popleft() if self._free else NOBODY

    def give_back(self, user: int) -> None:
        """Keep the id of a bot that has ended for another."""
        if user != NOBODY:
            self._free.append(user)

    def close(self) -> None:
        """Let others have the ids; `take` then raises ValueError.

        Closing again does nothing: by number it could close a descriptor that is another's by now.
        """
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
        """Lock a byte until this process ends, however it ends."""
        try:
            fcntl.fcntl(self._locks, fcntl.F_OFD_SETLK, _lock_of(place))
        except OSError as error:
            if error.errno in _TAKEN:
                return False
            raise
        return True

    def _prove(self) -> None:
        """Raise OSError where a process cannot be, or a file belong to, such a user.

        In a container there may be no such ids, and a file system may not know them.
        """
        user = self.take()
        if not (_is_mapped("uid_map", user) and _is_mapped("gid_map", user)):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        directory = SandboxDirectory()
        try:
            os.chown(directory.path, user, user)
        finally:
            directory.remove()
        self.give_back(user)


def _lock_of(place: int) -> bytes:
    """Return the kernel's `struct flock` that locks one byte for writing."""
    return struct.pack("hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0)


def _block_of(locks: os.stat_result) -> int:
    """Return which ids are those of this file of locks.

    Containers without ids of their own do not see each other's locks, but other files have other
    numbers, so that they hardly ever get the same ids.
    """
    digest = hashlib.sha256(f"{locks.st_dev}:{locks.st_ino}".encode()).digest()
    return int.from_bytes(digest[:8]) % BLOCKS


def _is_mapped(name: str, number: int) -> bool:
    """Whether there is such an id in this process's user namespace."""
    for line in Path("/proc/self", name).read_text().splitlines():
        first, _, count = map(int, line.split())
        if first <= number < first + count:
            return True
    return False
