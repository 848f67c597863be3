"""Answers of the web server."""

import gzip
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from arena.pages.page_json import json_bytes


class JsonAnswer(Response):
    """A value as JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the body; raises ValueError or TypeError for a value that is no JSON."""
        return json_bytes(content)


class StreamAnswer(StreamingResponse):
    """A stream of messages, which is left however it ends, even before its first message."""

    media_type = "text/event-stream"

    def __init__(
        self, messages: AsyncIterator[bytes] | AsyncIterator[str], leave: Callable[[], None]
    ) -> None:
        super().__init__(messages, media_type=self.media_type)
        self._leave = leave

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send the messages, as an ASGI application."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._leave()


def compressed_json(request: Request, body: bytes) -> Response:
    """Return JSON that is compressed already, as the reader accepts it."""
    headers = {"Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
    else:
        body = gzip.decompress(body)
    return Response(body, media_type=JsonAnswer.media_type, headers=headers)
