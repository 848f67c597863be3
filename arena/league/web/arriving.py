"""Requests that arrive: limits of size and time; of too many the oldest is refused."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
BUSY = "too many requests at this moment; try again"


class Arrival:
    """The body of a request, which ends the request once it is too large or too slow."""

    def __init__(self, receive: Receive, send: Send, most: int, longest_s: float) -> None:
        """Accept `most` bytes within `longest_s` seconds from now."""
        self._receive, self._send = receive, send
        self._most, self._left = most, most
        self._begun_s = asyncio.get_running_loop().time()
        self._until_s = self._begun_s + longest_s
        self._why = (408, f"it took more than {longest_s:g} s to arrive")
        self._waiting: asyncio.Timeout | None = None
        self.is_over = False

    async def receive(self) -> MutableMapping[str, Any]:
        """Return the next event of the request."""
        if self.is_over:
            return await self._receive()
        try:
            async with asyncio.timeout_at(self._until_s) as self._waiting:
                event = await self._receive()
        except TimeoutError:
            return await self._end(*self._why)
        self.is_over = not event.get("more_body", False)
        self._left -= len(event.get("body", b""))
        if self._left < 0:
            return await self._end(413, f"more than {self._most // 1000} kB")
        return event

    def until_over(self, end: Callable[["Arrival"], None]) -> Receive:
        """Return its source, which calls `end` once it has arrived or was refused."""

        async def watched() -> MutableMapping[str, Any]:
            event = await self.receive()
            if self.is_over:
                end(self)
            return event

        return watched

    @property
    def age_s(self) -> float:
        """Time in s since its begin."""
        return asyncio.get_running_loop().time() - self._begun_s

    def make_room(self) -> None:
        """Refuse the request, whose place another one needs."""
        self._why = (503, BUSY)
        self._until_s = 0.0
        if self._waiting is not None and not self._waiting.expired():
            self._waiting.reschedule(0.0)

    async def _end(self, code: int, text: str) -> MutableMapping[str, Any]:
        self.is_over = True
        await refuse(self._send, code, text)
        return {"type": "http.disconnect"}


class Arrivals:
    """The requests that arrive, the oldest first."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._places: dict[Arrival, None] = {}

    def __len__(self) -> int:
        return len(self._places)

    def begin(self, arrival: Arrival) -> Receive:
        """Return the source of a request that holds a place until its end has come."""
        if len(self._places) >= self._most:
            oldest = next(iter(self._places))
            self.end(oldest)
            oldest.make_room()
        self._places[arrival] = None
        return arrival.until_over(self.end)

    def end(self, arrival: Arrival) -> None:
        """Give the place of a request to others."""
        self._places.pop(arrival, None)


async def refuse(send: Send, code: int, text: str, retry_s: int = 0) -> None:
    """Answer with an error and close the connection."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    if retry_s:
        headers.append((b"retry-after", str(retry_s).encode()))
    await send({"type": "http.response.start", "status": code, "headers": headers})
    await send({"type": "http.response.body", "body": f"{text}\n".encode()})
