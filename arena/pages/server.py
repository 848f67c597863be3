"""Results as live pages: a web server on a database, read-only but for matches with people.

The server is a process of its own and reads the database like any other command. A running event
does not depend on it. After a change, the server sends all open pages what is new.
"""

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ArenaError
from arena.pages.answers import JsonAnswer, StreamAnswer, compressed_json
from arena.pages.channels import LEAST_PAUSE_S, MAX_STREAMS, STRANGERS, Channels
from arena.pages.directors import LiveEvents
from arena.pages.event_results import EventResults
from arena.pages.playing.routes import Playing, page
from arena.pages.scenes import layout_of, match_scene, output_scene
from arena.reports.report import faults_of
from arena.results.damage import check
from arena.results.queries import MAX_DIGITS
from arena.results.store import Store
from referee.errors import UNCHECKED
from referee.records.replay import ReplayError

LOOK_S = 1.0
"""Time between two looks for directors."""
LOOKS_AT_THE_END = 30
"""Limit of looks at the database while the last boards of an event are shown."""
MOST_RESULTS = 8
"""Number of events whose results are kept in memory."""
_TYPES = {".mjs": "text/javascript", ".css": "text/css"}


@dataclass
class Site:
    """One database, served."""

    db: Path
    port: int
    is_public: bool = False
    """Whether everybody who reaches the port may read, without the token."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    playing: Playing | None = None
    """Matches with people; None if nobody can play here."""
    live: LiveEvents = field(init=False)
    channels: Channels = field(init=False)
    results: dict[int, EventResults] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.live = LiveEvents(self.db, is_public=self.is_public)
        self.channels = Channels(self.db, self.live, self.results_of)

    def results_of(self, event: int) -> EventResults:
        """Return the results of an event; those asked for last are kept."""
        found = self.results.pop(event, None)
        found = found or EventResults(self.db, event, is_public=self.is_public)
        self.results[event] = found
        unwatched = (number for number in self.results if not self.channels.has(number))
        if len(self.results) > MOST_RESULTS and (oldest := next(unwatched, event)) != event:
            del self.results[oldest]
        return found

    @property
    def cookie(self) -> str:
        """Return the name of the cookie; one per port, since cookies ignore ports."""
        return f"arena_{self.port}"

    async def end(self) -> None:
        """End all streams, once they have shown the last boards, and all matches with people."""
        if self.channels.count:
            for look in range(LOOKS_AT_THE_END):
                await asyncio.sleep(LEAST_PAUSE_S)
                if look > 1 and self.live.is_settled:  # then it has read that a director is gone
                    break
            self.channels.note_change()
            await self.channels.step(is_last=True)
            self.channels.close()
        if self.playing is not None:
            await self.playing.matches.close()

    def is_host(self, host: str) -> bool:
        """Whether a Host header names this server; other names are DNS rebinding."""
        name, _, port = host.rpartition(":")
        if port != str(self.port):
            return False
        if name == "localhost":
            return True
        try:
            ip_address(name.strip("[]"))
        except ValueError:
            return False
        return "%" not in name  # a zone of an IPv6 address may be any text

    def has_cookie(self, request: Request) -> bool:
        """Whether a request carries the cookie of the token."""
        given = request.cookies.get(self.cookie, "")
        return secrets.compare_digest(given.encode(), self.token.encode())


def app_of(site: Site) -> Starlette:
    """Return the application of a site."""

    @asynccontextmanager
    async def watching(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(_watch(site))
        if site.playing is not None:
            await site.playing.open()
        yield
        task.cancel()

    return Starlette(
        routes=[
            Route("/", _page_of(site)),
            Route("/viewer/{name}", _viewer_file),
            Route("/api/events", _events_of(site)),
            Route("/api/events/{event:int}", _event_of(site)),
            Route("/api/matches/{match:int}", _reading(site, _match)),
            Route("/api/matches/{match:int}/outputs", _for_host(site, _reading(site, _outputs))),
            Route("/api/changes", _changes_of(site)),
            *(site.playing.routes() if site.playing else ()),
        ],
        middleware=[Middleware(GZipMiddleware, minimum_size=1000)],
        lifespan=watching,
    )


Endpoint = Callable[[Request], Awaitable[Response]]


def _page_of(site: Site) -> Endpoint:
    async def live(request: Request) -> Response:
        is_host = site.has_cookie(request)
        marks = {"arena-host": is_host, "arena-play": is_host and site.playing is not None}
        head = '<link rel="stylesheet" href="/viewer/hall.css">\n'
        head += "".join(f'<meta name="{name}">\n' for name, is_set in marks.items() if is_set)
        return page("live", head=head)

    return live


async def _viewer_file(request: Request) -> Response:
    name = request.path_params["name"]
    folder = files("arena.pages") / "viewer"
    if name not in {file.name for file in folder.iterdir()}:
        raise HTTPException(404)
    return Response((folder / name).read_bytes(), media_type=_TYPES[Path(name).suffix])


def _reading(site: Site, read: Callable[[Site, Store, Request], Any]) -> Endpoint:
    """Return an endpoint: reads the database in a thread, answers with JSON."""

    def answer(request: Request) -> Response:
        try:
            with closing(Store(site.db)) as store:
                return answer_from(store, request)
        except (ArenaError, ReplayError, LookupError) as error:
            return JsonAnswer({"error": str(error)}, 404)

    def answer_from(store: Store, request: Request) -> Response:
        try:
            return JsonAnswer(read(site, store, request))
        except LookupError:
            raise  # there is no such event or match
        except UNCHECKED:
            check(store)
            raise

    async def endpoint(request: Request) -> Response:
        return await asyncio.to_thread(answer, request)

    return endpoint


def _events_of(site: Site) -> Endpoint:
    async def events(_: Request) -> Response:
        try:
            return JsonAnswer(await asyncio.to_thread(site.channels.events.read))
        except ArenaError as error:
            return JsonAnswer({"error": str(error)}, 404)

    return events


def _event_of(site: Site) -> Endpoint:
    async def event(request: Request) -> Response:
        number = request.path_params["event"]
        results = site.results_of(number)
        try:
            edition = results.edition
            if edition is None or results.is_due:
                edition = await asyncio.to_thread(results.read)
            body = await asyncio.to_thread(lambda: edition.whole)
        except (ArenaError, LookupError) as error:
            return JsonAnswer({"error": str(error)}, 404)
        return compressed_json(request, body)

    return event


def _match(site: Site, store: Store, request: Request) -> Any:
    number = request.path_params["match"]
    if store.match(number) is None:
        raise LookupError(f"no match {number}")
    record = store.record(number)
    layout = layout_of(record)
    return {
        **match_scene(record),
        **output_scene(record, () if site.is_public else record.job.seats()),
        "layout": None if layout is None else asdict(layout),
    }


def _outputs(_site: Site, store: Store, request: Request) -> Any:
    """Return the last output of each bot at fault in a match."""
    if (match := store.match(request.path_params["match"])) is None:
        raise LookupError(f"no match {request.path_params['match']}")
    return {"outputs": {fault.bot: fault.output for fault in faults_of(store, [match])}}


def _for_host(site: Site, endpoint: Endpoint) -> Endpoint:
    """Return an endpoint for whoever has the token, on public pages too."""

    async def answer(request: Request) -> Response:
        if not site.has_cookie(request):
            return Response("only whoever has the link with the token can read that\n", 403)
        return await endpoint(request)

    return answer


def _changes_of(site: Site) -> Endpoint:
    async def changes(request: Request) -> Response:
        given = request.query_params.get("event", "")
        event = int(given) if given.isdecimal() and len(given) <= MAX_DIGITS else None
        is_stranger = site.is_public and not site.has_cookie(request)
        stream = site.channels.open(event, STRANGERS if is_stranger else MAX_STREAMS)
        if stream is None:
            return Response("too many open pages\n", 503)
        return StreamAnswer(stream.chunks(), lambda: site.channels.leave(event, stream))

    return changes


async def _watch(site: Site) -> None:
    """Notice changes of the database, wherever they are written; find directors; tell pages."""
    known: object = None
    looked_s = -LOOK_S
    while True:
        if not site.channels.count:
            site.live.leave()
            await site.channels.wait_for_streams()
            known, looked_s = None, -LOOK_S  # whoever comes first waits for no look
        await site.live.step()
        if time.monotonic() >= looked_s + LOOK_S:
            looked_s = time.monotonic()
            site.live.look()
        found = await asyncio.to_thread(_data_state, site.db)
        if found != known:
            known = found
            site.channels.note_change()
        await site.channels.step()
        await asyncio.sleep(site.channels.pause_s)


def _data_state(db: Path) -> object:
    """Return sizes and times of the database and its log: each commit changes them."""
    found = []
    for path in (db, db.with_name(f"{db.name}-wal")):
        try:
            stat = path.stat()
        except OSError:
            continue
        found.append((stat.st_size, stat.st_mtime_ns))
    return found
