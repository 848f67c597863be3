"""A match of a person against a bot, in the browser."""

from dataclasses import dataclass
from pathlib import Path

from arena.pages.playing.matches import PeopleMatch


@dataclass(frozen=True)
class OwnGame:
    """A match that one person plays, and nobody else sees."""

    person_id: int
    bot: str
    """Name of the bot."""
    match: PeopleMatch
    folder: Path
    """Its files, removed after it."""
