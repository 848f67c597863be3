"""The database of all results: events, matches and records, in one SQLite file.

A match and its record are written in one transaction under the key from the schedule: a match is
stored whole or not at all, and never twice. Only the director writes.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.errors import StoreError
from arena.results.advice import Advice
from arena.results.database import Database, Patience
from arena.results.one_line import one_line
from arena.results.revision import Revision, write_revision
from arena.results.stored_json import from_json
from arena.results.voids import VoidRow
from referee.records.result import Finished, SeatRow

if TYPE_CHECKING:
    from referee.records.record import Record

ATTEMPTS = 3
"""Largest number of attempts at a void match in one run of its event."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """One run of a config."""

    id: int
    name: str
    seed: int
    config: dict[str, Any]
    created: str
    entrants: dict[str, str]
    """Content hash by name, in the order of the config."""
    total: int | None = None
    """Number of matches, or its limit while results decide it; None if it was never played."""


class MatchRow(NamedTuple):
    """One finished match, without its record; a named tuple like SeatRow."""

    id: int
    event: int
    key: str
    board: int
    variant: str
    termination: str
    reason: str
    plies: int
    finished: str
    seats: tuple[SeatRow, ...]

    @property
    def has_fault(self) -> bool:
        """Whether a seat is at fault; not true of a match that was not played."""
        return any(seat.is_at_fault for seat in self.seats)

    @property
    def faults(self) -> str:
        """The faults by player, in a few words; empty without one."""
        return ", ".join(f"{seat.player}: {seat.fault}" for seat in self.seats if seat.is_at_fault)


class Store:
    """An open database.

    Normal use, by a director:

        with closing(Store(path, is_new_allowed=True)) as store:
            event = store.add_event(name, seed, config, entrants)
            for job in jobs:
                store.begin_match(event, job.key, attempt)  # a kill from here on is seen later
                row = store.add_match(event, board=..., variant=..., attempt=attempt, match=end)
                assert row or job.key in store.keys(event)  # None: it was stored before
    """

    def __init__(
        self,
        path: Path,
        *,
        is_new_allowed: bool = False,
        patience: Patience | None = None,
        advice: Advice | None = None,
    ) -> None:
        """Open the file; with `is_new_allowed` create an absent one. Raises StoreError."""
        self.path = path
        self.database = Database(
            path, is_new_allowed=is_new_allowed, patience=patience, advice=advice
        )

    def close(self) -> None:
        """Close the file."""
        self.database.close()

    def add_event(
        self, name: str, seed: int, config: Mapping[str, Any], entrants: Mapping[str, str]
    ) -> int:
        """Begin an event and return its number."""
        with self.database.transaction() as db:
            cursor = db.execute(
                "INSERT INTO event (name, seed, config, created) VALUES (?, ?, ?, ?)",
                (name, str(seed), json.dumps(config), _now()),
            )
            number = int(cursor.lastrowid or 0)
            _write_entrants(db, number, entrants)
        return number

    def replace_event(
        self, event: int, seed: int, config: Mapping[str, Any], entrants: Mapping[str, str]
    ) -> None:
        """Replace an event's seed, config and entrants; changed bots are no longer withdrawn."""
        with self.database.transaction() as db:
            values = (str(seed), json.dumps(config), event)
            db.execute("UPDATE event SET seed = ?, config = ? WHERE id = ?", values)
            db.executemany(
                "DELETE FROM withdrawal WHERE event = ?1 AND player IN"
                " (SELECT name FROM entrant WHERE event = ?1 AND name = ?2 AND content <> ?3)",
                [(event, name, content) for name, content in entrants.items()],
            )
            db.execute("DELETE FROM entrant WHERE event = ?", (event,))
            _write_entrants(db, event, entrants)

    def remove_untouched(self, event: int) -> None:
        """Remove an event without matches."""
        if self.is_touched(event):
            return
        with self.database.transaction() as db:
            for table in ("entrant", "begun", "withdrawal", "broken"):
                db.execute(f"DELETE FROM {table} WHERE event = ?", (event,))  # noqa: S608 - constants
            db.execute("DELETE FROM event WHERE id = ?", (event,))

    def set_director(self, event: int, director: str | None) -> None:
        """Record the director of a running event."""
        with self.database.transaction() as db:
            db.execute("UPDATE event SET director = ? WHERE id = ?", (director, event))

    def set_total(self, event: int, total: int) -> None:
        """Record the number of an event's matches, or its limit while results decide it."""
        with self.database.transaction() as db:
            db.execute("UPDATE event SET total = ? WHERE id = ?", (total, event))

    def director(self, event: int) -> str | None:
        """Return the last recorded director of the event."""
        row = self.database.row("SELECT director FROM event WHERE id = ?", (event,))
        return row[0] if row else None

    def events(self) -> list[EventRow]:
        """Return all events, oldest first."""
        return [self._event(row) for row in list(self.database.rows(f"{_EVENTS} ORDER BY id"))]

    def latest_event(self, name: str | None = None) -> EventRow | None:
        """Return the newest event, of this name if one is given."""
        query = f"{_EVENTS} WHERE ?1 IS NULL OR name = ?1 ORDER BY id DESC LIMIT 1"
        row = self.database.row(query, (name,))
        return self._event(row) if row else None

    def event(self, number: int) -> EventRow | None:
        """Return the event of this number."""
        row = self.database.row(f"{_EVENTS} WHERE id = ?", (number,))
        return self._event(row) if row else None

    def begin_match(self, event: int, key: str, attempt: int) -> None:
        """Record the start of an attempt, so that the next one gets another number."""
        with self.database.transaction() as db:
            db.execute(
                "INSERT INTO begun VALUES (?, ?, ?)"
                " ON CONFLICT (event, key) DO UPDATE SET attempt = excluded.attempt",
                (event, key, attempt),
            )

    def end_begun(self, event: int, key: str) -> None:
        """Forget a begun match that is given up for good."""
        with self.database.transaction() as db:
            db.execute("DELETE FROM begun WHERE event = ? AND key = ?", (event, key))

    def begun(self, event: int) -> dict[str, int]:
        """Return the last attempts at unfinished matches, by key."""
        return dict(self.database.rows("SELECT key, attempt FROM begun WHERE event = ?", (event,)))

    def add_match(
        self, event: int, *, board: int, variant: str, attempt: int, match: Finished
    ) -> MatchRow | None:
        """Write a finished match and return its row; None if the key is in the database already."""
        pairing = (event, match.key, board, variant)
        ending = (match.termination, match.reason, match.plies, _now())
        with self.database.transaction() as db:
            cursor = db.execute(
                "INSERT INTO match (event, key, board, variant, termination, reason, plies,"
                " finished, attempt, essence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (event, key) WHERE aside = 0 DO NOTHING",
                (*pairing, *ending, attempt, match.essence),
            )
            db.execute("DELETE FROM begun WHERE event = ? AND key = ?", (event, match.key))
            if cursor.rowcount == 0:
                return None
            number = int(cursor.lastrowid or 0)
            db.executemany(
                "INSERT INTO version (event, content) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [(event, content) for content in match.contents],
            )
            db.executemany(
                "INSERT INTO seat VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,"
                " (SELECT id FROM version WHERE event = ? AND content = ?))",
                [
                    (number, place, *seat, event, content)
                    for place, (seat, content) in enumerate(
                        zip(match.seats, match.contents, strict=True)
                    )
                ],
            )
            db.execute("INSERT INTO record VALUES (?, ?)", (number, match.body))
        return MatchRow(number, *pairing, *ending, match.seats)

    def add_withdrawal(self, event: int, player: str, reason: str) -> None:
        """Record a player's withdrawal; a second time changes nothing."""
        with self.database.transaction() as db:
            db.execute(
                "INSERT INTO withdrawal VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (event, player, reason, _now()),
            )

    def set_broken(self, event: int, details: Mapping[str, str]) -> None:
        """Record the players with broken bots, and forget the others that are not withdrawn."""
        with self.database.transaction() as db:
            db.execute(
                "DELETE FROM broken WHERE event = ?1 AND player NOT IN"
                " (SELECT player FROM withdrawal WHERE event = ?1)",
                (event,),
            )
            db.executemany(
                "INSERT OR REPLACE INTO broken (event, player, detail) VALUES (?, ?, ?)",
                [(event, player, detail) for player, detail in details.items()],
            )

    def broken(self, event: int) -> dict[str, str]:
        """Return the reason of each player whose bot did not work in the last run."""
        query = "SELECT player, detail FROM broken WHERE event = ? ORDER BY player"
        return {one_line([who])[0]: text for who, text in self.database.rows(query, (event,))}

    def withdrawals(self, event: int) -> dict[str, str]:
        """Return the withdrawn players of an event, each with the reason."""
        query = "SELECT player, reason FROM withdrawal WHERE event = ? ORDER BY happened, player"
        return dict(map(one_line, self.database.rows(query, (event,))))

    def is_touched(self, event: int) -> bool:
        """Whether anything was played of an event, void attempts included."""
        query = (
            "SELECT 1 FROM match WHERE event = ?1 AND aside = 0"
            " UNION SELECT 1 FROM match WHERE event = ?1 AND aside > 0"
            " UNION SELECT 1 FROM void WHERE event = ?1"
        )
        return self.database.row(query, (event,)) is not None

    def keys(self, event: int) -> set[str]:
        """Return the keys of all finished matches of an event."""
        query = "SELECT key FROM match WHERE event = ? AND aside = 0"
        return {key for (key,) in self.database.rows(query, (event,))}

    def count(self, event: int) -> int:
        """Return the number of finished matches of an event."""
        query = "SELECT count(*) FROM match WHERE event = ? AND aside = 0"
        return int(self.database.row(query, (event,))[0])

    def voids(self, event: int) -> list[VoidRow]:
        """Return the void attempts of an event that were not set aside."""
        query = (
            "SELECT key, attempt, reason, suspect, iif(record IS NULL, NULL, id) FROM void"
            " WHERE event = ? AND aside = 0 ORDER BY key, attempt"
        )
        rows = self.database.rows(query, (event,))
        return [VoidRow(*one_line(row)) for row in rows]

    def matches(self, event: int, after: int = 0) -> Iterator[MatchRow]:
        """Yield the matches that count, in the order they were finished, after number `after`."""
        yield from self._matches("WHERE event = ? AND aside = 0 AND id > ?", event, after)

    def faulty_matches(self, event: int) -> Iterator[MatchRow]:
        """Yield the matches of an event with a fault of a seat, in the order they were finished."""
        has_fault = "SELECT 1 FROM seat WHERE seat.match = match.id AND fault IS NOT NULL"
        yield from self._matches(f"WHERE event = ? AND aside = 0 AND EXISTS ({has_fault})", event)

    def earlier_matches(self, event: int) -> Iterator[MatchRow]:
        """Yield the matches set aside from an event, under the names of that time."""
        yield from self._matches("WHERE event = ? AND aside > 0", event)

    def revise_event(self, event: int, revision: Revision) -> None:
        """Change a begun event, and set aside the matches that no longer count."""
        with self.database.transaction() as db:
            write_revision(db, event, revision, _now())
            _write_entrants(db, event, revision.entrants)

    def revisions(self, event: int) -> list[tuple[str, list[str]]]:
        """Return time and lines of each revision of an event, the first one first."""
        query = "SELECT happened, lines FROM revision WHERE event = ? ORDER BY number"
        rows = self.database.rows(query, (event,))
        return [(happened, from_json(lines)) for happened, lines in rows]

    def match(self, number: int) -> MatchRow | None:
        """Return a finished match by its number."""
        return next(self._matches("WHERE id = ?", number), None)

    def match_number(self, event: int, key: str) -> int | None:
        """Return the number of a finished match by its key."""
        query = "SELECT id FROM match WHERE event = ? AND key = ? AND aside = 0"
        row = self.database.row(query, (event, key))
        return row[0] if row else None

    def record(self, number: int) -> "Record":
        """Return the whole record of a finished match."""
        from referee.records.record import Record  # slow: its models are built on import

        with self._reading(number) as body:
            return Record.from_bytes(body)

    def record_fields(self, number: int) -> dict[str, Any]:
        """Return the record of a finished match as values of JSON, which nothing has checked."""
        from referee.records.record import stored_fields

        with self._reading(number) as body:
            return stored_fields(body)

    def record_line(self, number: int, hidden: Iterable[str] = ()) -> str:
        """Return the unchecked record of a match as JSON, with its number; null if `hidden`."""
        from referee.records.record import stored_fields

        with self._reading(number) as body:
            fields = {"match": number, **stored_fields(body)}
            own = {**dict.fromkeys(hidden), "match": number}
            return json.dumps({**fields, **own}, allow_nan=False)

    @contextmanager
    def _reading(self, number: int) -> Iterator[bytes]:
        """Yield the record of a match as stored; raises StoreError if it cannot be read."""
        row = self.database.row("SELECT body FROM record WHERE match = ?", (number,))
        if row is None:
            raise StoreError(f"{self.path}: there is no match {number}")
        try:
            yield row[0]
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise StoreError(f"{self.path}: match {number} is damaged: {error}") from None

    def _matches(self, which: str, *values: int) -> Iterator[MatchRow]:
        """Yield some matches; both queries read the same state while the first one is open."""
        matches = self.database.rows(f"{_MATCHES} {which} ORDER BY id", values)
        first = next(matches, None)
        if first is not None:
            seats = self.database.rows(f"{_SEATS} {which} ORDER BY id, seat", values)
            yield from _with_seats(chain([first], matches), seats)

    def _event(self, row: Sequence[Any]) -> EventRow:
        number, name, seed, created, total = one_line((*row[:3], *row[4:]))
        query = "SELECT name, content FROM entrant WHERE event = ? ORDER BY place"
        entrants = dict(map(one_line, self.database.rows(query, (number,))))
        return EventRow(number, name, int(seed), from_json(row[3]), created, entrants, total)


_EVENTS = "SELECT id, name, seed, config, created, total FROM event"
_MATCHES = "SELECT id, event, key, board, variant, termination, reason, plies, finished FROM match"
_SEATS = (
    "SELECT seat.match, seat, player, points, place, score, fault, wall_ns, cpu_ns, charged_ns,"
    " grace_ns, near_limit, null_ns, unplayed, is_clock_exact"
    " FROM match JOIN seat ON seat.match = match.id"
)


def _with_seats(matches: Iterable[Any], seats: Iterator[Any]) -> Iterator[MatchRow]:
    """Join rows of matches and rows of their seats, both in the same order."""
    seat = next(seats, None)
    for row in matches:
        own: list[SeatRow] = []
        while seat is not None and seat[0] == row[0]:
            if seat[1] != len(own):  # its remarks would pass for those of another seat
                raise ValueError(f"match {row[0]} has no seat {len(own)}")
            own.append(SeatRow._make(one_line(seat[2:])))
            seat = next(seats, None)
        yield MatchRow._make((*one_line(row), tuple(own)))


def _write_entrants(db: Connection, event: int, entrants: Mapping[str, str]) -> None:
    db.executemany(
        "INSERT INTO entrant VALUES (?, ?, ?, ?)",
        [(event, place, name, content) for place, (name, content) in enumerate(entrants.items())],
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
