"""New files, all of them or none: a part of a bot or of keys would be taken for the whole.

That holds after a loss of power too: the kernel may keep a new name and lose what is behind it.
"""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path


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
    for path in (made, *made.rglob("*")):
        if not path.is_symlink() and (path.is_file() or path.is_dir()):
            sync(path)
    made.rename(place)
    sync(place.parent)


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
