"""Unfinished matches with people in files, for a server that is started again.

Each match has a file of its own in a folder beside the token's file, written before each turn. It
holds the keys of links, so only the user of the server may read it.
"""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from arena.errors import UsageError
from protocol.vocabulary import Seat

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class KeptMatch(BaseModel):
    """A match as its file has it."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    db: str
    """The database of the server."""
    number: int
    keys: dict[Seat, str]
    """Keys of links, by seat."""
    order: dict[str, Any]
    """The order to play it, with the moves so far."""


@dataclass
class KeptMatches:
    """The unfinished matches of the server of one database."""

    folder: Path
    db: Path

    @classmethod
    def beside(cls, token: Path, db: Path) -> "KeptMatches":
        """Return those beside the file of a token; raises UsageError for a folder of others."""
        folder = token.with_name(f"{token.name}.matches")
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            status = folder.lstat()
        except OSError as error:
            raise UsageError(f"{folder}: {error.strerror}") from None
        if not stat.S_ISDIR(status.st_mode):
            raise UsageError(f"{folder}: not a folder; remove it, and a new one is made")
        if status.st_uid != os.geteuid() or status.st_mode & _OTHERS:
            raise UsageError(f"{folder}: other users may read or change it; remove it")
        return cls(folder, db)

    def read(self) -> Iterator[tuple[str, KeptMatch]]:
        """Yield name and content of each file of this database; files of other kinds stay."""
        for path in sorted(self.folder.glob("*.json")):
            with suppress(OSError, ValidationError):
                match = KeptMatch.model_validate_json(path.read_bytes())
                if match.db == str(self.db.resolve()):
                    yield path.name, match

    def new_name(self) -> str:
        """Return the name of a file for a new match."""
        return f"{secrets.token_hex(8)}.json"

    def write(self, name: str, number: int, keys: dict[Seat, str], order: dict[str, Any]) -> None:
        """Write a match; a file that cannot be written is removed, for an old one would mislead."""
        match = KeptMatch(db=str(self.db.resolve()), number=number, keys=keys, order=order)
        aside = self.folder / f".{name}"
        try:
            with open(aside, "wb", opener=_private) as file:
                file.write(match.model_dump_json().encode())
            aside.replace(self.folder / name)
        except OSError:
            self.remove(name)

    def remove(self, name: str) -> None:
        """Remove a match that is over."""
        for path in (self.folder / name, self.folder / f".{name}"):
            with suppress(OSError):
                path.unlink()


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)
