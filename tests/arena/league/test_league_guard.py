"""The guard of the web process: other hosts and too large requests never reach Django."""

import asyncio
import io
from collections.abc import Sequence
from dataclasses import replace
from encodings.aliases import aliases
from typing import Any

import pytest
from django.core.handlers.asgi import ASGIRequest
from leagues import bearer, cast, client_of

from arena.league.folder import League
from arena.league.hand_ins.reception import HAND_IN_BYTES
from arena.league.settings import FORM_BYTES
from arena.league.web.content_types import is_in_utf_8
from arena.league.web.server import MAX_ARRIVING, MAX_PATH, Guard, server_config
from arena.league.web.sessions import asker_of
from arena.league.web.uploads import LONG_S, MOST, MOST_OF_ONE, MOST_OF_TEAM, Asker


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


class Asked:
    """A request with a body in these pieces; if it is endless, another piece never comes."""

    def __init__(self, chunks: tuple[int, ...] = (0,), *, is_endless: bool = False) -> None:
        self._left = list(chunks)
        self._is_endless = is_endless
        self.is_waiting = False
        self.codes: list[int] = []

    async def by(self, guard: Guard, path: str = "/", host: str = "localhost", **head: str) -> None:
        """Have a guard answer it."""
        headers = {"host": host, **{key.replace("_", "-"): value for key, value in head.items()}}
        scope = {
            "type": "http",
            "path": path,
            "method": "POST",
            "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
        }
        await guard(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if not self._left and self._is_endless:
            self.is_waiting = True
            await asyncio.Event().wait()
        if not self._left:
            return {"type": "http.disconnect"}
        size = self._left.pop(0)
        is_more = bool(self._left) or self._is_endless
        return {"type": "http.request", "body": bytes(size), "more_body": is_more}

    async def _send(self, event: Any) -> None:
        if event["type"] == "http.response.start":
            self.codes.append(event["status"])


def ask(
    guard: Guard,
    path: str = "/",
    host: str = "localhost",
    chunks: tuple[int, ...] = (0,),
    *,
    is_endless: bool = False,
    **head: str,
) -> int:
    """Return the code of the answer to a request."""
    asked = Asked(chunks, is_endless=is_endless)
    asyncio.run(asked.by(guard, path, host, **head))
    return asked.codes[0]


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


FORMS = {
    "application/x-www-form-urlencoded": b"label=caf%C3%A9",
    "multipart/form-data; boundary=x": b'--x\r\nContent-Disposition: form-data; name="label"\r\n'
    b"\r\ncaf\xc3\xa9\r\n--x--\r\n",
    "text/plain": b"",
}
ENCODINGS = sorted({*aliases.values(), "idna", "undefined", "unicode_escape", "none", ""})
"""Every encoding of Python, those included that make no text of bytes."""
PARAMETERS = (
    *(f"charset={name}" for name in ENCODINGS),
    *(f'charset="{name}"; a=b' for name in ENCODINGS),
    *(f"charset*={name}''utf-8" for name in ENCODINGS),
    *(f"x*={name}''%20%ff" for name in ENCODINGS),
    *("x*=a'b'c'd", "x*0*=zip''b; x*1=c", "charset*=utf-8''%00", "charset*=''%ff", ";;=;\\", '="'),
)


@pytest.mark.usefixtures("league")
@pytest.mark.parametrize("kind", FORMS)
def test_what_the_guard_passes_is_read_by_django(kind: str) -> None:
    for parameters in PARAMETERS:
        for given in ([f"{kind}; {parameters}"], [f"{kind}; {parameters}", "text/plain"]):
            headers = [(b"content-type", each.encode()) for each in given]
            if not is_in_utf_8(headers):
                continue
            scope = {
                "type": "http",
                "method": "POST",
                "path": "/",
                "query_string": b"next=caf%C3%A9",
                "headers": headers,
            }
            request: Any = ASGIRequest(scope, io.BytesIO(FORMS[kind]))

            assert request.GET["next"] == "café", given
            assert request.POST.get("label", "café") == "café", given


def test_a_request_in_another_encoding_is_refused_and_one_in_utf_8_is_not() -> None:
    for kind in FORMS:
        for name in {*ENCODINGS} - {"utf_8"}:
            assert ask(Guard(App(), ()), content_type=f"{kind}; charset={name or 'x'}") == 400
        for name in ("utf-8", '"UTF-8"'):
            assert ask(Guard(App(), ()), content_type=f"{kind}; charset={name}") == 200
        assert ask(Guard(App(), ()), content_type=kind) == 200


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
    guard = Guard(App(), (), lambda _: Asker(7))
    assert ask(guard, "/api/bots/x/hand-ins", chunks=(HAND_IN_BYTES,)) == 200
    assert ask(guard, "/api/bots/x/hand-ins", chunks=(HAND_IN_BYTES, 200_000)) == 413


@pytest.mark.parametrize(("path", "limit"), [("/log-in", "FORM_S"), ("/x/hand-ins", "UPLOAD_S")])
def test_a_body_that_never_comes_ends_its_request(
    path: str, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"arena.league.web.server.{limit}", 0.01)
    app = App()
    assert ask(Guard(app, (), lambda _: Asker(7)), path, chunks=(10,), is_endless=True) == 408
    assert app.read == []


def test_of_too_many_slow_requests_the_oldest_makes_room_for_the_newest() -> None:
    asyncio.run(_ask_beside_slow_ones())


async def _ask_beside_slow_ones() -> None:
    guard = Guard(App(), (), lambda _: Asker(7))
    slow = [Asked(is_endless=True) for _ in range(MAX_ARRIVING)]
    tasks = [asyncio.create_task(each.by(guard)) for each in slow]
    while len(guard._arriving) < MAX_ARRIVING or not slow[0].is_waiting:
        await asyncio.sleep(0)

    honest = Asked()
    await honest.by(guard)
    await tasks[0]

    assert honest.codes == [200]
    assert [slow[0].codes, slow[1].codes] == [[503], []]
    assert len(guard._arriving) == MAX_ARRIVING - 1
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert len(guard._arriving) == 0


def test_a_long_address_is_refused() -> None:
    assert ask(Guard(App(), ()), "/" + "a" * MAX_PATH) == 414


HAND_INS = "/bots/x/hand-ins"


class Slow:
    """Hand-ins that never end, by these persons (with their teams), beside that of a newcomer."""

    def __init__(self, *askers: Asker, age_s: float = 0.0) -> None:
        self.askers, self.age_s = askers, age_s

    def code_of(self, newcomer: Asker | None) -> tuple[int, list[int]]:
        """Return the code of the newcomer's answer, and which of the slow ones were refused."""
        return asyncio.run(self._ask(newcomer))

    async def _ask(self, newcomer: Asker | None) -> tuple[int, list[int]]:
        guard = Guard(App(), (), Askers(self.askers, newcomer))
        slow = [Asked(is_endless=True) for _ in self.askers]
        tasks = []
        for each in slow:
            tasks.append(asyncio.create_task(each.by(guard, HAND_INS)))
            while not each.is_waiting:
                await asyncio.sleep(0)
        for arrival in guard._uploads._places:
            arrival._begun_s -= self.age_s

        asked = Asked()
        await asked.by(guard, HAND_INS)
        while sum(bool(each.codes) for each in slow) < len(slow) - len(guard._uploads):
            await asyncio.sleep(0)
        codes = [number for number, each in enumerate(slow) if each.codes]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert len(guard._uploads) == 0
        return asked.codes[0], codes


class Askers:
    """Tells who asks, one after the other."""

    def __init__(self, first: Sequence[Asker], last: Asker | None) -> None:
        self._left = [*first, last]

    def __call__(self, _: object) -> Asker | None:
        return self._left.pop(0)


def members(team: int, *places: int) -> list[Asker]:
    """Return the askers of a team in which each member has as many places."""
    return [
        Asker(10 * team + member, frozenset([team]))
        for member, count in enumerate(places)
        for _ in range(count)
    ]


def test_one_person_cannot_keep_the_others_waiting() -> None:
    slow = Slow(*members(1, MOST_OF_ONE))
    assert slow.code_of(members(1, 1)[0]) == (503, [])
    assert slow.code_of(Asker(99)) == (200, [])


def test_two_teams_that_hold_all_places_make_room_for_another_one() -> None:
    slow = Slow(*members(1, 2, 2), *members(2, 2, 2))
    assert len(slow.askers) == MOST
    assert slow.code_of(members(3, 1)[0]) == (200, [0])
    assert slow.code_of(Asker(99)) == (200, [0])
    assert slow.code_of(members(2, 0, 0, 1)[0]) == (200, [4])  # of the own team


def test_a_member_cannot_keep_the_own_team_waiting() -> None:
    slow = Slow(*members(1, 1, 2, 1))
    assert len(slow.askers) == MOST_OF_TEAM
    assert slow.code_of(members(1, 0, 0, 0, 1)[0]) == (200, [1])
    assert slow.code_of(members(2, 1)[0]) == (200, [])


def test_a_crowd_of_teams_waits_until_the_oldest_has_had_its_time() -> None:
    crowd = [asker for team in range(MOST) for asker in members(team + 1, 1)]
    newcomer = members(20, 1)[0]
    assert Slow(*crowd).code_of(newcomer) == (503, [])
    assert Slow(*crowd, age_s=LONG_S + 1).code_of(newcomer) == (200, [0])


def test_full_places_of_hand_ins_keep_no_other_page_waiting() -> None:
    slow = Slow(*members(1, 2, 2), *members(2, 2, 2))
    assert slow.code_of(None) == (200, [])  # a stranger, of whom nothing is read


def test_of_a_stranger_no_hand_in_is_read_and_no_place_is_taken() -> None:
    app = App(is_patient=True)
    guard = Guard(app, (), lambda _: None)
    assert ask(guard, HAND_INS, chunks=(1000, 1000)) == 200  # as the app answers
    assert (app.read, app.ends) == ([0], ["http.disconnect"])


def test_a_token_and_a_session_name_their_person() -> None:
    everybody = cast()
    owner = everybody.owner
    token = {key.lower().encode(): each.encode() for key, each in bearer(owner).items()}
    cookies = client_of(owner).cookies.output(header="", sep=";").encode()

    asker = Asker(owner.pk, frozenset([owner.teams.get().pk]))
    assert asker_of(token) == asker_of({b"cookie": cookies}) == asker
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
