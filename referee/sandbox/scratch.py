"""Scratch directories: files of a bot kept from match to match, so that it can learn.

A bot works on its own copy. After its end the copy replaces the kept directory as a whole, or not
at all. Of simultaneous matches the last to end is kept, and no reader sees half a copy.

The copy is made beside the kept directory, which is then renamed away and replaced by a rename. The
next use of the directory completes an interrupted replacement and removes its leftovers.
"""

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

MAX_FILES = 10_000
SCRATCH_LEVELS = 16
MAX_PATH = 1024
"""Limit of a path in the folder, in bytes: if it were too long elsewhere, no copy could be made."""


class TooMuchError(Exception):
    """The copy exceeds a limit, named in the message."""


class Scratch:
    """Copy of the scratch directory for one running bot."""

    def __init__(self, kept: Path, limit_bytes: int) -> None:
        """Create the kept directory if missing."""
        self._lock = kept.parent / f".{kept.name}.lock"
        self._new = kept.parent / f".{kept.name}.new"
        self._old = kept.parent / f".{kept.name}.old"
        self._kept = kept
        self._limit_bytes = limit_bytes
        self._copy: int | None = None
        kept.parent.mkdir(parents=True, exist_ok=True)
        with self._locked():
            kept.mkdir(exist_ok=True)

    def give(self, place: Path) -> None:
        """Copy the kept directory to this path."""
        with self._locked():
            shutil.copytree(self._kept, place)

    def hold(self, place: Path) -> None:
        """Open the bot's copy, so that it can be kept after the bot's end.

        Where a bot can replace the copy by a link, open the copy before the bot starts: otherwise
        files readable by the referee only would be kept.
        """
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        with contextlib.suppress(OSError):  # the bot has ended: nothing to keep
            self._copy = os.open(place, flags)

    def drop(self) -> None:
        """Close and drop the bot's copy."""
        if self._copy is not None:
            os.close(self._copy)
            self._copy = None

    def keep(self) -> str | None:
        """Replace the kept directory by the bot's copy; return a warning on failure."""
        if self._copy is None:
            return None
        try:
            with self._locked():
                self._new.mkdir(mode=0o755)
                _Copying(self._limit_bytes).copy(self._copy, self._new, [])
                self._kept.rename(self._old)
                self._new.rename(self._kept)
        except (TooMuchError, OSError) as error:
            return f"its scratch folder is not kept: {error}"
        finally:
            self.drop()
        return None

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Lock the kept directory; before and after, complete an interrupted replacement."""
        with self._lock.open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self._recover()
            try:
                yield
            finally:
                self._recover()

    def _recover(self) -> None:
        """Restore the old directory unless it was replaced, and remove all leftovers."""
        if self._old.exists() and not self._kept.exists():
            self._old.rename(self._kept)
        for left in (self._new, self._old):
            shutil.rmtree(left, ignore_errors=True)


class _Copying:
    """Copies regular files and directories only, within the limits."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._bytes = 0
        self._files = 0

    def copy(self, source: int, target: Path, inside: Sequence[str]) -> None:
        """Copy the content of the open directory `source`, which is `inside` these directories."""
        if len(inside) > SCRATCH_LEVELS:
            raise TooMuchError(f"folders more than {SCRATCH_LEVELS} deep")
        with os.scandir(source) as entries:
            for entry in entries:
                self._files += 1
                if self._files > MAX_FILES:
                    raise TooMuchError(f"more than {MAX_FILES} files")
                parts = [*inside, entry.name]
                if len(os.fsencode("/".join(parts))) > MAX_PATH:
                    raise TooMuchError(f"a path of more than {MAX_PATH} bytes")
                if entry.is_dir(follow_symlinks=False):
                    self._copy_folder(source, target, parts)
                elif entry.is_file(follow_symlinks=False):
                    self._copy_file(source, target, entry.name)

    def _copy_folder(self, source: int, target: Path, parts: Sequence[str]) -> None:
        name = parts[-1]
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=source)
        try:
            (target / name).mkdir()
            self.copy(inner, target / name, parts)
        finally:
            os.close(inner)

    def _copy_file(self, source: int, target: Path, name: str) -> None:
        # non-blocking: the bot may have replaced the file by a pipe
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with os.fdopen(os.open(name, flags, dir_fd=source), "rb") as reader:
            if not stat.S_ISREG(os.fstat(reader.fileno()).st_mode):
                return
            data = reader.read(self._limit_bytes - self._bytes + 1)
        self._bytes += len(data)
        if self._bytes > self._limit_bytes:
            raise TooMuchError(f"more than {self._limit_bytes} bytes")
        (target / name).write_bytes(data)
