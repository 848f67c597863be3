"""The disk of a bot or a build: its free space, and who has taken what others may need."""

import contextlib
import os
import re
import stat
from collections.abc import Iterable
from pathlib import Path

from referee.sandbox.proctree import live_place
from referee.sandbox.shortage import Use
from referee.sandbox.surroundings import MB

MIN_FREE = 256 * MB
"""Bytes that a build leaves free on its disk; if few are free at its start, half of them."""
MIN_FREE_FILES = 1000
"""Files that a disk must have space for, or programs may fail by no fault of their own."""
NEARLY_NONE = MB
"""Free bytes of a full disk: the last program that it has refused may have had files open."""
NEARLY_NO_FILES = 10
NO_SPACE = re.compile(
    r"no space left on|disk quota exceeded|\bENOSPC\b|disk is full", re.IGNORECASE
)
"""Messages of systems, toolchains and languages about a full disk."""
FILE_BYTES = 4096
"""Least bytes that a file counts for: it takes a place among the disk's files, too."""
MAX_NAMES = 1000
"""Limit of the open or mapped files of a process that are looked at."""


def has_room(
    folder: str | Path, least_bytes: int = MIN_FREE, least_files: int = MIN_FREE_FILES
) -> bool:
    """Return whether a disk has so much space for any user, by default enough for a build."""
    status = _status(Path(folder))
    has_few_files = status.f_files > 0 and status.f_favail < least_files
    return not has_few_files and status.f_bavail * status.f_frsize >= least_bytes


class Disk:
    """The disk of a folder of a build, which other programs may fill meanwhile."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.least = self._free = self.free_bytes()
        """Fewest free bytes seen."""
        self.reserve = min(MIN_FREE, self._free // 2)
        """Bytes that the build must leave free."""

    @property
    def is_short(self) -> bool:
        """Whether less than the reserve was free."""
        return self.least < self.reserve

    def free_bytes(self) -> int:
        """Return the bytes that ordinary users may still write; the folder may be removed."""
        status = _status(self.folder)
        return status.f_bavail * status.f_frsize

    def look(self, copied: int = 0) -> None:
        """Note the free bytes, less those to be copied."""
        self.least = min(self.least, self.free_bytes() - copied)

    def is_filled_by_others(self) -> bool:
        """Whether other programs filled the disk. Look after the build's files are removed.

        The space regained since the minimum was the build's. This includes files that were open
        and removed: no build can hide its own use to blame the machine.
        """
        if not self.is_short:
            return False
        os.sync()  # some file systems free the blocks of removed files only then
        own = self.free_bytes() - self.least
        return self._free - own >= self.reserve


class BotDisk:
    """The disk of a bot's home and scratch directory, where these have no file system of their own.

    Each file has a limit there, but not the number of files.
    """

    def __init__(self, folder: Path, limit: int) -> None:
        """Look at the disk at the start of the bot, which may use `limit` bytes of it."""
        self._folder, self._limit = folder, limit
        self._first = Disk(folder).least

    def __str__(self) -> str:
        disk = next(path for path in (self._folder, *self._folder.parents) if path.is_mount())
        return f"the disk of {disk} has {Disk(self._folder).least // MB} MB free"

    def denies(self, output: str) -> bool:
        """Return whether a bot that has ended with this output lacked space below its own limit.

        The disk is full, or the bot says so and what is left is less than its limit: its files may
        be removed by now.
        """
        if not NO_SPACE.search(output):
            is_full = not has_room(self._folder, NEARLY_NONE, NEARLY_NO_FILES)
        else:
            is_full = not has_room(self._folder, self._limit)
        return is_full and self.use(()).amount <= self._limit

    def use(self, pids: Iterable[int]) -> Use:
        """Return the use of the bot with these processes, whose open files may be removed."""
        amount = used_bytes(self._folder, self._limit) + _removed_bytes(self._folder, pids)
        return Use(amount, self._limit, self._first)


def _status(folder: Path) -> os.statvfs_result:
    """Return the state of a disk, also of one whose folder was removed."""
    return os.statvfs(next(path for path in (folder, *folder.parents) if path.exists()))


def used_bytes(folder: Path, most: int) -> int:
    """Return the bytes of all files in a folder; above `most`, or if it hides some, a part."""
    total, waiting = 0, [os.fspath(folder)]
    try:
        while waiting and total <= most:
            total += _used_directly(waiting, most - total)
    except OSError:  # no permission, or a path too long for the kernel: it may hold anything
        return most + 1
    return total


def _used_directly(waiting: list[str], most: int) -> int:
    """Return the bytes of the entries of the last of these folders, and put its folders there."""
    total = 0
    with (
        contextlib.suppress(FileNotFoundError, NotADirectoryError),
        os.scandir(waiting.pop()) as found,
    ):
        for entry in found:
            with contextlib.suppress(FileNotFoundError):
                blocks = entry.stat(follow_symlinks=False).st_blocks
                total += max(blocks * 512, FILE_BYTES)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
            if total > most:
                break
    return total


def _removed_bytes(folder: Path, pids: Iterable[int]) -> int:
    """Return the bytes of the files that these processes have open or mapped, but removed."""
    top, sizes = f"{folder.resolve()}/", dict[int, int]()
    kinds = ("fd", "map_files")
    for place in (f"{live_place(pid)}/{kind}" for pid in pids for kind in kinds):
        with contextlib.suppress(OSError):  # it has ended, or only root may see this
            for name in os.listdir(place)[:MAX_NAMES]:  # noqa: PTH208 - faster
                path = f"{place}/{name}"
                if os.readlink(path).startswith(top):  # noqa: PTH115 - faster
                    status = os.stat(path)  # noqa: PTH116 - faster
                    if stat.S_ISREG(status.st_mode) and not status.st_nlink:
                        sizes[status.st_ino] = status.st_blocks * 512
    return sum(sizes.values())
