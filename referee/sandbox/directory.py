"""Sandbox directories: a private directory for each running bot, and its safe removal."""

import contextlib
import os
import secrets
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from referee.sandbox.locked import make_locked

_FOLDER = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class SandboxDirectory:
    """Private directory of a bot or a program, inside a locked directory of this process."""

    def __init__(self, first: Self | None = None) -> None:
        """Create it in the locked directory of `first`, or in a new one.

        A new one is created among the temporary files; a cleaner may have removed any directory.
        """
        self._lock: int | None = None
        self.path: Path
        """The bot's own directory."""
        if first is not None:
            self.path = first.path.with_name(secrets.token_urlsafe(3))
            with contextlib.suppress(OSError):
                self.path.mkdir(mode=0o700)
                return
        home = Path(tempfile.gettempdir()).absolute()  # TMPDIR=. stays as it is
        home.mkdir(parents=True, exist_ok=True)
        self._outer, self._lock = make_locked(home)
        self.path = self._outer / "b"
        try:
            self._outer.chmod(0o711)
            self.path.mkdir(mode=0o700)
        except BaseException:
            self.remove()
            raise

    def remove(self, wait_ns: int | None = None) -> None:
        """Remove it. The rest is abandoned after `wait_ns`."""
        if self._lock is None:
            remove_directory(self.path, wait_ns)
            return
        try:
            remove_directory(self._outer, wait_ns)
        finally:
            os.close(self._lock)


@contextlib.contextmanager
def private_directory() -> Iterator[Path]:
    """Yield a new private directory; the next referee removes it if a kill prevents that here."""
    directory = SandboxDirectory()
    try:
        yield directory.path
    finally:
        directory.remove()


def remove_directory(directory: Path, wait_ns: int | None = None) -> None:
    """Remove a directory tree of any depth and with any permissions.

    Inner directories are moved to the top one by one: `shutil.rmtree` recurses, and a hostile tree
    is deeper than the recursion limit or the longest path. Entries stay if the kernel refuses
    their removal or after `wait_ns`. Links are not followed, not even one put in the place of a
    directory meanwhile: the bot may be another user and the referee root.
    """
    until_ns = None if wait_ns is None else time.monotonic_ns() + wait_ns
    with contextlib.suppress(OSError):
        if directory.is_symlink():
            directory.unlink()
            return
        top = _open(str(directory))
        try:
            while _empty(top, until_ns):
                continue
        finally:
            os.close(top)
        directory.rmdir()


def _open(name: str, parent: int | None = None) -> int:
    """Open a directory to list and change it, whatever its permissions."""
    place = os.open(name, os.O_PATH | _FOLDER, dir_fd=parent)
    try:
        os.chmod(f"/proc/self/fd/{place}", 0o700)  # noqa: PTH101 - the only certain name
        return os.open(".", os.O_RDONLY | _FOLDER, dir_fd=place)
    finally:
        os.close(place)


def _empty(top: int, until_ns: int | None) -> bool:
    """Remove the entries at the top, after moving up inner directories; False if it was empty."""
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
    folder = _open(name, top)
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                _check_time(until_ns)
                if entry.is_dir(follow_symlinks=False):
                    os.close(_open(entry.name, folder))  # a move writes its `..`
                    aside = secrets.token_hex(16)
                    os.rename(entry.name, aside, src_dir_fd=folder, dst_dir_fd=top)
                else:
                    os.unlink(entry.name, dir_fd=folder)
    finally:
        os.close(folder)


def _check_time(until_ns: int | None) -> None:
    if until_ns is not None and time.monotonic_ns() > until_ns:
        raise TimeoutError
