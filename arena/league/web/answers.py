"""Answers of the league's server: JSON and texts, never as a page."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpResponse

from arena.pages.page_json import json_bytes
from protocol.wording import escaped

_CHUNK = 1 << 16


class JsonResponse(HttpResponse):
    """A value as JSON."""

    def __init__(self, value: Mapping[str, Any], status: int = 200) -> None:
        super().__init__(json_bytes(value), "application/json", status=status)


def text_answer(text: str, status: int = 200) -> HttpResponse:
    """Return a stranger's text, which no browser takes for a page."""
    response = HttpResponse(escaped(text, "\n"), "text/plain; charset=utf-8", status=status)
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def chunks_of(request: Any) -> Iterator[bytes]:
    """Yield the body of a request."""
    while chunk := request.read(_CHUNK):
        yield chunk
