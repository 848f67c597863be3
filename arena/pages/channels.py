"""The open pages that follow an event, or the list of events, and their messages.

A message is made once for all pages of a channel. A page that is slow loses its messages once they
are too many, and begins again with everything, like a new page.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Protocol

from arena.errors import ArenaError
from arena.pages.directors import LiveEvents
from arena.pages.event_list import EventList
from arena.pages.event_results import EventResults
from arena.pages.live_feed import EventFeed, ListFeed
from arena.pages.page_json import json_bytes

MAX_STREAMS = 250
"""Limit of open pages that follow the events."""
STRANGERS = 200
"""Limit of open pages at which a stranger finds no place; the others are the organiser's."""
KEEP_ALIVE_S = 15.0
MOST_WAITING = 64
"""Limit of messages that a page has not taken yet."""
LEAST_PAUSE_S = 0.1
"""Time between two looks at the database, and so between two messages."""
PAUSE_PER_STREAM_S = 0.004
"""The same time for each open page, so that many cost little more than a few."""


class Stream:
    """What one open page receives."""

    def __init__(self) -> None:
        self.is_new = True
        """Whether it needs everything."""
        self._messages: list[bytes] = []
        self._is_closed = False
        self._woken = asyncio.Event()

    def send(self, data: bytes) -> None:
        """Send a message once the page takes it."""
        self._messages.append(data)
        if len(self._messages) > MOST_WAITING:
            self._messages.clear()
            self.is_new = True
        self._woken.set()

    def close(self) -> None:
        """End it after the messages so far."""
        self._is_closed = True
        self._woken.set()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield what is sent, and a comment after each silence."""
        while self._messages or not self._is_closed:
            try:
                await asyncio.wait_for(self._woken.wait(), KEEP_ALIVE_S)
            except TimeoutError:
                yield b": nothing new\n\n"
                continue
            self._woken.clear()
            messages, self._messages = self._messages, []
            if messages:
                yield b"".join(messages)


class Source(Protocol):
    """What a channel tells besides the boards of running matches."""

    @property
    def is_due(self) -> bool:
        """Whether it may be read again."""

    @property
    def has_more(self) -> bool:
        """Whether another reading would add something, without any change."""

    def read(self) -> object:
        """Read what has changed, in a thread; raises ArenaError or LookupError."""

    def changes(self) -> list[bytes]:
        """Return the messages about the changes since the last call."""

    def whole(self) -> bytes:
        """Return the messages for a new page."""


class Channel:
    """The pages of one event, or of the list of events (None)."""

    def __init__(self, source: Source, feed: EventFeed | ListFeed) -> None:
        self.streams: set[Stream] = set()
        self.has_change = True
        """Whether the database has changed since it was read."""
        self._source = source
        self._feed = feed
        self._complaint = b""

    async def step(self, *, is_last: bool) -> None:
        """Read what has changed, if that is due or was the last time, and tell the pages."""
        if self.has_change and (is_last or self._source.is_due):
            self.has_change = False
            await self._read()
        messages = self._source.changes()
        if (news := self._feed.news()) is not None:
            messages.append(_live(news))
        for stream in self.streams:
            for data in () if stream.is_new else messages:
                stream.send(data)
        newcomers = [stream for stream in self.streams if stream.is_new]
        if newcomers:
            first = self._complaint + self._source.whole() + _live(self._feed.everything())
            for stream in newcomers:
                stream.is_new = False
                stream.send(first)

    async def _read(self) -> None:
        complaint = b""
        try:
            await asyncio.to_thread(self._source.read)
            self.has_change |= self._source.has_more
        except (ArenaError, LookupError) as error:
            self.has_change = True  # it may be readable later, without another change
            complaint = message("failed", json_bytes(str(error)))
        if complaint not in (b"", self._complaint):
            for stream in self.streams:
                stream.send(complaint)
        self._complaint = complaint


class EventSource:
    """The results of an event."""

    has_more = False

    def __init__(self, results: EventResults) -> None:
        self._results = results
        self._told = ""
        self.read = results.read

    @property
    def is_due(self) -> bool:
        """Whether it may be read again."""
        return self._results.is_due

    def changes(self) -> list[bytes]:
        """Return the difference of each new edition to the one before."""
        changes = list(self._results.changes)
        names = [name for name, _ in changes]
        first = names.index(self._told) + 1 if self._told in names else 0
        self._told = names[-1] if names else ""
        return [message("results", data) for _, data in changes[first:]]

    def whole(self) -> bytes:
        """Return the name of the newest edition: a page fetches it if it has another one."""
        edition = self._results.edition
        return b"" if edition is None else message("edition", json_bytes(edition.name))


class ListSource:
    """The list of all events."""

    def __init__(self, events: EventList) -> None:
        self._events = events
        self._list = self._told = b""

    @property
    def is_due(self) -> bool:
        """Whether it may be read again."""
        return self._events.is_due

    @property
    def has_more(self) -> bool:
        """Whether the list lacks something that the next reading adds."""
        return self._events.has_more

    def read(self) -> None:
        """Read the list."""
        self._list = json_bytes(self._events.read())

    def changes(self) -> list[bytes]:
        """Return the list if it has changed."""
        is_new = self._list != self._told
        self._told = self._list
        return [self.whole()] if is_new else []

    def whole(self) -> bytes:
        """Return the list."""
        return message("events", self._list) if self._list else b""


class Channels:
    """The channels with open pages."""

    def __init__(self, db: Path, live: LiveEvents, results: Callable[[int], EventResults]) -> None:
        """`results` returns the results of an event by its number."""
        self.events = EventList(db)
        self._live = live
        self._results = results
        self._channels: dict[int | None, Channel] = {}
        self._has_streams = asyncio.Event()

    @property
    def count(self) -> int:
        """Number of open pages."""
        return sum(len(channel.streams) for channel in self._channels.values())

    @property
    def pause_s(self) -> float:
        """Time until the next step."""
        return max(LEAST_PAUSE_S, PAUSE_PER_STREAM_S * self.count)

    def has(self, event: int) -> bool:
        """Whether a page follows this event."""
        return event in self._channels

    def open(self, event: int | None, most: int = MAX_STREAMS) -> Stream | None:
        """Return a stream for a new page, counted from now on; None if `most` are open."""
        if self.count >= most:
            return None
        if event not in self._channels:
            self._channels[event] = self._channel(event)
        stream = Stream()
        self._channels[event].streams.add(stream)
        self._has_streams.set()
        return stream

    def _channel(self, event: int | None) -> Channel:
        events = self._live.events
        if event is None:
            return Channel(ListSource(self.events), ListFeed(events))
        return Channel(EventSource(self._results(event)), EventFeed(events, event))

    def leave(self, event: int | None, stream: Stream) -> None:
        """Forget a page."""
        if (channel := self._channels.get(event)) is not None:
            channel.streams.discard(stream)
            if not channel.streams:
                del self._channels[event]
        if not self._channels:
            self._has_streams.clear()

    async def wait_for_streams(self) -> None:
        """Wait until a page is open."""
        await self._has_streams.wait()

    def note_change(self) -> None:
        """Note that the database has changed."""
        for channel in self._channels.values():
            channel.has_change = True

    async def step(self, *, is_last: bool = False) -> None:
        """Tell all pages what has changed; the last time, whatever it costs."""
        for channel in list(self._channels.values()):
            await channel.step(is_last=is_last)

    def close(self) -> None:
        """End all streams."""
        for channel in self._channels.values():
            for stream in channel.streams:
                stream.close()


def message(kind: str, data: bytes) -> bytes:
    """Return an event of a stream; JSON has no line breaks."""
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), data)


def _live(news: dict[str, Any]) -> bytes:
    return message("live", json.dumps(news).encode())
