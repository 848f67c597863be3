"""New files, all of them or none: a part of a bot or of keys would be taken for the whole."""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path


def write_private(files: Mapping[Path, bytes]) -> None:
    """Write files for their owner only; raises OSError with the path, and leaves none of them."""
    with ExitStack() as undo:
        for path, data in files.items():
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            undo.callback(path.unlink)
            try:
                with os.fdopen(descriptor, "wb") as file:
                    file.write(data)
            except OSError as error:
                raise OSError(error.errno, error.strerror, str(path)) from None
        undo.pop_all()


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
