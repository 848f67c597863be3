"""Pages to watch the league: the boards in play, and the same for a projector without a login."""

from functools import cache
from importlib.resources import files
from typing import Any

from django.http import (
    FileResponse,
    Http404,
    HttpResponse,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.utils.crypto import constant_time_compare, salted_hmac

from arena.league.persons.people import audit
from arena.league.seasons.freeze import hidden_since
from arena.league.site.models import Audit, Final, Person
from arena.league.web.answers import no_stream
from arena.league.web.headers import WITH_SCRIPTS
from arena.league.web.here import league
from arena.league.web.live import Boards, Watcher
from arena.league.web.table import table_rows

TYPES = {"mjs": "text/javascript", "css": "text/css"}
ROWS = 10
"""Rows of the table that a projector shows at once."""
_NEW_LINK = "made a new link of the projector"
TURN_S = 10
"""Time in seconds for which it shows them without JavaScript."""


def live(request: Any) -> HttpResponse:
    """Show the boards in play beside the table."""
    person = request.person
    is_staff = person is not None and person.is_staff
    values = {
        "rows": [(row, False) for row in table_rows()],
        "changes": "/live/changes",
        "why": _why_no_boards(),
        "link": request.build_absolute_uri(f"/projector/{projector_key()}") if is_staff else "",
    }
    return _with_scripts(render(request, "league/live.html", values))


def projector(request: Any) -> HttpResponse:
    """Show table and boards on a projector, where strangers may read."""
    return _projector(request, "/live/changes")


def projector_by_key(request: Any, key: str) -> HttpResponse:
    """Show table and boards on a projector to whoever has its link."""
    _require_key(key)
    return _projector(request, f"/projector/{key}/changes")


def _projector(request: Any, changes: str) -> HttpResponse:
    rows = table_rows()
    parts = max(1, -(-len(rows) // ROWS))
    text = request.GET.get("part", "")
    part = int(text) % parts if text.isdecimal() and len(text) < 9 else 0
    values = {
        "rows": [(row, number // ROWS != part) for number, row in enumerate(rows)],
        "changes": changes,
        "why": _why_no_boards(),
        "is_projector": True,
        "turn_s": TURN_S,
        "next_part": (part + 1) % parts,
    }
    return _with_scripts(render(request, "league/live.html", values))


def changes(request: Any) -> HttpResponse:
    """Return the stream of the boards in play."""
    return _stream(None if request.person is None else request.person.pk)


def changes_by_key(_: Any, key: str) -> HttpResponse:
    """Return the stream of the boards in play to a projector."""
    _require_key(key)
    return _stream(key)


def new_projector_link(request: Any) -> HttpResponse:
    """End the projector's link, and make another one."""
    audit(request.person, _NEW_LINK, "")
    return HttpResponseRedirect("/live")


def _stream(watcher: Watcher) -> HttpResponse:
    if _is_hidden():
        return no_stream("the boards are hidden until the table is revealed\n")
    messages = _boards().open(watcher)
    if messages is None:
        return no_stream("too many open pages\n")
    return StreamingHttpResponse(messages, content_type="text/event-stream")


def end_streams() -> None:
    """End the streams to all pages that watch."""
    _boards().close()


@cache
def _boards() -> Boards:
    return Boards(league().arena_db, _is_hidden, _gone)


def _is_hidden() -> bool:
    """Whether a freeze hides what happens: boards tell results, to all who watch."""
    return hidden_since() is not None


def _why_no_boards() -> str:
    """Return why a page shows no boards for a while; empty if it shows those in play."""
    if _is_hidden():
        return "The table is frozen: boards and ratings are hidden until staff reveals them."
    if Final.objects.filter(ended=None).exists():
        return "A final is being played; the matches of the league begin again after it."
    return ""


def _gone(watchers: set[Watcher]) -> set[Watcher]:
    """Return the closed accounts and the replaced keys of these."""
    keys = {each for each in watchers if isinstance(each, str)}
    persons = Person.objects.filter(pk__in={each for each in watchers if isinstance(each, int)})
    closed = {person.pk for person in persons if not person.has_usable_password()}
    return closed | (keys - {projector_key()} if keys else keys)


def projector_key() -> str:
    """Return the key of the projector's link, which allows nothing but to watch.

    It depends on the number of links that staff has ended, which is in the audit for good.
    """
    ended = Audit.objects.filter(action=_NEW_LINK).count()
    key = salted_hmac("arena.league.projector", str(ended or ""), secret=league().secret)
    found: str = key.hexdigest()[:32]
    return found


def _require_key(key: str) -> None:
    if not constant_time_compare(key, projector_key()):
        raise Http404


def _with_scripts(response: HttpResponse) -> HttpResponse:
    response.headers["Content-Security-Policy"] = WITH_SCRIPTS
    return response


def viewer(_: Any, name: str) -> FileResponse:
    """Return a module or style of the boards."""
    found = _viewer_files().get(name)
    if found is None:
        raise Http404
    response = HttpResponse(found, TYPES[name.rpartition(".")[2]])
    response.headers["Cache-Control"] = "max-age=600"
    return response


@cache
def _viewer_files() -> dict[str, bytes]:
    folder = files("arena.pages") / "viewer"
    kinds = tuple(f".{kind}" for kind in TYPES)
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.endswith(kinds)}
