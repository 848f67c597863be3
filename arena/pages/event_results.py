"""The results of one event for all of its pages: whole, and what each change adds.

Read are only the matches that ended since the last reading. All parts of the data come from one
state of the database, so that all counts on a page agree.
"""

import gzip
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from arena.errors import ArenaError
from arena.formats.event_results import empty_table, rank
from arena.pages.elo_progress import EloProgress
from arena.pages.event_page import blank_page, fault_row, match_row, summary_page
from arena.pages.page_json import json_bytes
from arena.pages.place_progress import PlaceProgress
from arena.pages.reading_pace import ReadingPace
from arena.ratings.text import rated
from arena.reports.notes import notes_of
from arena.reports.report import MOST_FAULTS, PlayedEvent, faults_of
from arena.results.damage import check
from arena.results.queries import snapshot, start_of
from arena.results.secrecy import is_closed
from arena.results.standings import rated_match
from arena.results.store import EventRow, MatchRow, Store
from referee.errors import UNCHECKED

LISTS = ("matches", "faults")
"""Parts of the data that only grow, as long as no match is set aside."""
KEPT = 16
"""Number of the last changes that are kept."""
MOST_EVENTS = 1 << 63
"""Limit of the numbers of SQLite."""


@dataclass(frozen=True)
class Edition:
    """The data of an event after a change: each part as JSON, the lists by their items."""

    name: str
    parts: dict[str, bytes]
    lists: dict[str, tuple[bytes, ...]]

    @cached_property
    def whole(self) -> bytes:
        """The whole data, compressed: most browsers accept it, and it is kept."""
        lists = {name: b"[%s]" % b",".join(items) for name, items in self.lists.items()}
        return gzip.compress(_object({**self.parts, **lists, "edition": json_bytes(self.name)}), 6)

    def since(self, before: "Edition") -> bytes:
        """Return the parts that are new or changed, and the new items of the lists."""
        news = {name: part for name, part in self.parts.items() if before.parts.get(name) != part}
        for name, items in self.lists.items():
            known = before.lists[name]
            first = len(known) if items[: len(known)] == known else 0
            head = b'{"first":%d,"items":[' % first
            news[name] = head + b",".join(items[first:]) + b"]}"
        names = {"edition": json_bytes(self.name), "after": json_bytes(before.name)}
        return _object({**names, "news": _object(news)})


class EventResults:
    """The results of an event, as its pages show them.

    Normal use, each in a thread:

        results.read()  # after a change of the database
        results.edition.whole  # for a new page
    """

    def __init__(
        self,
        db: Path,
        event: int,
        *,
        is_public: bool = False,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """`is_public`: everybody may read them, so they have nothing that a bot has printed."""
        self._db = db
        self._event = event
        self._is_public = is_public
        self._pace = ReadingPace(now_s)
        self._run = secrets.token_hex(4)
        """Part of the name of each edition: another server has others."""
        self._state: object = None
        self._lock = threading.Lock()
        self._reading: _Reading | None = None
        self.edition: Edition | None = None
        """The newest one; None before the first reading."""
        self.changes: deque[tuple[str, bytes]] = deque(maxlen=KEPT)
        """The name of each edition, and its difference to the one before."""

    @property
    def is_due(self) -> bool:
        """Whether the last reading is long enough ago."""
        return self._pace.is_due

    def read(self) -> Edition:
        """Read what has changed; raises LookupError if there is no such event."""
        with self._lock, self._pace.reading():
            return self._read()

    def _read(self) -> Edition:
        with closing(Store(self._db)) as store:
            try:
                with snapshot(store):
                    return self._newest(store)
            except (ArenaError, LookupError):
                raise  # there is no such event
            except UNCHECKED:
                check(store)
                raise

    def _newest(self, store: Store) -> Edition:
        event = store.event(self._event) if self._event < MOST_EVENTS else None
        if event is None:
            raise LookupError(f"no event {self._event}")
        state = _state(store, event)
        if self.edition is None or state != self._state:
            self.edition = self._next(store, event)
            self._state = state
        return self.edition

    def _next(self, store: Store, event: EventRow) -> Edition:
        reading, before = self._reading, self.edition
        self._reading = None  # a reading that fails is begun again
        matches = None if reading is None else reading.later(store, event)
        if reading is None or matches is None:
            reading = _Reading(store, event, is_public=self._is_public)
            matches = list(store.matches(event.id))
        reading.add(store, event, matches)
        number = 1 if before is None else int(before.name.partition(".")[2]) + 1
        edition = reading.edition(store, event, f"{self._run}.{number}")
        self._reading = reading
        if before is not None:
            self.changes.append((edition.name, edition.since(before)))
        return edition


class _Reading:
    """What is kept of the matches read so far."""

    def __init__(self, store: Store, event: EventRow, *, is_public: bool) -> None:
        self._is_public = is_public
        self._begun = _essence(store, event)
        self._table = empty_table(event)
        self._elos = EloProgress()
        self._places = PlaceProgress(empty_table(event))
        self._rows: list[bytes] = []
        self._faults: list[bytes] = []
        self._last = 0

    def later(self, store: Store, event: EventRow) -> list[MatchRow] | None:
        """Return the matches after those read; None if these have changed."""
        if _essence(store, event) != self._begun:
            return None
        matches = list(store.matches(event.id, self._last))
        return matches if len(self._rows) + len(matches) == store.count(event.id) else None

    def add(self, store: Store, event: EventRow, matches: list[MatchRow]) -> None:
        for match in matches:
            self._table.add(match.seats, start_of(event, match.board), match.termination)
            self._elos.add(rated_match(match.seats))
            self._places.add(match.seats)
            self._rows.append(json_bytes(match_row(match)))
            self._last = match.id
        for fault in faults_of(store, matches):
            if len(self._faults) >= MOST_FAULTS:
                break
            asked_for = {"output": None if fault.output else ""}
            self._faults.append(json_bytes(fault_row(fault) | asked_for))

    def edition(self, store: Store, event: EventRow, name: str) -> Edition:
        rank(self._table, store, event)
        played = PlayedEvent(
            event=event,
            db=str(store.path),
            table=self._table,
            ratings=rated(event, self._table.outcomes),
            matches=(),
            faults=(),
            fault_count=sum(row.faults for row in self._table.rows.values()),
            notes=tuple(notes_of(store, event, has_output=not self._is_public)),
        )
        page = blank_page(event.name) | summary_page(store, played, self._elos, self._places)
        parts = {key: json_bytes(part) for key, part in page.items() if key not in LISTS}
        lists = {"matches": tuple(self._rows), "faults": tuple(self._faults)}
        return Edition(name, {**parts, "omitted": b'""'}, lists)


def _state(store: Store, event: EventRow) -> object:
    """Return a value, different after each change of an event's results."""
    others = len(store.voids(event.id)), event.total, is_closed(event)
    return store.count(event.id), _essence(store, event), others


def _essence(store: Store, event: EventRow) -> object:
    """Return a value, different after each change that affects earlier matches."""
    return event.name, event.entrants, event.config, len(store.revisions(event.id))


def _object(parts: dict[str, bytes]) -> bytes:
    return b"{%s}" % b",".join(b'"%s":%s' % (name.encode(), part) for name, part in parts.items())
