"""Answers of the league's server: JSON and texts, never as a page."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import IO, Any

from django.http import HttpResponse, StreamingHttpResponse

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


def no_stream(text: str) -> HttpResponse:
    """Return the refusal of a stream, of which Django writes no line of the log.

    A page asks again and again, and strangers as often as they like.
    """
    response = HttpResponse(text, "text/plain; charset=utf-8", status=503)
    vars(response)["_has_been_logged"] = True
    return response


def chunks_of(request: Any) -> Iterator[bytes]:
    """Yield the body of a request."""
    while chunk := request.read(_CHUNK):
        yield chunk


def file_answer(file: IO[bytes], name: str) -> StreamingHttpResponse:
    """Return a file to keep, of which a slow reader takes no more memory than a part."""
    answer = StreamingHttpResponse(_Parts(file), content_type="application/octet-stream")
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


class _Parts:
    """The parts of a file, which Django closes with its answer."""

    def __init__(self, file: IO[bytes]) -> None:
        self.close = file.close
        self._file = file

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        while part := await asyncio.to_thread(self._file.read, _CHUNK):
            yield part
