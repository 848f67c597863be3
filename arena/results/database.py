"""The SQLite file: opened with checks, written in whole transactions, errors as sentences."""

import contextlib
import os
import re
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from arena.errors import LockedError, MovedError, StoreError, UnplayedError
from arena.reading.safe_open import open_without_waiting
from arena.results import database_format
from arena.results.advice import Advice, advice_at
from arena.results.database_errors import FULL_DISK, explained, full_disk
from arena.results.migrating import migrate, steps_from
from arena.results.moved import has_moved, identity, moved

Patience = Callable[[int], bool]
"""Returns whether to wait on for a lock of another program, given the number of waits before."""

BUSY_S = 5.0
JOURNAL_MARK = bytes.fromhex("d9d505f920a163d7")
"""The first bytes of a rollback journal, and the last ones of one that names another file."""
_UNPLAYED = "no match was played here yet"
_OLD = "written by an earlier version of arena"
MAX_PATH = 500
"""Length limit, in bytes, of a path in SQLite, with those of its companion files."""


class Database:
    """An open file. SQLite's errors are raised as StoreError with a sentence.

    Raises MovedError after a transaction if the path no longer leads to the open file.
    """

    tables: ClassVar = tuple(re.findall(r"CREATE TABLE (\w+)", database_format.SCHEMA))

    def __init__(
        self,
        path: Path,
        *,
        is_new_allowed: bool,
        patience: Patience | None = None,
        advice: Advice | None = None,
    ) -> None:
        """Open the file; with `is_new_allowed` create an absent one.

        Without `patience`, the lock of another program is an error after BUSY_S.
        """
        self.path = path
        self.advice = advice = advice or advice_at(path)
        self._patience = patience
        self._moved: MovedError | None = None
        self._identity: tuple[int, int] | None = None
        self._db: sqlite3.Connection
        if not path.exists():
            if path.is_symlink():
                raise StoreError(f"{path}: a link to a missing file; {advice.link}")
            if not is_new_allowed:
                raise UnplayedError(
                    f"{path}: this database does not exist; {_UNPLAYED}; {advice.other}"
                )
        elif not path.is_file():
            raise StoreError(f"{path}: is a folder or no regular file; {advice.other}")
        self._may_fill = is_new_allowed and not path.is_symlink()
        if (length := len(os.fsencode(path.absolute()))) > MAX_PATH:
            raise StoreError(
                f"{path}: the path has {length} bytes, and SQLite allows {MAX_PATH}; {advice.other}"
            )
        self._is_created = is_new_allowed and _create(path)
        while not self._wait(self._connect, patience):
            self._db.close()  # another process has removed the file, as `close` does
            self._is_created = is_new_allowed and _create(path)
        self._identity = identity(path)

    def close(self) -> None:
        """Close the file; remove a file created by this process and still without an event."""
        with contextlib.suppress(sqlite3.Error, OSError):
            if self._is_created and not self._has_events():
                self._remove()
        self._db.close()

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """Yield the rows of a query."""
        with self._in_words():
            # `yield from` would call the cursor's `close`, an error once the file is closed
            for row in self._db.execute(query, values):  # noqa: UP028
                yield row

    def row(self, query: str, values: Sequence[Any] = ()) -> Any:
        """Return the first row of a query, or None."""
        with self._in_words():
            return self._db.execute(query, values).fetchone()

    def transaction(
        self, patience: Patience | None = None
    ) -> contextlib.AbstractContextManager[sqlite3.Connection]:
        """Return a context to write all or nothing; an inner one is a part of the outer one.

        `patience` replaces that of the database.
        """
        if self._db.in_transaction:
            return contextlib.nullcontext(self._db)  # the outer one explains errors
        return self._whole_transaction(patience or self._patience)

    def check_place(self) -> None:
        """Raise MovedError if the path no longer leads to the open file."""
        if self._identity is not None and has_moved(self.path, self._identity):
            self._moved = self._moved or moved(
                self.path, self._identity, self._db, self.advice.found
            )
            raise self._moved

    @contextlib.contextmanager
    def _whole_transaction(self, patience: Patience | None) -> Iterator[sqlite3.Connection]:
        self._wait(self._begin, patience)
        with self._in_words():
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # some errors roll back by themselves
                    self._db.execute("ROLLBACK")
                raise
        self.check_place()

    def _begin(self) -> bool:
        with self._in_words():
            self._db.execute("BEGIN IMMEDIATE")
        return True

    @staticmethod
    def _wait(act: Callable[[], bool], patience: Patience | None) -> bool:
        """Act until no other program has a lock, or the patience is over; return the result."""
        waits = 0
        while True:
            try:
                return act()
            except LockedError:
                if patience is None or not patience(waits):
                    raise
            waits += 1

    def _connect(self) -> bool:
        """Open the file; return whether it is still the one with this path."""
        before = identity(self.path)
        with self._in_words():
            self._db = sqlite3.connect(
                _address(self.path), uri=True, timeout=BUSY_S, isolation_level=None
            )
        try:
            with self._in_words():
                self._open()
        except BaseException:
            self._db.close()
            raise
        return identity(self.path) == before

    def _has_events(self) -> bool:
        return bool(self._db.execute("SELECT count(*) FROM event").fetchone()[0])

    def _remove(self) -> None:
        """Remove the file and its lock file, unless another process has the database open."""
        self._db.execute("PRAGMA busy_timeout = 0")
        self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._db.execute("PRAGMA journal_mode = DELETE")  # refused while another has it open
        self._db.execute("BEGIN EXCLUSIVE")
        if not self._has_events() and identity(self.path) == self._identity:
            lock_path(self.path).unlink(missing_ok=True)
            self.path.unlink()

    def _open(self) -> None:
        if self._is_empty():
            if not self._may_fill:
                raise UnplayedError(f"{self.path}: it is empty; {_UNPLAYED}; {self.advice.other}")
            self._db.execute("PRAGMA journal_mode = WAL")
            self.create_tables()
        owner = self._db.execute("PRAGMA application_id").fetchone()[0]
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if owner != database_format.APPLICATION_ID:
            raise StoreError(f"{self.path}: a database of another program; {self.advice.other}")
        if version != database_format.NUMBER:
            self._migrate(version)
        if not self._has_our_tables():
            raise StoreError(
                f"{self.path}: its tables are not those of arena, it is damaged or forged;"
                f" {self.advice.other}"
            )
        self._write_ahead()
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA synchronous = FULL")

    def _write_ahead(self) -> None:
        """Have readers not wait for writers, also after a kill at the end of a change of format."""
        mode = self._db.execute("PRAGMA journal_mode").fetchone()[0]
        if mode != "wal" and _can_write(self.path):
            with contextlib.suppress(sqlite3.OperationalError):  # in use: the next opening does it
                self._db.execute("PRAGMA journal_mode = WAL")

    def _migrate(self, version: int) -> None:
        """Make today's format of an earlier one; raises StoreError if there is no way."""
        number = database_format.NUMBER
        steps = steps_from(version) if version < number else None
        if steps is None or self._has_triggers():
            when = "an earlier" if version < number else "a later"
            raise StoreError(
                f"{self.path}: written by {when} version of arena (format {version}, this one"
                f" reads {number}) and unchanged; read it with that version, or {self.advice.other}"
            )
        if self.advice.upgrade is not None:
            raise StoreError(
                f"{self.path}: {_OLD} (format {version}, this one reads {number});"
                f" {self.advice.upgrade}"
            )
        if not _can_write(self.path):
            raise StoreError(
                f"{self.path}: {_OLD}, and it or its folder is read-only; {self.advice.copied}"
            )
        try:
            migrate(self._db, self.path, steps)
        except OSError as error:
            raise StoreError(
                f"{self.path}: {_OLD}, and no copy of it can be kept before it is changed"
                f" ({error.strerror}); {self.advice.copied}"
            ) from None

    def _has_triggers(self) -> bool:
        """Whether a change of a table would run statements of whoever made the file."""
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'trigger'"
        return bool(self._db.execute(query).fetchone()[0])

    def _has_our_tables(self) -> bool:
        """Return whether the tables are Arena's, without views or triggers in their place."""
        found = self._db.execute("SELECT sql FROM sqlite_master").fetchall()
        made = {_words(sql) for (sql,) in found if sql}
        ours = {_words(statement) for statement in database_format.SCHEMA.split(";")} - {""}
        return ours <= made and not self._has_triggers()

    def create_tables(self) -> None:
        """Fill an empty file; one that is filled stays."""
        with self.transaction() as db:
            if not self._is_empty():
                return  # another director was faster
            for statement in database_format.SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {database_format.APPLICATION_ID}")
            db.execute(f"PRAGMA user_version = {database_format.NUMBER}")

    def _is_empty(self) -> bool:
        return not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise explained(error, self.path, self.advice.other) from None
        except OverflowError:
            raise StoreError(f"{self.path}: nothing here has so large a number") from None


def _words(statement: str) -> str:
    """Return a statement without what SQLite changes when it adds a column."""
    return re.sub(r" ?([(),]) ?", r"\1", " ".join(statement.split()))


def lock_path(path: Path) -> Path:
    """Return the path of the file with the locks of a database's events, the same for all links."""
    return Path(f"{path.resolve()}.lock")


def _create(path: Path) -> bool:
    """Create an absent file, readable by its owner only; return whether this succeeded.

    Raises DiskError if the disk is full.
    """
    try:
        path.touch(0o600, exist_ok=False)
    except OSError as error:
        if error.errno in FULL_DISK:
            raise full_disk(path) from None
        return False
    return True


def _address(path: Path) -> str:
    """Return the address for SQLite: a database without write permission is opened immutable.

    Its log could not be read without writing beside it, so there must be none. Raises StoreError if
    SQLite would wait for a pipe, or would change or remove another file.
    """
    for companion in _companions(path):
        if not _is_own_file(companion):
            raise StoreError(
                f"{path}: {companion.name} is a link or no regular file; do not use this database"
            )
    if _has_foreign_journal(path):
        raise StoreError(
            f"{path}: its journal names other files, which arena never writes; do not use it"
        )
    address = path.absolute().as_uri()
    is_still = path.exists() and not Path(f"{path}-wal").exists()
    return f"{address}?immutable=1" if is_still and not _can_write(path) else address


def _can_write(path: Path) -> bool:
    """Return whether a database and the files beside it can be written."""
    return os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK)


def _companions(path: Path) -> list[Path]:
    """Return the paths of the files beside a database that SQLite and `lock_path` write."""
    real = os.path.realpath(path)
    return [Path(f"{real}{end}") for end in ("-journal", "-wal", "-shm", ".lock")]


def _is_own_file(path: Path) -> bool:
    """Return whether a path leads to a regular file without a second name, or to nothing."""
    try:
        found = path.lstat()
    except OSError:
        return True
    return stat.S_ISREG(found.st_mode) and found.st_nlink <= 1


def _has_foreign_journal(path: Path) -> bool:
    """Return whether a database comes with a journal of a transaction with other databases.

    To end such a transaction, SQLite removes any file named in the journal.
    """
    with contextlib.suppress(OSError, RuntimeError):  # none, too short a one, or a loop of links
        journal = open_without_waiting(Path(f"{path.resolve()}-journal"))
        with os.fdopen(journal, "rb") as file:
            file.seek(-len(JOURNAL_MARK), os.SEEK_END)
            return file.read() == JOURNAL_MARK
    return False
