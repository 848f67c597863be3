"""Playing on pages: the routes for matches with people, and who may use them.

Whoever has the link of the server may start matches and play every seat without a link of its own.
A link of a seat allows its owner to play that seat, and nothing else. Every change of a match is a
POST of JSON from a page of this server: its origin, a token in its header, its type and size are
checked first.
"""

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from arena.counting.positions import game_with
from arena.errors import ArenaError, UsageError
from arena.pages.answers import JsonAnswer, StreamAnswer
from arena.pages.playing.choices import Choices, game_page, origin_page
from arena.pages.playing.kept import KeptMatches
from arena.pages.playing.matches import Listener, PeopleMatch, PeopleMatches, RefusedError
from arena.pages.playing.orders import NewMatch, RequestBody, Typed
from arena.results.store import Store
from protocol.explaining import explain
from protocol.vocabulary import Seat
from referee.records.replay import ReplayError
from referee.seeds import MAX_SEED

FOLDER = "/play"
SEAT = f"{FOLDER}/seat"
MAX_BODY = 1 << 16
KEEP_ALIVE_S = 15.0
TOKEN_HEADER = "x-arena-token"  # noqa: S105 - the name of a header
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/viewer/page.css">
{head}</head>
<body>
<noscript><p>This page needs JavaScript.</p></noscript>
<main id="page"></main>
<script type="module" src="/viewer/{script}.mjs"></script>
</body>
</html>
"""

Place = tuple[PeopleMatch, Seat]


class Playing:
    """Matches with people on the pages of one server."""

    def __init__(
        self,
        db: Path,
        choices: Choices,
        first: NewMatch | None = None,
        kept: KeptMatches | None = None,
        token: str = "",
    ) -> None:
        """Prepare to play; a `first` match starts with the server.

        With `kept` matches and the same `token`, open pages continue after a restart of the server.
        """
        self.matches = PeopleMatches(kept)
        self.first = first
        self._db = db
        self._choices = choices
        key = token.encode() or secrets.token_bytes(32)
        self._secret = hmac.digest(key, b"pages of play", "sha256")

    def routes(self) -> list[Route]:
        """Return the routes below FOLDER."""
        match = f"{FOLDER}/matches/{{match:int}}"
        return [
            Route(FOLDER, self._page),
            Route(f"{FOLDER}/choices", self._list_choices),
            Route(f"{FOLDER}/game", self._show_game),
            Route(f"{FOLDER}/origins/{{match:int}}/{{ply:int}}", self._show_origin),
            Route(f"{FOLDER}/matches", self._list_running),
            Route(f"{FOLDER}/matches", self._start, methods=["POST"]),
            Route(match, self._order, methods=["POST"]),
            Route(f"{match}/leave", self._leave, methods=["POST"]),
            Route(f"{match}/stream", self._stream),
            Route(SEAT, self._seat_page),
            Route(SEAT, self._seat_order, methods=["POST"]),
            Route(f"{SEAT}/stream", self._seat_stream),
        ]

    def refusal(self, request: Request, *, is_host: bool) -> Response | None:
        """Return the refusal of a request, if any; `is_host` tells of the server's own cookie."""
        path = request.scope["path"]  # its URL begins with the Host header
        is_seat = f"{path}/".startswith(f"{SEAT}/")
        if path == SEAT and request.method != "POST" and "key" in request.query_params:
            return None  # the page checks the key
        if is_seat and self._place(request) is None:
            return _gone()
        if not is_seat and not is_host:
            return Response("open the link that arena has printed\n", 403)
        owner = request.cookies.get(_cookie(request), "") if is_seat else ""
        return self._refused_post(request, owner) if request.method == "POST" else None

    def _refused_post(self, request: Request, owner: str) -> Response | None:
        site = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin")
        own = f"http://{request.headers.get('host', '')}"
        if site != "same-origin" or (origin is not None and origin != own):
            return Response("only pages of this server may do that\n", 403)
        given = request.headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self._token(owner).encode()):
            return Response("this page is of another run of arena: load it again\n", 403)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return Response("the body must be JSON\n", 415)
        return None

    def address(self, token: str) -> str:
        """Return the path of the first page, with the token of its link."""
        return f"{FOLDER}?token={token}#match=1" if self.first else f"/?token={token}"

    async def open(self) -> None:
        """Resume the kept matches, and start the first one."""
        await self.matches.resume()
        if self.first is not None:
            await self.start(self.first)

    async def start(self, asked: NewMatch) -> PeopleMatch:
        """Start a match; raises ArenaError or RefusedError."""
        players = self._choices.players(asked.players)
        people = [seat for seat, player in enumerate(players) if player is None]
        if not set(asked.linked) < set(people):
            raise UsageError("choose a seat for yourself; links are for other people")
        await asyncio.to_thread(self._check_position, asked)
        seed = secrets.randbits(64) if asked.seed is None else int(asked.seed)
        if seed > MAX_SEED:
            raise UsageError(f"seed: at most {MAX_SEED}")
        order = {
            "db": str(self._db),
            "game": asked.game,
            "options": asked.assignments(),
            "origin": None if asked.origin is None else asked.origin.model_dump(),
            "players": players,
            "seed": seed,
            "per_move_ms": asked.per_move_ms,
            "clock": asked.clock,
            "network": self._choices.network,
        }
        return await self.matches.start(order, asked.linked)

    def _check_position(self, asked: NewMatch) -> None:
        """Raise ArenaError for a wrong game, option or origin, before any process is started."""
        if asked.origin is None:
            game_with(asked.game, asked.assignments())
            return
        try:
            with closing(Store(self._db)) as store:
                origin_page(store, asked.origin.match, asked.origin.ply)
        except ReplayError as error:
            raise UsageError(str(error)) from None

    async def _page(self, request: Request) -> Response:
        return self._play_page("", is_seat=False)

    def _play_page(self, owner: str, *, is_seat: bool) -> Response:
        head = (
            f'<meta name="arena-token" content="{self._token(owner)}">\n'
            f'<meta name="arena-seat" content="{"1" if is_seat else ""}">\n'
            '<link rel="stylesheet" href="/viewer/play.css">\n'
        )
        return page("play", head=head, title="Arena: play")

    async def _seat_page(self, request: Request) -> Response:
        """Return the page of a seat; with the key of its link, also the cookie.

        A redirect would come without the cookie if the link was opened from another site.
        """
        key = request.query_params.get("key", request.cookies.get(_cookie(request), ""))
        if self.matches.place(key) is None:
            return _gone()
        answer = self._play_page(key, is_seat=True)
        answer.set_cookie(_cookie(request), key, httponly=True, samesite="strict")
        return answer

    async def _list_choices(self, request: Request) -> Response:
        return JsonAnswer(await asyncio.to_thread(self._choices.to_json))

    async def _show_game(self, request: Request) -> Response:
        return await _answer_with(lambda: game_page(request.query_params.get("name", "")))

    async def _show_origin(self, request: Request) -> Response:
        def origin() -> Any:
            with closing(Store(self._db)) as store:
                return origin_page(store, **request.path_params)

        return await _answer_with(origin)

    async def _list_running(self, request: Request) -> Response:
        """Answer with the running matches, for those whose page is closed too."""
        return JsonAnswer(
            [
                {
                    "number": match.number,
                    "game": match.game,
                    "players": match.names,
                    "is_open": bool(match.listeners),
                }
                for match in self.matches.running
            ]
        )

    async def _start(self, request: Request) -> Response:
        async def start(asked: NewMatch) -> Any:
            return {"match": (await self.start(asked)).number}

        return await _answer(request, NewMatch, start)

    async def _order(self, request: Request) -> Response:
        async def order(typed: Typed) -> Any:
            match = self._match(request)
            if typed.seat not in match.seats_here:
                raise UsageError("this seat is played on another page")
            return match.order(typed.seat, typed.shown, self._what(typed))

        return await _answer(request, Typed, order)

    async def _leave(self, request: Request) -> Response:
        async def leave(_: RequestBody) -> Any:
            return self._match(request).leave()

        return await _answer(request, RequestBody, leave)

    async def _stream(self, request: Request) -> Response:
        try:
            match = self._match(request)
        except LookupError as error:
            return JsonAnswer({"error": error.args[0]}, 404)
        return _stream_of(match, None)

    async def _seat_order(self, request: Request) -> Response:
        async def order(typed: Typed) -> Any:
            if (place := self._place(request)) is None or typed.seat != place[1]:
                raise UsageError("this link is of another seat")
            what = self._what(typed)
            if what.get("line", "").strip().lower() == "quit":
                raise UsageError("only the page that started the match can end it; resign instead")
            return place[0].order(typed.seat, typed.shown, what)

        return await _answer(request, Typed, order)

    async def _seat_stream(self, request: Request) -> Response:
        place = self._place(request)
        assert place is not None  # noqa: S101 - otherwise the request is refused
        return _stream_of(*place)

    def _match(self, request: Request) -> PeopleMatch:
        return self.matches.find(request.path_params["match"])

    def _place(self, request: Request) -> Place | None:
        """Return the match and the seat of the key in the cookie."""
        return self.matches.place(request.cookies.get(_cookie(request), ""))

    def _token(self, owner: str) -> str:
        """Return the token of the pages of an owner: the key of a seat, "" for the server's."""
        return hmac.digest(self._secret, owner.encode(), "sha256").hex()

    def _what(self, typed: Typed) -> dict[str, Any]:
        """Return the order; the name of a bot is replaced by its reference."""
        if typed.line is None:
            return {"first": typed.first or 0}
        words = typed.line.split(maxsplit=1)  # as the line is split when it is obeyed
        if len(words) < 2 or words[0].lower() != "hint":
            return {"line": typed.line}
        return {"line": f"hint {self._choices.reference(words[1].strip())}"}


def page(script: str, *, head: str = "", title: str = "Arena") -> Response:
    """Return a page drawn by a script of the viewer; `head` is added to its head."""
    return HTMLResponse(_PAGE.format(script=script, head=head, title=title))


async def _answer_with(look_up: Callable[[], Any]) -> Response:
    """Answer with what a function finds in a thread; 404 for the errors of a wrong request."""
    try:
        return JsonAnswer(await asyncio.to_thread(look_up))
    except (ArenaError, ReplayError, LookupError, OverflowError) as error:
        return JsonAnswer({"error": str(error)}, 404)


def _gone() -> Response:
    return Response("this link is of a match that is not played here\n", 403)


def _cookie(request: Request) -> str:
    """Return the name of the cookie of a seat; one per port, since cookies ignore ports."""
    return f"arena_seat_{request.headers.get('host', '').rpartition(':')[2]}"


def _stream_of(match: PeopleMatch, seat: Seat | None) -> Response:
    """Return the messages for a seat, or (None) for the starting page."""
    if not match.has_room(seat):
        return Response("too many open pages\n", 503)
    listener = match.listen(seat)  # at once, so that pages opened together are all counted
    return StreamAnswer(_messages(listener), lambda: match.forget(listener))


async def _messages(listener: Listener) -> AsyncIterator[str]:
    while True:
        try:
            message = await asyncio.wait_for(listener.queue.get(), KEEP_ALIVE_S)
        except TimeoutError:
            yield ": nothing new\n\n"
            continue
        if message is None:
            return
        yield f"data: {json.dumps(message)}\n\n"


async def _answer(
    request: Request, model: type[Any], act: Callable[[Any], Awaitable[Any]]
) -> Response:
    """Read the body of a POST, act, and answer with JSON."""
    try:
        body = model.model_validate_json(await _body(request))
        return JsonAnswer(await act(body))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"])) or "body"
        return JsonAnswer({"error": f"{where}: {explain(fault)}"}, 400)
    except LookupError as error:
        return JsonAnswer({"error": str(error.args[0])}, 404)
    except RefusedError as error:
        return JsonAnswer({"error": str(error)}, 409)
    except ArenaError as error:
        return JsonAnswer({"error": str(error)}, 400)


async def _body(request: Request) -> bytes:
    """Return the body; raises RefusedError for a long one."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise RefusedError(f"the body is longer than {MAX_BODY} bytes")
    return bytes(body)
