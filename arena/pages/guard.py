"""The guard of the web server: the right to read and play, and the headers of every answer."""

import secrets
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from arena.pages.playing.routes import FOLDER
from arena.pages.server import Site

MAX_PATH = 200
"""Limit of the characters of an address after the host; pages have much shorter ones."""
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src data:; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Refuses wrong hosts, methods and missing tokens, and adds the headers of every answer."""

    def __init__(self, app: Starlette, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, as an ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = {name for name, _ in message["headers"]}
                message["headers"] += [
                    (name.lower().encode(), value.encode())
                    for name, value in HEADERS.items()
                    if name.lower().encode() not in given
                ]
            await send(message)

        request = Request(scope)
        refusal = _malformed(self._site, request) or self._refusal_by_right(request)
        await (refusal or self._app)(scope, receive, send_with_headers)

    def _refusal_by_right(self, request: Request) -> Response | None:
        """Return the refusal of a request without the right to read or play."""
        playing = self._site.playing
        path = f"{request.scope['path']}/"  # as it is routed; its URL begins with the Host header
        is_play = playing is not None and path.startswith(f"{FOLDER}/")
        if request.method not in ("GET", "HEAD") and not (is_play and request.method == "POST"):
            return Response("these pages are read-only\n", 405)
        if "token" in request.query_params:
            return self._admission(request)
        if is_play and playing is not None:
            return playing.refusal(request, is_host=self._site.has_cookie(request))
        is_open = self._site.is_public or path.startswith("/viewer/")
        if not (is_open or self._site.has_cookie(request)):
            return Response("open the link that `arena serve` printed\n", 403)
        return None

    def _admission(self, request: Request) -> Response:
        """Return the page without the token in its address, and the token as a cookie."""
        given = request.query_params["token"]
        if not secrets.compare_digest(given.encode(), self._site.token.encode()):
            return Response("this link is of another run of `arena serve`\n", 403)
        answer = RedirectResponse(FOLDER if request.scope["path"] == FOLDER else "/", 303)
        answer.set_cookie(self._site.cookie, self._site.token, httponly=True, samesite="strict")
        return answer


def _malformed(site: Site, request: Request) -> Response | None:
    """Return the answer to a request for another host, or for an endless address."""
    if not site.is_host(request.headers.get("host", "")):
        return Response("this server does not answer to that name\n", 421)
    if len(request.scope["path"]) > MAX_PATH:
        return Response("no page has so long an address\n", 414)
    return None
