"""Folders beside a place, in which something is made before it gets its name there."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from referee.sandbox import remove_directory, take_lock

PREFIX = ".arena-aside."


@contextmanager
def made_aside(place: Path) -> Iterator[Path]:
    """Yield a new private folder on the disk of `place`, to be removed at the end; raises OSError.

    The folders of killed processes in the same place are removed first.
    """
    home = Path(os.path.realpath(place)).parent  # `resolve` fails at a loop of links
    _sweep(home)
    folder, lock = _locked_in(home)
    try:
        yield folder
    finally:
        remove_directory(folder)
        if lock is not None:
            os.close(lock)


def _sweep(home: Path) -> None:
    for folder in home.glob(f"{PREFIX}*"):
        with suppress(OSError):  # another user's, or without locks
            if (lock := take_lock(folder)) is not None:
                remove_directory(folder)
                os.close(lock)


def _locked_in(home: Path) -> tuple[Path, int | None]:
    """Make a folder; return it and the descriptor of its lock, None where no file has locks."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=home))
        try:
            lock = take_lock(folder)
        except OSError:
            return folder, None
        if lock is not None:
            return folder, lock
        # another process has removed it before it was locked
