"""Advice in the messages about a database, which depends on the command that opens it."""

import os
import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Advice:
    """What a person can do about a database that cannot be used; by default with --db."""

    other: str = "name another with --db"
    """How to use another database."""
    copied: str = "copy it into a folder where you may write, and name the copy with --db"
    """How to have an earlier format changed that cannot be changed in its place."""
    link: str = "name that file with --db"
    """What to do about a link to a missing file."""
    found: str = ", or name it with --db,"
    """How to use a database that has another name now, besides to rename it."""
    upgrade: str | None = None
    """The command that alone changes an earlier format; None changes it when it is opened."""


def advice_at(path: Path) -> Advice:
    """Return the advice about a database that an option names: a league has its own upgrade.

    A league in PostgreSQL has no `site.db`, and no such upgrade.
    """
    place = Path(os.path.realpath(path)) if path.is_symlink() else path
    marks = (place.with_name(name).is_file() for name in ("league.yaml", "site.db"))
    is_of_league = place.name == "arena.db" and all(marks)
    return Advice(upgrade=upgrade_of(place.parent) if is_of_league else None)


def upgrade_of(league: Path) -> str:
    """Return the command that changes the databases of a league, and what it does."""
    command = shlex.join(["arena", "league", "upgrade", str(league)])
    return f"`{command}` makes a backup and brings it up to date"
