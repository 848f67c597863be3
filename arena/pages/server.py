"""Results as live pages: a web server on a database, read-only but for matches with people.

The server is a process of its own and reads the database like any other command. A running event
does not depend on it. After a change, the server notifies open pages, and these read it again.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from arena.errors import ArenaError
from arena.formats.event_results import table_of
from arena.pages.answers import JsonAnswer
from arena.pages.directors import LiveEvents
from arena.pages.event_page import event_page
from arena.pages.live_event import Feed
from arena.pages.playing.routes import KEEP_ALIVE_S, Playing, page
from arena.pages.scenes import layout_of, match_scene
from arena.reports.report import PlayedEvent
from arena.results.damage import check
from arena.results.secrecy import is_closed
from arena.results.store import EventRow, Store
from referee.errors import UNCHECKED
from referee.replay import ReplayError

MAX_STREAMS = 64
"""Limit of open pages that follow the events."""
BETWEEN_LOOKS_S = 0.1
"""Time between two looks at the database, and between two messages of a stream."""
LOOKS_FOR_DIRECTORS = 10
"""Number of looks at the database between two looks for directors."""
LOOKS_AT_THE_END = 30
"""Limit of looks at the database while the last boards of an event are shown."""
_TYPES = {".mjs": "text/javascript", ".css": "text/css"}


@dataclass
class Site:
    """One database, served."""

    db: Path
    port: int
    is_public: bool = False
    """Whether everybody who reaches the port may read, without the token."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    version: int = 0
    """Number of noticed changes of the database."""
    streams: int = 0
    playing: Playing | None = None
    """Matches with people; None if nobody can play here."""
    is_ending: bool = False
    """Whether all streams must end, since the server ends."""
    cached: dict[int, tuple[object, dict[str, Any]]] = field(default_factory=dict)
    live: LiveEvents = field(init=False)

    def __post_init__(self) -> None:
        self.live = LiveEvents(self.db, is_public=self.is_public)

    @property
    def cookie(self) -> str:
        """Return the name of the cookie; one per port, since cookies ignore ports."""
        return f"arena_{self.port}"

    async def end(self) -> None:
        """End all streams, once they have shown the last boards, and all matches with people."""
        if self.streams:
            for look in range(LOOKS_AT_THE_END):
                await asyncio.sleep(BETWEEN_LOOKS_S)
                if look > 1 and self.live.is_settled:  # then it has read that a director is gone
                    break
        self.is_ending = True
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
            Route("/api/events", _reading(site, _events)),
            Route("/api/events/{event:int}", _reading(site, _event)),
            Route("/api/matches/{match:int}", _reading(site, _match)),
            Route("/api/changes", _changes_of(site)),
            *(site.playing.routes() if site.playing else ()),
        ],
        lifespan=watching,
    )


Endpoint = Callable[[Request], Awaitable[Response]]


def _page_of(site: Site) -> Endpoint:
    async def live(request: Request) -> Response:
        can_play = site.playing is not None and site.has_cookie(request)
        head = '<link rel="stylesheet" href="/viewer/hall.css">\n'
        return page("live", head=head + '<meta name="arena-play">\n' * can_play)

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


def _events(_site: Site, store: Store, _request: Request) -> Any:
    return [
        {
            "number": event.id,
            "name": event.name,
            "begun": event.created[:16].replace("T", " "),
            "matches": store.count(event.id),
            "bots": len(event.entrants),
        }
        for event in reversed(store.events())
    ]


def _event(site: Site, store: Store, request: Request) -> Any:
    event = store.event(request.path_params["event"])
    if event is None:
        raise LookupError(f"no event {request.path_params['event']}")
    state = _state(store, event)
    if site.cached.get(event.id, (None, {}))[0] != state:
        played = PlayedEvent.read(store, event, table_of(store, event))
        site.cached[event.id] = state, {**event_page(store, played), "omitted": ""}
    return site.cached[event.id][1]


def _state(store: Store, event: EventRow) -> object:
    """Return a value, different after each change of an event's results."""
    lengths = [len(store.voids(event.id)), len(store.revisions(event.id))]
    return store.count(event.id), *lengths, is_closed(event)


def _match(_site: Site, store: Store, request: Request) -> Any:
    number = request.path_params["match"]
    if store.match(number) is None:
        raise LookupError(f"no match {number}")
    record = store.record(number)
    layout = layout_of(record)
    return {**match_scene(record), "layout": None if layout is None else asdict(layout)}


def _changes_of(site: Site) -> Endpoint:
    async def changes(request: Request) -> Response:
        if site.streams >= MAX_STREAMS:
            return Response("too many open pages\n", 503)
        return StreamingResponse(_stream(site, request), media_type="text/event-stream")

    return changes


async def _stream(site: Site, request: Request) -> AsyncIterator[str]:
    """Send the number of the newest change, and the boards of running matches.

    What happens while the reader is slow is sent as one message. A new stream begins with
    everything, so a page that reconnects misses nothing.
    """
    site.streams += 1
    feed = Feed(site.live)
    try:
        sent, quiet_s = -1, 0.0
        is_ending = False
        while not (is_ending or await request.is_disconnected()):
            is_ending = site.is_ending  # then the last message
            if sent != site.version:
                sent, quiet_s = site.version, 0.0
                yield f"data: {json.dumps(sent)}\n\n"
            if (news := feed.news()) is not None:  # also while each look finds another change
                quiet_s = 0.0
                yield f"event: live\ndata: {json.dumps(news)}\n\n"
            if quiet_s >= KEEP_ALIVE_S:
                quiet_s = 0.0
                yield ": nothing new\n\n"
            await asyncio.sleep(BETWEEN_LOOKS_S)
            quiet_s += BETWEEN_LOOKS_S
    finally:
        site.streams -= 1


async def _watch(site: Site) -> None:
    """Count the changes of the database, wherever they are written; find directors."""
    known: object = None
    looks = 0  # since somebody looks: whoever comes first waits for no look at the directors
    while True:
        if not site.streams:
            site.live.leave()
            looks = 0
        else:
            await site.live.step()
            if looks % LOOKS_FOR_DIRECTORS == 0:
                site.live.look()
            looks += 1
        found = await asyncio.to_thread(_data_state, site.db)
        if found != known:
            known = found
            site.version += 1
        await asyncio.sleep(BETWEEN_LOOKS_S)


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
