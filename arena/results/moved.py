"""A database that was moved or removed while it was open.

SQLite keeps writing to the open file, wherever it is, and reports nothing. Without a check an event
would end in order, with results in a file that nobody finds.
"""

import contextlib
import os
import sqlite3
import tempfile
from pathlib import Path

from arena.errors import MovedError, cause

Identity = tuple[int, int]
"""Device and number of a file: they differ for another file of the same name."""


def identity(path: Path) -> Identity | None:
    """Return the identity of a file; None if nothing has this path."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def has_moved(path: Path, own: Identity) -> bool:
    """Return whether a path leads to nothing or to another file.

    Other errors say nothing about that, like those of a folder that may no longer be entered.
    """
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return (found.st_dev, found.st_ino) != own


def moved(path: Path, own: Identity, db: sqlite3.Connection, found: str) -> MovedError:
    """Return the error about an open database that its path no longer leads to.

    `found` says how to use it under another name.
    Complete the file if it was moved; otherwise save its content in a new file.
    """
    with contextlib.suppress(sqlite3.Error):  # its log has the old name, where nobody looks for it
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    if (now := _name_of(own)) is not None:
        return MovedError(
            f"{path}: this database was moved to {now} while it was open; all results are there:"
            f" move it back{found} and run the command again"
        )
    what = "replaced by another file" if path.exists() else "removed"
    try:
        saved = _saved(path, db)
    except (OSError, sqlite3.Error) as error:
        return MovedError(
            f"{path}: this database was {what} while it was open, and its results cannot be saved:"
            f" {cause(error, path)}"
        )
    return MovedError(
        f"{path}: this database was {what} while it was open; all results were saved in {saved}:"
        f" rename it{found} and run the command again"
    )


def _name_of(own: Identity) -> Path | None:
    """Return the present path of an open file of this process; None if it was removed."""
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if identity(descriptor) == own and identity(name := descriptor.readlink()) == own:
                return name
    return None


def _saved(path: Path, db: sqlite3.Connection) -> Path:
    """Copy a removed database to a new file in its folder, or in the working directory."""
    folder = path.absolute().parent
    descriptor, name = tempfile.mkstemp(
        prefix=f"{path.stem}-saved-",
        suffix=path.suffix,
        dir=folder if folder.is_dir() else Path.cwd(),
    )
    os.close(descriptor)
    with contextlib.closing(sqlite3.connect(name)) as copy:
        db.backup(copy)
    return Path(name)
