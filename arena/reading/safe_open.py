"""Safe opening of files that strangers may replace at any time."""

import os
import stat
from pathlib import Path


def open_without_links(path: Path) -> int:
    """Return a descriptor of the ordinary file at a resolved path, or raise OSError.

    No link anywhere on the path is followed, even if one was added after resolving it, and a pipe
    does not block. Folders are entered one by one, by descriptors.
    """
    file = _opened(path, os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise OSError(f"{path} is not a regular file")
    return file


def open_folder_without_links(path: Path) -> int:
    """Return a descriptor of the folder at a resolved path like `open_without_links`."""
    return _opened(path, os.O_DIRECTORY)


def _opened(path: Path, flags: int) -> int:
    here = os.open(path.anchor, os.O_PATH | os.O_DIRECTORY)
    try:
        for part in path.parts[1:-1]:
            below = os.open(part, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=here)
            os.close(here)
            here = below
        return os.open(path.name or ".", os.O_RDONLY | os.O_NOFOLLOW | flags, dir_fd=here)
    finally:
        os.close(here)


def open_without_waiting(path: Path) -> int:
    """Return a descriptor of a file, or raise OSError; a pipe without a writer is empty."""
    return os.open(path, os.O_RDONLY | os.O_NONBLOCK)
