"""The web process: Django behind a guard that knows the hosts and limits every request."""

from collections.abc import Callable, Mapping, MutableMapping
from ipaddress import ip_address
from socket import socket
from typing import Any

import uvicorn
from asgiref.sync import sync_to_async
from django.core.asgi import get_asgi_application

from arena.league.folder import League
from arena.league.hand_ins.reception import HAND_IN_BYTES
from arena.league.settings import FORM_BYTES
from arena.league.web.arriving import Arrival, Arrivals, Receive, Scope, Send, refuse
from arena.league.web.content_types import is_in_utf_8
from arena.league.web.here import serve_league
from arena.league.web.people_games import people_games
from arena.league.web.sessions import asker_of
from arena.league.web.uploads import Asker, Uploads
from arena.league.web.watching import end_streams
from arena.pages.serving import PromptProtocol

WhoAsks = Callable[[Mapping[bytes, bytes]], Asker | None]
"""Returns who asks, by the headers of a request; None for a stranger."""
MAX_PATH = 300
MAX_REQUESTS = 300
MAX_ARRIVING = 100
"""Limit of the other requests that arrive at the same time; the oldest makes room for another."""
FORM_S = 20.0
"""Time in s for a request without a hand-in to arrive."""
UPLOAD_S = 600.0
"""Time in s for a hand-in to arrive."""
_AROUND = 100_000
"""Bytes around a file in a form."""
_LOOPBACK = "localhost"
_UPLOADS = ("/hand-ins", "/git-receive-pack")
"""Ends of the addresses that take hand-ins."""


class Guard:
    """Refuses what Django need not see: other hosts and encodings, long paths, large bodies."""

    def __init__(self, app: Any, hosts: tuple[str, ...], asker: WhoAsks = asker_of) -> None:
        self._app = app
        self._hosts = {_LOOPBACK, *(host.lower() for host in hosts)}
        self._asker = sync_to_async(asker)
        self._uploads = Uploads()
        self._arriving = Arrivals(MAX_ARRIVING)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as an ASGI application."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {bytes(name): bytes(value) for name, value in scope["headers"]}
        is_upload = scope["path"].endswith(_UPLOADS) and scope["method"] == "POST"
        most = HAND_IN_BYTES + _AROUND if is_upload else FORM_BYTES
        if not self.is_host(headers.get(b"host", b"").decode("latin-1")):
            await refuse(send, 400, "unknown host; staff adds it to hosts in league.yaml")
        elif len(scope["path"]) > MAX_PATH:
            await refuse(send, 414, "too long an address")
        elif not is_in_utf_8(scope["headers"]):
            await refuse(send, 400, "its Content-Type must be readable, and of UTF-8")
        elif int(_number(headers.get(b"content-length", b"0"))) > most:
            await refuse(send, 413, f"more than {most // 1000} kB")
        elif is_upload:
            arrival = Arrival(receive, send, most, UPLOAD_S)
            await self._take_upload(scope, arrival, send, headers)
        else:
            await self._take(scope, Arrival(receive, send, most, FORM_S), send)

    async def _take(self, scope: Scope, arrival: Arrival, send: Send) -> None:
        """Answer a request without a hand-in."""
        try:
            await self._app(scope, self._arriving.begin(arrival), send)
        finally:
            self._arriving.end(arrival)

    async def _take_upload(
        self, scope: Scope, arrival: Arrival, send: Send, headers: Mapping[bytes, bytes]
    ) -> None:
        """Answer a hand-in; of a stranger nothing is read, who could keep all others waiting.

        Its place is free once it has arrived: a push waits for its answer long after that.
        """
        asker = await self._asker(headers)
        if asker is None:
            await self._app(scope, _without_body(arrival.receive), send)
            return
        receive = self._uploads.begin(arrival, asker)
        if receive is None:
            await refuse(send, 503, "too many hand-ins at this moment; try again", retry_s=5)
            return
        try:
            await self._app(scope, receive, send)
        finally:
            self._uploads.end(arrival)

    def is_host(self, host: str) -> bool:
        """Whether a Host header names this server; other names are DNS rebinding."""
        name = host.lower()
        if not name.endswith("]"):
            head, colon, port = name.rpartition(":")
            name = head if colon and port.isdecimal() else name
        if name in self._hosts:
            return True
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return False
        return "%" not in name


def _without_body(receive: Receive) -> Receive:
    """Return a source of an empty body, and then of the end of the connection."""
    is_begun = False

    async def empty() -> MutableMapping[str, Any]:
        nonlocal is_begun
        if not is_begun:
            is_begun = True
            return {"type": "http.request", "body": b"", "more_body": False}
        while (event := await receive())["type"] != "http.disconnect":
            pass
        return event

    return empty


def _number(text: bytes) -> str:
    """Return a length as digits; a wrong one as too large a one."""
    return text.decode() if text.isdigit() and len(text) < 16 else str(1 << 60)


async def _live(receive: Receive, send: Send) -> None:
    while True:
        event = await receive()
        await send({"type": f"{event['type']}.complete"})
        if event["type"] == "lifespan.shutdown":
            return


class _Server(uvicorn.Server):
    """A server: ends its streams, and the matches of people, before it waits for all answers."""

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        """End the streams and then the server."""
        end_streams()
        await people_games().close()
        await super().shutdown(sockets)


def serve(league: League, descriptor: int) -> None:
    """Serve a league on an open socket until SIGTERM."""
    with socket(fileno=descriptor) as listener:
        server_of(league).run(sockets=[listener])


def server_of(league: League) -> uvicorn.Server:
    """Return the server of a league, which this process serves from now on."""
    serve_league(league)
    guard = Guard(get_asgi_application(), league.site.hosts)
    return _Server(server_config(league, guard))


def server_config(league: League, app: Any) -> uvicorn.Config:
    """Return how an application is served: only the league's own proxies are believed."""
    return uvicorn.Config(
        app,
        http=PromptProtocol,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=bool(league.site.proxies),
        forwarded_allow_ips=list(league.site.proxies),
        timeout_graceful_shutdown=2,
        limit_concurrency=MAX_REQUESTS,
        h11_max_incomplete_event_size=1 << 16,
        ws="none",
    )
