"""Errors of SQLite, and of a disk without room for a database, as sentences with a remedy."""

import errno
import os
import sqlite3
from pathlib import Path

from arena.errors import DiskError, LockedError, StoreError
from arena.results.advice import Advice

FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})
"""Errors of a file that the disk, or the quota of the user, has no room for."""

_CURES = {
    "SQLITE_FULL": "the disk is full; make room",
    "SQLITE_IOERR": "the disk refuses reads or writes; check its free space and its health",
    "SQLITE_CANTOPEN": "it cannot be opened; check that its folder exists and is writable",
    "SQLITE_READONLY": "it is read-only; change its permissions or {other}",
    "SQLITE_READONLY_DIRECTORY": "its folder is read-only; {other}",
    "SQLITE_PERM": "it is not readable; change its permissions or {other}",
    "SQLITE_BUSY": "another program keeps it locked; end that program",
    "SQLITE_NOTADB": "this is not a database; {other}",
    "SQLITE_CORRUPT": "it is damaged; keep a copy, and {other}",
}
_KINDS = {"SQLITE_BUSY": LockedError, "SQLITE_FULL": DiskError, "SQLITE_IOERR": DiskError}


def explained(error: sqlite3.Error, path: Path, other: str = Advice.other) -> StoreError:
    """Return the error of a database as a sentence, with a remedy.

    `other` says how to use another database. SQLite does not report why it could not open, or
    create and fill, a file.
    """
    name = getattr(error, "sqlite_errorname", "")
    general = "_".join(name.split("_")[:2])  # SQLITE_IOERR of SQLITE_IOERR_WRITE
    if general in ("SQLITE_CANTOPEN", "SQLITE_IOERR") and _is_on_full_disk(path):
        name = general = "SQLITE_FULL"
    elif general == "SQLITE_CANTOPEN" and path.exists() and not os.access(path, os.R_OK):
        name = general = "SQLITE_PERM"
    cure = _CURES.get(name) or _CURES.get(general)
    detail = cure.format(other=other) if cure else (f"{error} ({name})" if name else str(error))
    return _KINDS.get(general, StoreError)(f"{path}: {detail}")


def waiting_text(path: Path) -> str:
    """Return the line about waiting for the lock of another program."""
    return f"{path} is locked by another program; waiting for that"


def full_disk(path: Path) -> DiskError:
    """Return the error of a disk without room for a file."""
    return DiskError(f"{path}: {_CURES['SQLITE_FULL']}")


def _is_on_full_disk(path: Path) -> bool:
    """Return whether the disk has no room, or no inode, for another file beside this one."""
    try:
        disk = os.statvfs(path.absolute().parent)
    except OSError:
        return False
    return disk.f_bavail == 0 or (disk.f_files > 0 and disk.f_favail == 0)
