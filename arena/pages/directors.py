"""The directors of the events in play, as a page asks them, and the matches that have ended.

`arena/event/watch/watchers.py` is the other end. A director is asked only while somebody looks at
a page. It stores a match before it says that the match has ended, so the page takes the end from
there, whatever was reported.
"""

import asyncio
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

from arena.errors import ArenaError
from arena.pages.event_page import match_row
from arena.pages.live_event import Found, LiveEvent, Search
from arena.pages.live_match import StoredMatch
from arena.results.queries import ended_matches, last_match
from arena.results.store import Store
from referee.sandbox import LOCKED_NAME

MAX_LINE = 1 << 24
"""Limit in bytes of a line from a director."""


class LiveEvents:
    """The events of a database in play, by number."""

    def __init__(
        self, db: Path, *, is_public: bool = False, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        """`is_public`: everybody may look, so boards with hidden information are not sent."""
        self._is_public = is_public
        self.events: dict[int, LiveEvent] = {}
        """Those that are over stay as long as somebody looks at a page."""
        self._db = db
        self._now_s = now_s
        self._links: dict[int, asyncio.Task[None]] = {}
        self._before: int | None = None
        """The last match when somebody began to look; None while nobody does."""

    @property
    def is_settled(self) -> bool:
        """Whether every end of the events that are over has been shown."""
        return all(event.is_settled for event in self.events.values() if event.is_over)

    def look(self) -> None:
        """Connect to all new directors."""
        for number, path in _sockets(self._db):
            if number not in self._links:
                self._links[number] = asyncio.create_task(self._follow(number, path))

    def leave(self) -> None:
        """Disconnect from all directors, and forget their events."""
        for task in self._links.values():
            task.cancel()
        self._links.clear()
        self._before = None
        self.events.clear()

    async def step(self) -> None:
        """Read the matches that have ended, and show them and the next ones."""
        if self._before is None:
            self._before = await asyncio.to_thread(_last_match, self._db)
        for number, event in list(self.events.items()):
            found = None
            if search := event.search(self._now_s()):
                found = await asyncio.to_thread(read_ended, self._db, number, search)
                if found is None:
                    event.search_again()
            event.arrange(found, self._now_s())

    async def _follow(self, number: int, path: Path) -> None:
        event = LiveEvent(is_public=self._is_public, after=self._before or 0)
        writer = None
        try:
            reader, writer = await _connect(path)
            while line := await reader.readline():
                event.take(line)
                self.events[number] = event
        except (OSError, ValueError, LookupError, TypeError):
            pass  # it has ended, or is of another version
        finally:
            if writer is not None:
                writer.close()
        self._links.pop(number, None)
        if self.events.get(number) is event:
            event.end()


def read_ended(db: Path, event: int, search: Search) -> Found | None:
    """Read the matches of a search; None if the database cannot be read now."""
    try:
        with closing(Store(db)) as store:
            ended = ended_matches(store, event, search.after, search.most)
            numbers = {store.match_number(event, key) for key in search.keys}
            matches = (_stored(store, number) for number in numbers.union(search.numbers))
            found = {match.record.job.key: match for match in matches if match is not None}
            return Found(tuple(ended), found)
    except ArenaError:
        return None


def _last_match(db: Path) -> int:
    try:
        with closing(Store(db)) as store:
            return last_match(store)
    except ArenaError:  # no event has begun here yet
        return 0


def _stored(store: Store, number: int | None) -> StoredMatch | None:
    if number is None:
        return None
    with suppress(ArenaError):
        if (row := store.match(number)) is not None:
            return StoredMatch(store.record(number), match_row(row))
    return None


async def _connect(path: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        address = f"/proc/self/fd/{folder}/{path.name}"  # the path itself may be too long
        return await asyncio.open_unix_connection(address, limit=MAX_LINE)
    finally:
        os.close(folder)


def _sockets(db: Path) -> Iterator[tuple[int, Path]]:
    """Yield number and socket of each event in play, from this user's directories only."""
    try:
        stat = db.stat()
    except OSError:
        return
    for folder in Path(tempfile.gettempdir()).glob("arena-*-*"):
        with suppress(OSError, ValueError):
            if LOCKED_NAME.fullmatch(folder.name) and folder.lstat().st_uid == os.geteuid():
                for path in folder.glob(f"{stat.st_dev}-{stat.st_ino}-*"):
                    yield int(path.name.rpartition("-")[2]), path
