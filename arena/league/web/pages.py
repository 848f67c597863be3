"""Pages for everybody who may read: the table, bots and matches."""

from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import render

from arena.league.persons.may import Action, may
from arena.league.seasons.deadlines import late_versions, restorable, season_now, unranked
from arena.league.site.models import Bot, Person, Season, Version
from arena.league.web.chart import rating_chart
from arena.league.web.here import site
from arena.league.web.matches import shown_matches
from arena.league.web.own import deadline_text
from arena.league.web.remote import port
from arena.league.web.results import MOST_FAULTS, faults_of
from arena.league.web.rivals import rival_rows
from arena.league.web.table import about_match, cells, table_rows

_STYLES = {"page.css": "arena.pages.viewer", "league.css": "arena.league.web"}


def table(request: Any) -> HttpResponse:
    """Show the table."""
    has_past = Season.objects.exclude(ended=None).exists()
    values = {
        "rows": table_rows(),
        "unranked": unranked(),
        "has_past": has_past,
        "season": season_now(),
    }
    return render(request, "league/table.html", values)


def style(_: Any, name: str) -> FileResponse:
    """Return a style sheet."""
    if name not in _STYLES:
        raise Http404
    response = HttpResponse((files(_STYLES[name]) / name).read_bytes(), "text/css")
    response.headers["Cache-Control"] = "max-age=600"
    return response


def bot(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Show a bot: its versions, its rating over time, its matches."""
    del name
    versions = list(thing.versions.order_by("-number"))
    players = [version.player for version in versions]
    matches = [about_match(match, players) for match in shown_matches(request, players)]
    is_own = _may_see(request, thing, Action.READ_HAND_IN)
    values = {
        "bot": thing,
        "season": season_now(),
        "rivals": rival_rows(thing),
        "faults": thing.active.faults if is_own and thing.active else 0,
        "versions": [(version, cells(version)) for version in versions],
        "chart": rating_chart(versions),
        "matches": matches,
        "is_own": is_own,
        "port": port(request) if is_own and thing.is_remote else None,
        "limits": deadline_text(thing, request.person) if is_own else "",
        "late": late_versions(versions),
        "restorable": _restorable(request.person, thing, versions) if is_own else (),
        "hand_ins": thing.hand_ins.order_by("-pk")[:20],
    }
    return render(request, "league/bot.html", values)


def _restorable(person: Person, bot: Bot, versions: Sequence[Version]) -> set[int]:
    """Return the numbers in the database of the versions that a button makes play again."""
    if bot.team is None:
        return set()
    return restorable(person, bot, versions) - {bot.active_id}


def faults(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Show all faults of the version that plays, which is all since its hand-in."""
    del name
    player = "" if thing.active is None else thing.active.player
    found = faults_of(player)
    seats = [next(seat for seat in match.seats if seat.player == player) for match in found]
    kinds = Counter(str(seat.fault) for seat in seats)
    values = {
        "bot": thing,
        "most": MOST_FAULTS if len(found) == MOST_FAULTS else 0,
        "kinds": kinds.most_common(),
        "faults": [{**about_match(match, [player]), "reason": match.reason} for match in found],
    }
    return render(request, "league/faults.html", values)


def _may_see(request: Any, bot: Bot, action: Action) -> bool:
    return may(request.person, action, bot, is_public=site().public)


def not_found(request: Any, exception: object) -> HttpResponse:
    """Say that there is no such page."""
    del exception
    return _error(request, 404, "there is no such page")


def bad_request(request: Any, exception: object) -> HttpResponse:
    """Say that a request cannot be read."""
    del exception
    return _error(request, 400, "this request cannot be read")


def csrf_failure(request: Any, reason: str = "") -> HttpResponse:
    """Say that a form is not from here or too old."""
    del reason
    return _error(request, 403, "this form is too old, or from another page; load it again")


def internal_error(request: Any) -> HttpResponse:
    """Say that something is wrong with the league."""
    return _error(request, 500, "an internal error of the league; staff can tell its authors")


def _error(request: Any, code: int, text: str) -> HttpResponse:
    values = {"text": text, "code": code}
    return render(request, "league/error.html", values, status=code)
