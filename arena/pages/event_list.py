"""The list of events as data for a page: state, leader and progress of each.

The leader of an event needs all of its matches, so these are read once, and later only those that
have ended since; a reading takes a limited number of them, the newest events first.
"""

import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from arena.formats.event_results import empty_table, progress_text, rank
from arena.pages.reading_pace import ReadingPace
from arena.results.queries import snapshot
from arena.results.standings import Table
from arena.results.store import EventRow, Store

MOST_MATCHES = 5_000
"""Number of matches after which a reading begins no other event."""


class EventList:
    """The events of a database: none before it exists for the first time."""

    def __init__(self, db: Path, *, now_s: Callable[[], float] = time.monotonic) -> None:
        self._db = db
        self._is_known = db.exists()
        self._leaders: dict[int, _Leader] = {}
        self._pace = ReadingPace(now_s, least_s=0)
        self._lock = threading.Lock()
        self.has_more = False
        """Whether leaders are missing that the next reading finds."""

    @property
    def is_due(self) -> bool:
        """Whether the last reading is long enough ago."""
        return self._pace.is_due

    def read(self) -> list[dict[str, Any]]:
        """Return them, the newest first; raises ArenaError for a database that has gone."""
        self._is_known |= self._db.exists()
        if not self._is_known:
            return []
        with self._lock, closing(Store(self._db)) as store, snapshot(store), self._pace.reading():
            return self._rows(store)

    def _rows(self, store: Store) -> list[dict[str, Any]]:
        rows, read = [], 0
        self.has_more = False
        for event in reversed(store.events()):
            count = store.count(event.id)
            leader = self._leaders.setdefault(event.id, _Leader())
            if leader.is_old(store, event, count):
                if read < MOST_MATCHES:
                    read += leader.update(store, event, count)
                else:
                    self.has_more = True
            rows.append(_row(store, event, leader.text))
        return rows


class _Leader:
    """Who is first in an event, as far as it has been read."""

    def __init__(self) -> None:
        self.text = ""
        self._table: Table | None = None
        self._last = 0
        self._state: object = None

    def is_old(self, store: Store, event: EventRow, count: int) -> bool:
        """Whether matches or the event have changed since the last update."""
        return self._state != _state(store, event, count)

    def update(self, store: Store, event: EventRow, count: int) -> int:
        """Read the matches that have ended since, or all if others count; return their number."""
        table = self._table
        news = [] if table is None else list(store.matches(event.id, self._last))
        if table is None or table.matches + len(news) != count or table.players != _players(event):
            table, news = empty_table(event), list(store.matches(event.id))
        for match in news:
            table.add(match.seats)
        self._last = news[-1].id if news else self._last
        rank(table, store, event)
        self.text = _first_text(table, event)
        self._table = None if _is_finished(event, count) else table  # it changes no more
        self._state = _state(store, event, count)
        return len(news)


def _state(store: Store, event: EventRow, count: int) -> object:
    return count, event.entrants, event.config, event.total, len(store.revisions(event.id))


def _players(event: EventRow) -> tuple[str, ...]:
    return tuple(event.entrants)


def _is_finished(event: EventRow, count: int) -> bool:
    return event.total is not None and count >= event.total


def _first_text(table: Table, event: EventRow) -> str:
    """Return who is first, in a few words; empty before the first match, and if all are equal."""
    ranked = table.ranked()
    first = [row.player for place, row in ranked if place == 1]
    if not table.matches or (len(first) == len(ranked) and len(first) > 1):
        return "drawn" if table.matches and "person" in event.config else ""
    if "person" in event.config:
        return f"{' and '.join(first)} won" if len(ranked) > 1 else ""
    return " and ".join(first) if len(first) < 3 else f"{len(first)} bots"


def _row(store: Store, event: EventRow, leader: str) -> dict[str, Any]:
    progress = progress_text(store, event)
    is_people = "person" in event.config
    return {
        "number": event.id,
        "name": event.name,
        "game": event.config.get("game", {}).get("name", ""),
        "state": "" if is_people else "finished" if progress.isdecimal() else "unfinished",
        "leader": leader,
        "progress": progress,
        "begun": event.created[:16].replace("T", " "),
        "bots": len(event.entrants),
        "is_people": is_people,
        "players": list(event.entrants) if is_people else [],
    }
