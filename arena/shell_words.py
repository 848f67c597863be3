"""Parts of commands that a user can copy into a shell."""

import shlex
from collections.abc import Sequence
from pathlib import Path

DEFAULT_DB = "arena.db"
"""Database of a command without --db."""


def db_option(db: Path | str) -> str:
    """Return the shell-quoted --db option for this database; empty for the default."""
    return "" if str(db) == DEFAULT_DB else f" --db {shlex.quote(str(db))}"


def resume_text(words: Sequence[str], *, once: Sequence[str]) -> str:
    """Return the advice to resume the command of these `words`, without the options `once`."""
    kept = [word for word in words if word not in once]
    return f"resume with: {shlex.join(['arena', *kept])}"
