"""Advice in the messages about a database, which depends on the command that opens it."""

from dataclasses import dataclass


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
