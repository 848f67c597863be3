"""Faults of a database whose tables have other content than Arena writes.

SQLite takes a value of any type in any column, so a damaged or forged database has the right tables
and fails at any later read. Reading every value takes long, so the check follows such a failure
only, to distinguish damage from an internal error.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from arena.errors import StoreError
from arena.results.database import Database
from arena.results.store import Store
from arena.results.stored_json import MAX_JSON, from_json
from referee.errors import UNCHECKED

_TYPES = {"INTEGER": "'integer'", "TEXT": "'text'", "REAL": "'real', 'integer'", "BLOB": "'blob'"}
_NO_NUMBER = (
    "{0} GLOB '*[^0-9.-]*' OR {0} GLOB '?*-*' OR {0} GLOB '*.*.*' OR {0} NOT GLOB '*[0-9]*'"
    " OR length({0}) > 40"
)
_NOT_JSON = "CASE WHEN json_valid({0}) THEN json_type({0}) <> '{1}' ELSE 1 END"
_OBJECTS = ("bonus", "game", "gate", "limits", "runner", "time", "tune")
"""Keys of a config with an object, or with nothing."""
_NO_CONFIG = " OR ".join(
    [f"json_type(config, '$.{key}') <> 'text'" for key in ("format", "game.name")]
    + [f"json_type(config, '$.{key}') NOT IN ('object', 'null')" for key in _OBJECTS]
)
_NOT_OF_MATCH = (
    "(SELECT key NOT GLOB 'play/*' AND instr(key, player) = 0 FROM match WHERE id = seat.match)"
)
"""A key begins with the names of the players, but for that of a match with a person."""
_WRONG = (
    ("event", "seed", "seed = '' OR seed GLOB '*[^0-9]*' OR length(seed) > 40"),
    ("event", "config", f"length(config) > {MAX_JSON}"),
    ("event", "config", _NOT_JSON.format("config", "object")),
    ("event", "entrants", "NOT EXISTS (SELECT 1 FROM entrant WHERE event = event.id)"),
    ("event", "config", _NO_CONFIG),
    ("revision", "lines", f"length(lines) > {MAX_JSON}"),
    ("revision", "lines", _NOT_JSON.format("lines", "array")),
    ("seat", "score", _NO_NUMBER.format("score")),
    ("seat", "player", _NOT_OF_MATCH),
    ("match", "seats", "coalesce((SELECT max(seat) + 1 - count(*) FROM seat WHERE match = id), 1)"),
)
"""Table, its part, and the condition of a wrong one."""


@contextmanager
def read_results(path: Path) -> Iterator[Store]:
    """Open a database for a reading command; raises StoreError if the content is damaged."""
    with closing(Store(path)) as store:  # the last one to close it removes -wal and -shm
        try:
            yield store
        except UNCHECKED:
            check(store)
            raise


def check(store: Store) -> None:
    """Raise StoreError if the database is damaged."""
    if (found := damage(store.database)) is not None:
        raise StoreError(f"{store.path}: it is damaged: {found}") from None


def damage(db: Database) -> str | None:
    """Return the first wrong value in words, or None if all are of the right kind."""
    for table, part, condition in (*_of_types(db), *_WRONG):
        query = f"SELECT 1 FROM {table} WHERE {condition} LIMIT 1"  # noqa: S608 - our own words
        if db.row(query) is not None:
            return _invalid(table, part)
    return _unreadable_json(db)


def _unreadable_json(db: Database) -> str | None:
    """Return a text that is JSON for SQLite and cannot be read all the same, in words."""
    for table, part in (("event", "config"), ("revision", "lines")):
        for (text,) in db.rows(f"SELECT {part} FROM {table}"):  # noqa: S608 - our own words
            try:
                from_json(text)
            except ValueError:
                return _invalid(table, part)
    return None


def _invalid(table: str, part: str) -> str:
    return f"the {part} of an entry in its table {table} is invalid"


def _of_types(db: Database) -> Iterator[tuple[str, str, str]]:
    for table in db.tables:
        for _, name, kind, is_needed, _, is_key in list(db.rows(f"PRAGMA table_info({table})")):
            types = _TYPES[kind] + ("" if is_needed or is_key else ", 'null'")
            yield table, name, f"typeof({name}) NOT IN ({types})"
