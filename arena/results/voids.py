"""Void attempts at matches, and the records of those that an error of the rules made void."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from arena.results.database import Database
from arena.shell_words import db_option

VOID = "void-"
"""Beginning of the names of void attempts in commands."""


@dataclass(frozen=True, slots=True)
class VoidRow:
    """A void attempt at a match."""

    key: str
    attempt: int
    reason: str
    suspect: str | None = None
    """Player whose bot probably caused it, or None."""
    number: int | None = None
    """Number of its record; None without one."""

    def onward(self, database: Path) -> str:
        """Return the end of a sentence: the command that goes to the move; empty without one."""
        if self.number is None:
            return ""
        return f"; see `arena replay {VOID}{self.number}{db_option(database)}`"


def add_void(database: Database, event: int, void: VoidRow, record: bytes = b"") -> VoidRow:
    """Record a void attempt at a match and its record, if any; return it with its number."""
    happened = datetime.now(UTC).isoformat(timespec="milliseconds")
    values = (event, void.key, void.attempt, void.reason, void.suspect, happened, record or None)
    with database.transaction() as db:
        cursor = db.execute(
            "INSERT INTO void (event, key, attempt, reason, suspect, happened, record)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            values,
        )
    return replace(void, number=cursor.lastrowid) if record else void


def void_body(database: Database, number: int | None) -> bytes:
    """Return the packed record of a void attempt by its number; empty without one."""
    row = database.row("SELECT record FROM void WHERE id = ?", (number,))
    return (row and row[0]) or b""
