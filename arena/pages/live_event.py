"""Events in play, as their directors tell of them: running matches with their boards, the queue.

`arena/event/watchers.py` is the other end. A director is asked only while somebody looks at a page.
"""

import asyncio
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from arena.pages.scenes import Scene
from referee.calls import Call
from referee.job import Player
from referee.record import JOBS
from referee.replay import ReplayError, game_of
from referee.rules import RuleError
from referee.sandbox.locked import LOCKED_NAME

MAX_LINE = 1 << 24
"""Limit in bytes of a line from a director."""


class LiveMatch:
    """A running match, up to its last reported call."""

    def __init__(self, job: dict[str, Any], *, is_public: bool) -> None:
        """`is_public`: no board of a match with hidden information, for a bot's author may look."""
        self.key: str = job["key"]
        self.players: list[str] = job["players"]
        self.run: int | None = None
        """Number of the shown attempt; None before the first report."""
        self.job = job
        self.scene = _scene_of(job, is_public=is_public)
        """None if the game cannot be shown here."""
        self._calls = 0

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return 0 if self.scene is None else self.scene.steps

    def add(self, first: int, calls: list[Call]) -> None:
        """Add calls numbered from `first`; known ones are skipped, later ones need all before."""
        if first > self._calls or self.scene is None:
            return
        fresh = calls[self._calls - first :]
        self._calls += len(fresh)
        with suppress(ReplayError):
            self.scene.add(fresh)

    def head(self) -> dict[str, Any]:
        """Return the constant facts of the match."""
        layout = None if self.scene is None else self.scene.layout
        return {"players": self.players, "layout": None if layout is None else asdict(layout)}


class LiveEvent:
    """An event in play."""

    def __init__(self, *, is_public: bool = False) -> None:
        self._is_public = is_public
        self.places: list[LiveMatch] = []
        """The match of each place on the page, until the next one begins."""
        self.running: set[str] = set()
        """Keys of the running matches; the others on a place have ended."""
        self.coming: list[list[str]] = []
        """Players of the next matches."""
        self.left = 0
        """Number of unfinished matches."""
        self.total = 0
        """Number of all matches."""

    def take(self, line: bytes) -> None:
        """Take one line of the director."""
        said = json.loads(line)
        if "running" in said:
            self._take_state(said)
            return
        for place, match in enumerate(self.places):
            if match.key == said["key"]:
                if match.run not in (None, said["run"]):
                    match = LiveMatch(match.job, is_public=self._is_public)  # noqa: PLW2901
                    self.places[place] = match
                match.run = said["run"]
                match.add(said["first"], _CALLS.validate_python(said["calls"]))

    def _take_state(self, state: dict[str, Any]) -> None:
        self.coming, self.left, self.total = state["next"], state["left"], state["total"]
        self.running = {job["key"] for job in state["running"]}
        shown = {match.key for match in self.places}
        free = [n for n, match in enumerate(self.places) if match.key not in self.running]
        for job in state["running"]:
            if job["key"] in shown:
                continue
            match = LiveMatch(job, is_public=self._is_public)
            if free:
                self.places[free.pop(0)] = match
            else:
                self.places.append(match)


class LiveEvents:
    """The events of a database in play, by number."""

    def __init__(self, db: Path, *, is_public: bool = False) -> None:
        """`is_public`: everybody may look, so boards with hidden information are not sent."""
        self._is_public = is_public
        self.events: dict[int, LiveEvent] = {}
        self.version = 0
        """Number of changes so far."""
        self._db = db
        self._links: dict[int, asyncio.Task[None]] = {}

    def look(self) -> None:
        """Connect to all new directors."""
        for number, path in _sockets(self._db):
            if number not in self._links:
                self._links[number] = asyncio.create_task(self._follow(number, path))

    def leave(self) -> None:
        """Disconnect from all directors."""
        for task in self._links.values():
            task.cancel()

    async def _follow(self, number: int, path: Path) -> None:
        writer = None
        try:
            reader, writer = await _connect(path)
            event = LiveEvent(is_public=self._is_public)
            while line := await reader.readline():
                event.take(line)
                self.events[number] = event
                self.version += 1
        except (OSError, ValueError, LookupError, TypeError):
            pass  # it has ended, or is of another version
        finally:
            if writer is not None:
                writer.close()
            self.events.pop(number, None)
            self._links.pop(number, None)
            self.version += 1


class Feed:
    """The news of the events in play for one page."""

    def __init__(self, live: LiveEvents) -> None:
        self._live = live
        self._version = -1
        self._sent: dict[LiveMatch, int] = {}
        """Number of sent steps by match."""

    def news(self) -> dict[str, Any] | None:
        """Return the events in play with the news of their matches; None without a change."""
        if self._version == self._live.version:
            return None
        self._version = self._live.version
        events = self._live.events
        here = {match for event in events.values() for match in event.places}
        self._sent = {match: steps for match, steps in self._sent.items() if match in here}
        return {str(number): self._event(event) for number, event in events.items()}

    def _event(self, event: LiveEvent) -> dict[str, Any]:
        return {
            "places": [self._match(match) for match in event.places],
            "running": [match.key in event.running for match in event.places],
            "next": event.coming,
            "left": event.left,
            "total": event.total,
        }

    def _match(self, match: LiveMatch) -> dict[str, Any]:
        sent = self._sent.get(match)
        self._sent[match] = match.steps
        news: dict[str, Any] = {"key": match.key, "steps": match.steps}
        if sent is None:
            news |= match.head()
        if match.scene is not None and sent != match.steps:
            news |= {"first": sent or 0, "scene": match.scene.to_json(sent or 0)}
            news["turn"] = match.scene.turn
        return news


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


def _scene_of(job: dict[str, Any], *, is_public: bool) -> Scene | None:
    """Return the first position of a director's description of a match; None if not to be shown."""
    players = [Player(name=name, argv=(), folder="", content="") for name in job["players"]]
    try:
        whole = JOBS.validate_python({**job, "players": players, "seed": 0})
        if is_public and game_of(whole).has_hidden_information:
            return None
        return Scene(whole)
    except (ReplayError, RuleError, ImportError, LookupError):
        return None


_CALLS = TypeAdapter(list[Call])
