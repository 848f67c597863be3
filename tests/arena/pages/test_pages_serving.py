"""Silent and slow connections to the server are closed, those with an answer under way are not."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from http.client import HTTPConnection

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from arena.pages.serving import PromptProtocol

ANSWER_S = 1.0
PATIENCE_S = 60
MOST = 20


class HastyProtocol(PromptProtocol):
    request_s = 0.1


async def slow(request: Request) -> Response:
    del request
    await asyncio.sleep(ANSWER_S)
    return PlainTextResponse("late")


@pytest.fixture
def port() -> Iterator[int]:
    app = Starlette(routes=[Route("/", slow)])
    with closing(socket.create_server(("127.0.0.1", 0))) as door:
        config = uvicorn.Config(app, http=HastyProtocol, log_level="error", limit_concurrency=MOST)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]})
        thread.start()
        yield door.getsockname()[1]
        server.should_exit = True
        thread.join(PATIENCE_S)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "])
def test_a_connection_without_a_whole_request_is_closed(port: int, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as silent:
        silent.sendall(sent)
        assert silent.recv(100) == b""


def test_a_slow_answer_is_awaited_and_then_silence_ends_the_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        answer = b""
        while data := client.recv(1000):
            answer += data

    assert answer.endswith(b"late")


def test_connections_that_say_nothing_make_room_for_one_that_asks(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HastyProtocol, "request_s", PATIENCE_S)
    where = ("127.0.0.1", port)
    with ExitStack() as opened:
        silent = [
            opened.enter_context(socket.create_connection(where, timeout=PATIENCE_S))
            for _ in range(2 * MOST)
        ]
        for each in silent[::2]:
            each.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        with closing(HTTPConnection(*where, timeout=PATIENCE_S)) as client:
            client.request("GET", "/")
            assert client.getresponse().read() == b"late"
        with suppress(ConnectionResetError):  # what it sent may be unread
            assert silent[0].recv(100) == b""
