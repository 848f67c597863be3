"""Pages for everybody who may read: the table, bots and matches."""

from importlib.resources import files
from typing import Any

from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import render

from arena.errors import UsageError
from arena.league.may import Action, may
from arena.league.site.models import Bot
from arena.league.web.answers import text_answer
from arena.league.web.chart import rating_chart
from arena.league.web.find import bot_of_player
from arena.league.web.here import site
from arena.league.web.results import KeptMatch, kept_match, latest_matches
from arena.league.web.table import cells, table_rows
from arena.pages.report_file import match_html
from arena.results.store import MatchRow

_STYLES = {"page.css": "arena.pages.viewer", "league.css": "arena.league.web"}


def table(request: Any) -> HttpResponse:
    """Show the table."""
    return render(request, "league/table.html", {"rows": table_rows()})


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
    matches = [_about(match, players) for match in latest_matches(players)]
    values = {
        "bot": thing,
        "versions": [(version, cells(version)) for version in versions],
        "chart": rating_chart(versions),
        "matches": matches,
        "is_own": _may_see(request, thing, Action.READ_HAND_IN),
        "hand_ins": thing.hand_ins.order_by("-pk")[:20],
    }
    return render(request, "league/bot.html", values)


def _about(match: MatchRow, players: list[str]) -> dict[str, Any]:
    own = next(seat for seat in match.seats if seat.player in players)
    rival = next((seat for seat in match.seats if seat is not own), own)
    results = {True: "won", False: "lost"}
    result = "drew" if own.place == rival.place else results[own.place < rival.place]
    return {
        "number": match.id,
        "own": own.player,
        "rival": rival.player,
        "result": result,
        "fault": own.fault or "",
        "plies": match.plies,
        "finished": match.finished[:16].replace("T", " "),
    }


def match(request: Any, number: int) -> HttpResponse:
    """Show a match: who played, how it ended, and its board."""
    kept = _match_or_404(number)
    seats = []
    for place, seat in enumerate(kept.row.seats):
        own = bot_of_player(seat.player)
        seats.append(
            {
                "number": place,
                "player": seat.player,
                "bot": own,
                "score": seat.score,
                "fault": seat.fault or "",
                "charged": f"{seat.charged_ns / 1e9:.2f} s",
                "is_own": own is not None and _may_see(request, own, Action.READ_OUTPUT),
            }
        )
    values = {
        "match": kept.row,
        "seats": seats,
        "reason": _reason(request, kept.row),
        "finished": kept.row.finished[:16].replace("T", " "),
    }
    return render(request, "league/match.html", values)


def board(request: Any, number: int) -> HttpResponse:
    """Return the board of a match as a page of its own, to step through."""
    kept = _match_or_404(number)
    row = kept.row._replace(reason=_reason(request, kept.row))
    try:
        page = match_html(kept.event, row, kept.record)
    except UsageError as error:
        return text_answer(f"{error}\n")
    response = HttpResponse(page)
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    # the page has a policy of its own, by hashes; without an origin it reaches nothing of the site
    response.headers["Content-Security-Policy"] = "frame-ancestors 'self'; sandbox allow-scripts"
    return response


def output(_: Any, thing: Bot, number: int, seat: int) -> HttpResponse:
    """Return the output of a bot in a match, and what it was blamed for."""
    del thing
    kept = _match_or_404(number)
    faults = [str(fault) for fault in kept.record.verdict.faults if fault.seat == seat]
    return text_answer("\n".join([*faults, kept.record.seats[seat].output_tail, ""]))


def _match_or_404(number: int) -> KeptMatch:
    kept = kept_match(number)
    if kept is None:
        raise Http404
    return kept


def _may_see(request: Any, bot: Bot, action: Action) -> bool:
    return may(request.person, action, bot, is_public=site().public)


def _reason(request: Any, match: MatchRow) -> str:
    """Return why a match ended; of a fault only its kind, except to those who may see more."""
    if not match.has_fault:
        return match.reason
    at_fault = [bot_of_player(seat.player) for seat in match.seats if seat.is_at_fault]
    is_own = all(bot is not None and _may_see(request, bot, Action.READ_OUTPUT) for bot in at_fault)
    return match.reason if is_own else match.termination


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
