"""Run the web server: choose a port, print the link, serve until the end."""

import asyncio
import os
import secrets
import socket
import threading
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import ClassVar

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from arena.errors import UsageError
from arena.pages.channels import MAX_STREAMS
from arena.pages.guard import Guard
from arena.pages.listening import listening
from arena.pages.playing.routes import Playing
from arena.pages.server import Site, app_of
from arena.reading.hosts import listening_fault

LOOPBACK = "127.0.0.1"


def serve(
    db: Path,
    address: str,
    port: int,
    *,
    is_public: bool,
    tell: Callable[[str], None],
    playing: Playing | None = None,
    token: str | None = None,
    until_end_of: int | None = None,
) -> None:
    """Serve a database until SIGINT or SIGTERM; port 0 takes a free one, no `token` a new one.

    With `playing`, whoever has the link with the token can play as well. With `until_end_of`, the
    server also ends when nothing can be read from this descriptor any more.

    Raises UsageError if the address or the port cannot be used.
    """
    try:
        is_loopback = ip_address(address).is_loopback
    except ValueError:
        raise UsageError(f"--bind {address}: not an IP address, like {LOOPBACK}") from None
    try:
        listener = listening(address, port)
    except OSError as error:
        raise UsageError(
            f"cannot use port {port} of {address}: {listening_fault(error)}; choose another with"
            " --port"
        ) from None
    with listener:
        site = Site(
            db,
            listener.getsockname()[1],
            is_public=is_public,
            token=token or secrets.token_urlsafe(24),
            playing=playing,
        )
        link = f"http://{f'[{address}]' if ':' in address else address}:{site.port}"
        path = f"/?token={site.token}" if playing is None else playing.address(site.token)
        own_link = f"{link}{path}"
        tell(f"serving {db}: {f'{link}/' if is_public else own_link}")
        if is_public and playing is not None:
            tell(f"your own link, to play as well: {own_link}")
        if not is_loopback:
            tell("warning: other machines can reach this port, and nothing is encrypted")
        config = uvicorn.Config(
            Guard(app_of(site), site),
            http=PromptProtocol,
            log_level="error",  # a warning tells of a client's faults only, once for each request
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=1,
            limit_concurrency=2 * MAX_STREAMS,
            h11_max_incomplete_event_size=1 << 16,
            ws="none",
        )
        server = _Server(config, site)
        if until_end_of is not None:
            waiting = (until_end_of, server)
            threading.Thread(target=_end_after, args=waiting, daemon=True).start()
        server.run(sockets=[listener])


REQUEST_S = 10.0
"""Time for a request to arrive."""


class PromptProtocol(H11Protocol):
    """HTTP with a time limit for the next request of a connection.

    Of too many connections, the oldest without a whole request makes room for the newest, so that
    a stranger who says nothing keeps nobody out.
    """

    request_s: ClassVar[float] = REQUEST_S

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look for requests."""
        super().connection_made(transport)
        self._is_silent = False
        self.made_s = self.loop.time()
        self._make_room()
        self._look_later()

    @property
    def is_waiting(self) -> bool:
        """Whether the next request has not come."""
        answer: RequestResponseCycle | None = self.cycle
        return answer is None or answer.response_complete

    def _make_room(self) -> None:
        most = self.limit_concurrency
        if most is None or len(self.connections) < most:
            return
        known = (each for each in self.connections if isinstance(each, PromptProtocol))
        waiting = [each for each in known if each is not self and each.is_waiting]
        if waiting:
            oldest = min(waiting, key=lambda each: each.made_s)
            self.connections.discard(oldest)  # counted no more from now on
            oldest.transport.abort()

    def _look_later(self) -> None:
        self.loop.call_later(self.request_s, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        if self.is_waiting and self._is_silent:
            self.transport.close()
            return
        self._is_silent = self.is_waiting
        self._look_later()


class _Server(uvicorn.Server):
    """A server: ends its streams before waiting for the end of all answers."""

    def __init__(self, config: uvicorn.Config, site: Site) -> None:
        super().__init__(config)
        self._site = site

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, the matches with people and then the server."""
        await self._site.end()
        await super().shutdown(sockets)


def _end_after(descriptor: int, server: _Server) -> None:
    while os.read(descriptor, 1024):
        pass
    server.should_exit = True
