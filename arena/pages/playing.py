"""Playing on pages: the routes for matches with people, and who may use them.

Everything that changes a match is a POST of JSON from the page itself: its origin, a token in its
header, its type and its size are checked first.
"""

import asyncio
import hmac
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.errors import ArenaError, UsageError
from arena.pages.playing_choices import Choices
from arena.pages.playing_matches import Listener, PeopleMatch, PeopleMatches, RefusedError
from protocol.wording import explain
from referee.seeds import MAX_SEED

FOLDER = "/play"
MAX_BODY = 1 << 16
MAX_STREAMS = 32
KEEP_ALIVE_S = 15.0
TOKEN_HEADER = "x-arena-token"  # noqa: S105 - the name of a header
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="arena-token" content="{token}">
<title>Arena: play</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/viewer/page.css">
<link rel="stylesheet" href="/viewer/play.css">
</head>
<body>
<noscript><p>This page needs JavaScript.</p></noscript>
<main id="page"></main>
<script type="module" src="/viewer/play.mjs"></script>
</body>
</html>
"""

Endpoint = Callable[[Request], Awaitable[Response]]
Short = Annotated[str, Field(max_length=200)]


class _Body(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class NewMatch(_Body):
    """A match to play, as the page asks for it."""

    game: Short
    options: Annotated[dict[Short, Annotated[str, Field(max_length=5000)]], Field(max_length=50)]
    players: Annotated[list[Short | None], Field(min_length=1, max_length=16)]
    """Name of the bot of each seat; null is a person."""
    per_move_ms: Annotated[int, Field(ge=1, le=600_000)] = 2000
    clock: Literal["cpu", "wall"] = "cpu"
    seed: Annotated[str, Field(pattern="^[0-9]{1,39}$")] | None = None
    """A number up to MAX_SEED, as text: numbers of a page have 53 bits."""


class Typed(_Body):
    """A line typed by a person, or the first place of a move."""

    seat: Annotated[int, Field(ge=0, le=15)]
    shown: Annotated[int, Field(ge=0)]
    line: Short | None = None
    first: Annotated[int, Field(ge=0, le=1 << 20)] | None = None


class Playing:
    """Matches with people on the pages of one server."""

    def __init__(self, db: Path, choices: Choices, first: NewMatch | None = None) -> None:
        """Prepare to play; a `first` match starts with the server."""
        self.matches = PeopleMatches()
        self.first = first
        self._db = db
        self._choices = choices
        self._token = secrets.token_urlsafe(24)
        self._streams = 0

    def routes(self) -> list[Route]:
        """Return the routes below FOLDER."""
        return [
            Route(FOLDER, self._page),
            Route(f"{FOLDER}/choices", self._list_choices),
            Route(f"{FOLDER}/matches", self._start, methods=["POST"]),
            Route(f"{FOLDER}/matches/{{match:int}}", self._order, methods=["POST"]),
            Route(f"{FOLDER}/matches/{{match:int}}/leave", self._leave, methods=["POST"]),
            Route(f"{FOLDER}/matches/{{match:int}}/stream", self._stream),
        ]

    def refusal(self, request: Request) -> Response | None:
        """Return why a POST is refused; None if it comes from a page of this server."""
        site = request.headers.get("sec-fetch-site", "same-origin")
        origin = request.headers.get("origin")
        own = f"http://{request.headers.get('host', '')}"
        if site != "same-origin" or (origin is not None and origin != own):
            return Response("only pages of this server may do that\n", 403)
        given = request.headers.get(TOKEN_HEADER, "")
        if not hmac.compare_digest(given.encode(), self._token.encode()):
            return Response("this page is of another run of `arena serve`: load it again\n", 403)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            return Response("the body must be JSON\n", 415)
        return None

    def address(self, token: str) -> str:
        """Return the path of the first page, with the token of its link."""
        return f"{FOLDER}?token={token}#match=1" if self.first else f"/?token={token}"

    async def open(self) -> None:
        """Start the first match."""
        if self.first is not None:
            await self.start(self.first)

    async def start(self, asked: NewMatch) -> PeopleMatch:
        """Start a match; raises ArenaError or RefusedError."""
        players = self._choices.players(asked.players)
        seed = secrets.randbits(64) if asked.seed is None else int(asked.seed)
        if seed > MAX_SEED:
            raise UsageError(f"seed: at most {MAX_SEED}")
        return await self.matches.start(
            {
                "db": str(self._db),
                "game": asked.game,
                "options": [f"{name}={value}" for name, value in asked.options.items()],
                "players": players,
                "seed": seed,
                "per_move_ms": asked.per_move_ms,
                "clock": asked.clock,
                "network": self._choices.network,
            }
        )

    async def _page(self, request: Request) -> Response:
        del request
        return HTMLResponse(_PAGE.format(token=self._token))

    async def _list_choices(self, request: Request) -> Response:
        del request
        return JSONResponse(await asyncio.to_thread(self._choices.to_json))

    async def _start(self, request: Request) -> Response:
        return await _answer(request, NewMatch, self._started)

    async def _started(self, asked: NewMatch) -> Any:
        return {"match": (await self.start(asked)).number}

    async def _order(self, request: Request) -> Response:
        async def order(typed: Typed) -> Any:
            what = (
                {"first": typed.first} if typed.line is None else {"line": self._line(typed.line)}
            )
            self.matches.find(request.path_params["match"]).order(typed.seat, typed.shown, what)
            return {}

        return await _answer(request, Typed, order)

    def _line(self, typed: str) -> str:
        """Return a typed line with the reference of a bot in place of its name on the page."""
        word, _, argument = typed.strip().partition(" ")
        if word.lower() != "hint" or not argument.strip():
            return typed
        return f"hint {self._choices.reference(argument.strip())}"

    async def _leave(self, request: Request) -> Response:
        async def leave(_: _Body) -> Any:
            self.matches.find(request.path_params["match"]).leave()
            return {}

        return await _answer(request, _Body, leave)

    async def _stream(self, request: Request) -> Response:
        try:
            match = self.matches.find(request.path_params["match"])
        except LookupError as error:
            return JSONResponse({"error": error.args[0]}, 404)
        if self._streams >= MAX_STREAMS:
            return Response("too many open pages\n", 503)
        return StreamingResponse(self._messages(match), media_type="text/event-stream")

    async def _messages(self, match: PeopleMatch) -> AsyncIterator[str]:
        self._streams += 1
        listener = match.listen(range(16))
        try:
            async for text in _events(listener):
                yield text
        finally:
            self._streams -= 1
            match.forget(listener)


async def _events(listener: Listener) -> AsyncIterator[str]:
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
        return JSONResponse(await act(body))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"])) or "body"
        return JSONResponse({"error": f"{where}: {explain(fault)}"}, 400)
    except LookupError as error:
        return JSONResponse({"error": str(error.args[0])}, 404)
    except RefusedError as error:
        return JSONResponse({"error": str(error)}, 409)
    except ArenaError as error:
        return JSONResponse({"error": str(error)}, 400)


async def _body(request: Request) -> bytes:
    """Return the body; raises RefusedError if it is too long."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise RefusedError(f"the body is longer than {MAX_BODY} bytes")
    return bytes(body)
