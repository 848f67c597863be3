"""The folder of a bot that lasts from match to match, so that it can learn.

A bot works on a copy of its own: it begins with what was kept before, and what it leaves is kept in
place of that once it has ended, whole or not at all. So of matches that are played at the same time
that which ends last is kept, and nobody reads half of anything.
"""

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

MAX_FILES = 10_000
MAX_DEPTH = 16


class TooMuchError(Exception):
    """There is more in the folder than may be kept. Says what."""


class Scratch:
    """A bot's own copy, while it runs."""

    def __init__(self, kept: Path, limit_bytes: int) -> None:
        """Make the folder that lasts, `kept`, if it is not there."""
        kept.mkdir(parents=True, exist_ok=True)
        self._lock = kept.parent / f".{kept.name}.lock"
        self._kept = kept
        self._limit_bytes = limit_bytes
        self._copy: int | None = None

    def give(self, place: Path) -> None:
        """Put a copy of what was kept to this place."""
        with self._locked():
            shutil.copytree(self._kept, place)

    def hold(self, place: Path) -> None:
        """Hold on to the bot's copy, so that it is there to be kept when the bot has ended.

        It is that folder and no link to another: where a bot can put one in its place it could
        else have whatever the referee may read, and the copy is held before the bot starts.
        """
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        with contextlib.suppress(OSError):  # a bot that has ended by now has nothing to be kept
            self._copy = os.open(place, flags)

    def drop(self) -> None:
        """Keep nothing of the bot's copy."""
        if self._copy is not None:
            os.close(self._copy)
            self._copy = None

    def keep(self) -> str | None:
        """Keep what the bot has left in its copy; return why not, if not."""
        if self._copy is None:
            return None
        aside = Path(tempfile.mkdtemp(prefix=f".{self._kept.name}.", dir=self._kept.parent))
        try:
            _Copying(self._limit_bytes).copy(self._copy, aside, 0)
            aside.chmod(0o755)
            with self._locked():
                shutil.rmtree(self._kept)
                aside.rename(self._kept)
        except (TooMuchError, OSError) as error:
            return f"its scratch folder is not kept: {error}"
        finally:
            os.close(self._copy)
            self._copy = None
            shutil.rmtree(aside, ignore_errors=True)
        return None

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class _Copying:
    """Copies files and folders, and nothing else that a bot may have put there."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._files = 0

    def copy(self, source: int, target: Path, depth: int) -> None:
        """Copy what is in the folder that is open as `source`."""
        if depth > MAX_DEPTH:
            raise TooMuchError(f"folders more than {MAX_DEPTH} deep")
        with os.scandir(source) as entries:
            for entry in entries:
                self._files += 1
                if self._files > MAX_FILES:
                    raise TooMuchError(f"more than {MAX_FILES} files")
                if entry.is_dir(follow_symlinks=False):
                    self._copy_folder(source, target, entry.name, depth)
                elif entry.is_file(follow_symlinks=False):
                    self._copy_file(source, target, entry.name)

    def _copy_folder(self, source: int, target: Path, name: str, depth: int) -> None:
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=source)
        try:
            (target / name).mkdir()
            self.copy(inner, target / name, depth + 1)
        finally:
            os.close(inner)

    def _copy_file(self, source: int, target: Path, name: str) -> None:
        # it may have become a pipe since it was looked at, which must not hold us up
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(name, flags, dir_fd=source), "rb") as reader:
            if not stat.S_ISREG(os.fstat(reader.fileno()).st_mode):
                return
            data = reader.read(self._limit_bytes - self._bytes + 1)
        self._bytes += len(data)
        if self._bytes > self._limit_bytes:
            raise TooMuchError(f"more than {self._limit_bytes} bytes")
        (target / name).write_bytes(data)
