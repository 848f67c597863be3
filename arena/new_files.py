"""New files, all of them or none: a part of a bot or of keys would be taken for the whole.

That holds after a loss of power too: the kernel may keep a new name and lose what is behind it.
"""

import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path

SYNCED_AT_ONCE = 32


def write_private(files: Mapping[Path, bytes]) -> None:
    """Write files for their owner only; all are on disk when this returns.

    Raises OSError with the path, and leaves none of them.
    """
    with ExitStack() as undo:
        for path, data in files.items():
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            undo.callback(path.unlink)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(path)) from None
        for folder in {path.parent for path in files}:
            sync(folder)
        undo.pop_all()


def rename_whole(made: Path, place: Path) -> None:
    """Rename a new file or folder once all of it is on disk, so that its name never means a part.

    The name is on disk as well when this returns.
    """
    sync_all(made)
    made.rename(place)
    sync(place.parent)


def sync_all(made: Path) -> None:
    """Have a file, or a folder with all that is in it, on disk.

    Many files at the same time: one after the other, each waits for a write of the disk of its own,
    and a bot of thousands of tiny files would keep all others waiting for minutes.
    """
    paths = (path for path in (made, *made.rglob("*")) if not path.is_symlink())
    with ThreadPoolExecutor(SYNCED_AT_ONCE) as threads:
        found = threads.map(sync, [path for path in paths if path.is_file() or path.is_dir()])
        list(found)  # raises what was raised


def sync(path: Path) -> None:
    """Have a file's content or a folder's entries on disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def take_back(folder: Path, places: Iterable[str]) -> None:
    """Remove files of a folder, as far as they exist, and the folders in it that are empty then."""
    folders: set[Path] = set()
    for place in map(Path, places):
        folders.update(place.parents)
        with suppress(OSError):
            (folder / place).unlink()
    for inner in sorted(folders - {Path()}, reverse=True):
        with suppress(OSError):
            (folder / inner).rmdir()
