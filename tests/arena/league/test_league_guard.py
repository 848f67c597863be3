"""The guard of the web process: other hosts and too large requests never reach Django."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from leagues import bearer, cast, client_of

from arena.league.folder import League
from arena.league.reception import HAND_IN_BYTES
from arena.league.settings import FORM_BYTES
from arena.league.web.server import (
    MAX_ARRIVING,
    MAX_PATH,
    MAX_UPLOADS,
    MAX_UPLOADS_OF_ONE,
    Guard,
    server_config,
)
from arena.league.web.sessions import asker_of


class App:
    """Reads the whole body and says how much it was."""

    def __init__(self, *, is_patient: bool = False) -> None:
        """`is_patient` waits for the end of the connection, as Django does beside its answer."""
        self.read: list[int] = []
        self.is_patient = is_patient
        self.ends: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        size = 0
        while True:
            event = await receive()
            if event["type"] == "http.disconnect":
                return
            size += len(event["body"])
            if not event.get("more_body"):
                break
        self.read.append(size)
        if self.is_patient:
            self.ends.append((await receive())["type"])
        await send({"type": "http.response.start", "status": 200, "headers": []})


def ask(
    guard: Guard,
    path: str = "/",
    host: str = "localhost",
    chunks: tuple[int, ...] = (0,),
    *,
    is_endless: bool = False,
    **head: str,
) -> int:
    """Return the code of the answer to a request with a body in these pieces.

    If it is endless, another piece never comes.
    """
    codes: list[int] = []
    left = list(chunks)

    async def receive() -> dict[str, Any]:
        if not left and is_endless:
            await asyncio.Event().wait()
        if not left:
            return {"type": "http.disconnect"}
        size = left.pop(0)
        return {"type": "http.request", "body": bytes(size), "more_body": bool(left) or is_endless}

    async def send(event: Any) -> None:
        if event["type"] == "http.response.start":
            codes.append(event["status"])

    headers = {"host": host, **{key.replace("_", "-"): value for key, value in head.items()}}
    scope = {
        "type": "http",
        "path": path,
        "method": "POST",
        "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
    }
    asyncio.run(guard(scope, receive, send))
    return codes[0]


@pytest.mark.parametrize(
    "host", ["localhost:8642", "127.0.0.1", "192.0.2.7:80", "[::1]:80", "league.example"]
)
def test_its_own_names_are_known(host: str) -> None:
    assert ask(Guard(App(), ("League.Example",)), host=host) == 200


@pytest.mark.parametrize("host", ["", "evil.example", "localhost.evil", "[::1%25x]", "a" * 999])
def test_another_host_is_refused(host: str) -> None:
    app = App()
    assert ask(Guard(app, ()), host=host) == 400
    assert app.read == []


@pytest.mark.parametrize("length", [str(FORM_BYTES + 1), "-1", "9" * 30, "x"])
def test_a_form_that_says_it_is_too_large_is_not_read(length: str) -> None:
    app = App()
    assert ask(Guard(app, ()), content_length=length) == 413
    assert app.read == []


def test_a_form_that_grows_too_large_ends() -> None:
    app = App()
    assert ask(Guard(app, ()), chunks=(FORM_BYTES, 1)) == 413
    assert app.read == []


def test_only_a_hand_in_may_be_large() -> None:
    guard = Guard(App(), (), lambda _: 7)
    assert ask(guard, "/api/bots/x/hand-ins", chunks=(HAND_IN_BYTES,)) == 200
    assert ask(guard, "/api/bots/x/hand-ins", chunks=(HAND_IN_BYTES, 200_000)) == 413


@pytest.mark.parametrize(("path", "limit"), [("/log-in", "FORM_S"), ("/x/hand-ins", "UPLOAD_S")])
def test_a_body_that_never_comes_ends_its_request(
    path: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"arena.league.web.server.{limit}", 0.01)
    app = App()
    assert ask(Guard(app, (), lambda _: 7), path, chunks=(10,), is_endless=True) == 408
    assert app.read == []


def test_slow_requests_leave_room_for_no_more_than_some() -> None:
    guard = Guard(App(), (), lambda _: 7)
    assert [ask(guard), guard._arriving] == [200, 0]
    guard._arriving = MAX_ARRIVING
    assert ask(guard) == 503
    assert ask(guard, "/bots/x/hand-ins") == 200


def test_a_long_address_is_refused() -> None:
    assert ask(Guard(App(), ()), "/" + "a" * MAX_PATH) == 414


def test_many_hand_ins_at_a_time_wait_outside() -> None:
    guard = Guard(App(), (), lambda _: 7)
    guard._uploads.update({8: MAX_UPLOADS})
    assert ask(guard, "/bots/x/hand-ins") == 503
    assert ask(guard, "/me") == 200


def test_one_person_cannot_keep_the_others_waiting() -> None:
    asker = iter([7, 8])
    guard = Guard(App(), (), lambda _: next(asker))
    guard._uploads.update({7: MAX_UPLOADS_OF_ONE})
    assert ask(guard, "/bots/x/hand-ins") == 503
    assert ask(guard, "/bots/x/hand-ins") == 200


def test_of_a_stranger_no_hand_in_is_read_and_no_place_is_taken() -> None:
    app = App(is_patient=True)
    guard = Guard(app, (), lambda _: None)
    guard._uploads.update({8: MAX_UPLOADS})
    assert ask(guard, "/bots/x/hand-ins", chunks=(1000, 1000)) == 200  # as the app answers
    assert (app.read, app.ends) == ([0], ["http.disconnect"])


def test_a_token_and_a_session_name_their_person() -> None:
    everybody = cast()
    owner = everybody.owner
    token = {key.lower().encode(): each.encode() for key, each in bearer(owner).items()}
    cookies = client_of(owner).cookies.output(header="", sep=";").encode()

    assert asker_of(token) == owner.pk
    assert asker_of({b"cookie": cookies}) == owner.pk
    for wrong in ({}, {b"cookie": b"league_8642=x"}, {b"authorization": b"Bearer x"}):
        assert asker_of(wrong) is None


@pytest.mark.parametrize(
    ("proxies", "peer", "seen"),
    [
        ((), "127.0.0.1", ("127.0.0.1", "http")),
        (("127.0.0.1",), "127.0.0.1", ("192.0.2.7", "https")),
        (("127.0.0.1",), "198.51.100.9", ("198.51.100.9", "http")),
    ],
)
def test_only_the_proxies_of_the_config_say_who_asks(
    league: League, proxies: tuple[str, ...], peer: str, seen: tuple[str, str]
) -> None:
    found: list[tuple[str, str]] = []

    async def app(scope: Any, *_: Any) -> None:
        found.append((scope["client"][0], scope["scheme"]))

    site = league.site.model_copy(update={"proxies": proxies})
    config = server_config(replace(league, site=site), app)
    config.load()
    headers = [(b"x-forwarded-for", b"203.0.113.5, 192.0.2.7"), (b"x-forwarded-proto", b"https")]
    scope = {"type": "http", "scheme": "http", "client": (peer, 1), "headers": headers}

    asyncio.run(config.loaded_app(scope, None, None))

    assert found == [seen]
