"""The boards in play, as a stream for pages: read from the director while somebody looks.

What a bot says of itself is left out, and so are boards with hidden information (`privacy.py`).
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from asgiref.sync import sync_to_async

from arena.pages.channels import LEAST_PAUSE_S, PAUSE_PER_STREAM_S, Stream, message
from arena.pages.directors import LiveEvents
from arena.pages.live_feed import EventFeed
from arena.pages.page_json import json_bytes

MOST = 200
"""Limit of the open pages with boards of persons and strangers."""
MOST_OF_ONE = 12
"""Limit of those of one person."""
MOST_OF_STRANGERS = 100
"""Limit of those of all strangers."""
MOST_OF_PROJECTORS = 20
"""Limit of those by the link of the projector, whose places nobody else can take."""
LOOK_S = 1.0
"""Time in seconds between two looks for a director."""
Watcher = int | str | None
"""Whose page it is: the number of a person, the key of a projector, None for a stranger."""
Gone = Callable[[set[Watcher]], set[Watcher]]
"""Returns those of some watchers who may watch no longer, by the site's database."""
_REMARKS = ("notes", "values", "plans", "planned", "data")


class Boards:
    """The pages that follow the boards of one database."""

    def __init__(
        self, db: Path, is_hidden: Callable[[], bool] = bool, gone: Gone = lambda _: set()
    ) -> None:
        """Follow them while `is_hidden` is false, which may read the site's database."""
        self._is_hidden, self._gone = sync_to_async(is_hidden), sync_to_async(gone)
        self._live = LiveEvents(db, is_public=True)
        self._feeds: dict[int, EventFeed] = {}
        self._streams: dict[Stream, Watcher] = {}
        self._task: asyncio.Task[None] | None = None

    def open(self, watcher: Watcher) -> AsyncGenerator[bytes, None] | None:
        """Return what a page receives until it is closed; None if there are too many.

        A page is counted from its first message on: nobody closes what was made for a reader who
        has left before.
        """
        return self._messages(watcher) if self._has_place(watcher) else None

    def _has_place(self, watcher: Watcher) -> bool:
        watchers = list(self._streams.values())  # a copy: other threads ask as well
        projectors = sum(isinstance(each, str) for each in watchers)
        if isinstance(watcher, str):
            return projectors < MOST_OF_PROJECTORS
        own = MOST_OF_STRANGERS if watcher is None else MOST_OF_ONE
        return watchers.count(watcher) < own and len(watchers) - projectors < MOST

    async def _messages(self, watcher: Watcher) -> AsyncGenerator[bytes, None]:
        if not self._has_place(watcher):
            return  # others that came at the same time were first
        stream = Stream()
        self._streams[stream] = watcher
        try:
            yield b": the boards in play\n\n"
            if self._task is None:
                self._task = asyncio.create_task(self._run())
            async for data in stream.chunks():
                yield data
        finally:
            del self._streams[stream]

    def close(self) -> None:
        """End all streams, as before the end of the server."""
        for stream in self._streams:
            stream.close()

    async def _run(self) -> None:
        looked_s = -LOOK_S
        try:
            while self._streams:
                if time.monotonic() >= looked_s + LOOK_S:
                    looked_s = time.monotonic()
                    if await self._is_hidden():
                        return  # a freeze has begun: all pages end
                    await self._close_gone()
                    self._live.look()
                await self._live.step()
                self._tell()
                await asyncio.sleep(max(LEAST_PAUSE_S, PAUSE_PER_STREAM_S * len(self._streams)))
        finally:
            for stream in self._streams:
                stream.close()  # after an error its page begins again
            self._live.leave()
            self._feeds.clear()
            self._task = None

    async def _close_gone(self) -> None:
        """End the pages of closed accounts and of links that were replaced."""
        gone = await self._gone(set(self._streams.values()))
        for stream, watcher in self._streams.items():
            if watcher in gone:
                stream.close()

    def _tell(self) -> None:
        """Send what is new to all pages, and everything to new ones."""
        events = self._live.events
        feeds = {n: self._feeds.get(n) or EventFeed(events, n) for n in events}
        self._feeds = feeds
        known = [stream for stream in self._streams if not stream.is_new]
        newcomers = [stream for stream in self._streams if stream.is_new]
        for feed in feeds.values():
            if (news := feed.news()) is not None:
                data = _message(news)
                for stream in known:
                    stream.send(data)
        if newcomers:
            whole: dict[str, Any] = {}
            for feed in feeds.values():
                whole |= feed.everything()
            for stream in newcomers:
                stream.is_new = False
                stream.send(_message(whole))


def _message(news: dict[str, Any]) -> bytes:
    for event in news.values():
        for match in event["places"]:
            _hide(match)
    return message("live", json_bytes(news))


def _hide(match: dict[str, Any]) -> None:
    """Leave out what a bot says of itself, and the details of a fault."""
    if "scene" in match:
        match["scene"] = {**match["scene"], **{name: {} for name in _REMARKS}}
    if (result := match.get("result")) is not None and any(result["faults"]):
        match["result"] = {**result, "reason": result["termination"]}
