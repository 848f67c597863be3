"""Databases of earlier formats: a copy is kept, then the tables are changed in one transaction.

A kill at any instant leaves the old database or the new one: the copy is complete and on the disk
before the first change, and the changes are one transaction of SQLite.
"""

import contextlib
import os
import shutil
import sqlite3
import sys
from itertools import count
from pathlib import Path

from arena.errors import LockedError
from arena.results import database_format
from arena.streams import lasting
from protocol.wording import escaped


def steps_from(number: int) -> list[str] | None:
    """Return the statements that make today's format of an earlier one; None without a way."""
    steps, numbers = database_format.STEPS, range(number, database_format.NUMBER)
    if not all(each in steps for each in numbers):
        return None
    return [statement for each in numbers for statement in steps[each]]


def migrate(db: sqlite3.Connection, path: Path, steps: list[str]) -> Path:
    """Change the open database into today's format, say so, and return the path of the copy.

    Raises LockedError while another program has the database open, OSError if no copy can be kept
    and sqlite3.Error if a step fails; the database is unchanged then, and there is no copy.
    """
    try:
        # SQLite refuses this while another connection is open: an older Arena may be writing to it.
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        db.execute("PRAGMA locking_mode = NORMAL")
        raise LockedError(
            f"{path}: another program has it open, and its format has to be changed; end that"
            f" program first ({error})"
        ) from None
    kept = None
    try:
        number = db.execute("PRAGMA user_version").fetchone()[0]
        kept = _keep_copy(path, f"{path}.format-{number}")
        for statement in steps:
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {database_format.NUMBER}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        if kept is not None:
            kept.unlink(missing_ok=True)  # a command that is repeated would fill the disk
        raise
    finally:
        db.execute("PRAGMA locking_mode = NORMAL")
        db.execute("PRAGMA journal_mode = WAL")
    log = lasting(sys.stderr)
    line = f"{path}: changed from format {number} to {database_format.NUMBER}; {kept} is as before"
    log.write(f"{escaped(line)}\n")
    log.flush()
    return kept


def _keep_copy(path: Path, wanted: str) -> Path:
    """Copy a file under a free name; the copy is on the disk under that name, or not there."""
    partial = Path(f"{wanted}.part")
    with contextlib.suppress(FileNotFoundError):
        partial.unlink()  # of an attempt that was killed
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with path.open("rb") as source, os.fdopen(descriptor, "wb") as target:
            shutil.copyfileobj(source, target)
            target.flush()
            os.fsync(target.fileno())
    except BaseException:
        partial.unlink()
        raise
    for place in count(1):
        kept = Path(wanted if place == 1 else f"{wanted}-{place}")
        if not kept.exists():  # only one program can be here: it has the database for itself
            partial.rename(kept)
            break
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return kept
