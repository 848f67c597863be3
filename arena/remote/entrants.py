"""The organiser's list of entrants: a YAML map of names and public keys.

alice: "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"

The list is read again when its file changes, so a key is revoked by removing its line.
"""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from arena.errors import ConfigError, Problem
from arena.reading.names import casefolded, name_objection, one_form
from arena.reading.source import read_source
from arena.remote.keys import key_objection
from protocol.wording import quoted

MOST_LINES = 1000
"""Lines of a list in which a key without a name is looked for: `arena keys show` prints one."""


@dataclass(frozen=True)
class Entrants:
    """Public keys by name."""

    keys: Mapping[str, str]

    def name_of(self, key: bytes) -> str | None:
        """Return the name of the entrant with this public key of 32 bytes, or None."""
        from zmq.utils import z85

        text = z85.encode(key).decode()
        return next((name for name, known in self.keys.items() if known == text), None)

    def content(self, name: str) -> str:
        """Return a hash of the entrant's key: its identity in events."""
        return hashlib.sha256(self.keys[name].encode()).hexdigest()


def read_entrants(path: Path) -> Entrants:
    """Read the list; raises ConfigError with all its faults.

    The errors have no text of the file: somebody may name the file of a secret key by mistake.
    """
    try:
        return _entrants_of(path)
    except ConfigError as error:
        places = [replace(problem, text="") for problem in error.problems]
        raise ConfigError(places) from None


def _entrants_of(path: Path) -> Entrants:
    if not path.exists():
        lines = 'it has a line of each entrant, as `arena keys new` prints it, like alice: "KEY"'
        raise ConfigError([Problem(str(path), f"does not exist; {lines}")])
    if path.is_file():
        _refuse_bare_keys(path)
    source = read_source(path)
    values = source.values()
    wrong = list(source.problems)
    names: dict[str, str] = {}
    keys: dict[str, str] = {}
    for name, key in values.items():
        detail = _objection(name, key, names, keys)
        if detail is not None:
            wrong.append(source.problem(detail, (name,)))
        names[casefolded(name)] = name
        keys[str(key)] = name
    if wrong:
        raise ConfigError(wrong)
    return Entrants({one_form(name): key for name, key in values.items()})


def _refuse_bare_keys(path: Path) -> None:
    """Raise ConfigError for a key without a name, such as the output of `arena keys show`."""
    with suppress(OSError, ValueError), path.open() as file:  # other faults are found later
        for number, line in enumerate(islice(file, MOST_LINES), 1):
            if key_objection(line.strip().strip("\"'")) is None:
                bare = 'is a key without a name; a list has lines like alice: "KEY"'
                raise ConfigError([Problem(str(path), f"line {number} {bare}")])


def _objection(
    name: str, key: object, names: Mapping[str, str], keys: Mapping[str, str]
) -> str | None:
    if (reason := name_objection(name)) is not None:
        return f"the name {reason}"
    if (first := names.get(casefolded(name))) is not None:
        return f"the name {quoted(name)} exists already as {quoted(first)}"
    if not isinstance(key, str):
        return f'the key of {name} must be text; put it in quotes, {name}: "KEY"'
    if (reason := key_objection(key)) is not None:
        return f"the key of {name} {reason}"
    if (first := keys.get(key)) is not None:
        return f"{name} has the key of {first}; each entrant makes one of its own"
    return None


class EntrantList(Protocol):
    """Who may join now."""

    now: Entrants
    is_valid: bool
    """Whether the list could be read; otherwise nobody joins and nobody is put out."""

    def refresh(self) -> str | None:
        """Look for changes; return why nobody can join, once."""


class WatchedEntrants:
    """The list, read again whenever its file changes."""

    def __init__(self, path: Path) -> None:
        """Read the list; raises ConfigError."""
        self.path = path
        self._stamp = self._seen = self._look()
        self.now = read_entrants(path)
        self.is_valid = True
        """Whether the file could be read; otherwise the list is empty."""

    def refresh(self) -> str | None:
        """Read a changed list; with faults it lets nobody join. Return these, or None."""
        seen, self._seen = self._seen, self._look()
        if self._seen == self._stamp or self._seen != seen:
            return None  # nothing new, or somebody is still writing
        self._stamp = self._seen
        try:
            self.now = read_entrants(self.path)
        except ConfigError as error:
            self.now, self.is_valid = Entrants({}), False
            return str(error)
        self.is_valid = True
        return None

    def _look(self) -> tuple[int, ...] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
