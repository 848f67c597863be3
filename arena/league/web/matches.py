"""Pages of a match: who played, its board, what an own bot did, and the file to replay it."""

from collections.abc import Collection
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from arena.errors import UsageError
from arena.league.persons.may import Action, may
from arena.league.seasons.freeze import hidden_since
from arena.league.seasons.season import is_unrated_name
from arena.league.site.models import Bot
from arena.league.web.answers import text_answer
from arena.league.web.at_home import database_of
from arena.league.web.calls import told_calls
from arena.league.web.find import bot_of_player
from arena.league.web.here import site
from arena.league.web.privacy import without_private
from arena.league.web.results import KeptMatch, kept_match, latest_matches
from arena.pages.report_file import match_html
from arena.results.store import MatchRow
from protocol.vocabulary import Seat


def match(request: Any, number: int) -> HttpResponse:
    """Show a match: who played, how it ended, its board, and what own bots did."""
    kept = match_or_404(request, number)
    own = own_seats(request, kept.row)
    bots = [bot_of_player(seat.player) for seat in kept.row.seats]
    seats = [
        {
            "number": place,
            "player": seat.player,
            "bot": bots[place],
            "score": seat.score,
            "fault": seat.fault or "",
            "charged": f"{seat.charged_ns / 1e9:.2f} s",
            "is_own": place in own,
        }
        for place, seat in enumerate(kept.row.seats)
    ]
    values = {
        "match": kept.row,
        "before_last": max(kept.row.plies - 1, 0),
        "seats": seats,
        "reason": reason_for(kept.row, own),
        "is_unrated": is_unrated_name(kept.event.name),
        "finished": kept.row.finished[:16].replace("T", " "),
        "own": [_own(kept, seat) for seat in sorted(own)],
    }
    return render(request, "league/match.html", values)


def _own(kept: KeptMatch, seat: Seat) -> dict[str, Any]:
    faults = [fault for fault in kept.record.verdict.faults if fault.seat == seat]
    return {
        "player": kept.row.seats[seat].player,
        "seat": seat,
        "calls": told_calls(kept.record, seat),
        "faults": [f"{fault} (ply {fault.ply})" for fault in faults],
    }


def board(request: Any, number: int) -> HttpResponse:
    """Return the board of a match as a page of its own, to step through."""
    kept = match_or_404(request, number)
    own = own_seats(request, kept.row)
    row = kept.row._replace(reason=reason_for(kept.row, own))
    try:
        page = match_html(kept.event, row, without_private(kept.record, own))
    except UsageError as error:
        return text_answer(f"{error}\n")
    response = HttpResponse(page)
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    # the page has a policy of its own, by hashes; without an origin it reaches nothing of the site
    response.headers["Content-Security-Policy"] = "frame-ancestors 'self'; sandbox allow-scripts"
    return response


def output(request: Any, thing: Bot, number: int, seat: int) -> HttpResponse:
    """Return the output of a bot in a match, and what it was blamed for."""
    del thing
    kept = match_or_404(request, number)
    faults = [str(fault) for fault in kept.record.verdict.faults if fault.seat == seat]
    return text_answer("\n".join([*faults, kept.record.seats[seat].output_tail, ""]))


def at_home(request: Any, number: int) -> HttpResponse:
    """Return a match as one file for `arena replay`, with the output of own bots alone."""
    kept = match_or_404(request, number)
    record = without_private(kept.record, own_seats(request, kept.row))
    response = HttpResponse(database_of(f"match-{number}", record), "application/octet-stream")
    response.headers["Content-Disposition"] = f'attachment; filename="match-{number}.db"'
    return response


def own_seats(request: Any, row: MatchRow) -> frozenset[Seat]:
    """Return the seats of the bots whose output the person who asks may read."""
    bots = ((seat, bot_of_player(each.player)) for seat, each in enumerate(row.seats))
    return frozenset(
        seat
        for seat, bot in bots
        if bot is not None and may(request.person, Action.READ_OUTPUT, bot, is_public=site().public)
    )


def match_or_404(request: Any, number: int) -> KeptMatch:
    """Return a match with its record; raises Http404."""
    kept = kept_match(number)
    if kept is None or is_hidden(request, kept.row):
        raise Http404
    return kept


def shown_matches(request: Any, players: Collection[str]) -> list[MatchRow]:
    """Return the latest matches of these players that the person who asks may see."""
    since = hidden_since()
    rows = latest_matches(list(players))
    return [row for row in rows if not _is_after(since, request, row)]


def is_hidden(request: Any, row: MatchRow) -> bool:
    """Whether the freeze hides a match from the person who asks, who has no bot in it."""
    return _is_after(hidden_since(), request, row)


def _is_after(since: str | None, request: Any, row: MatchRow) -> bool:
    return since is not None and row.finished > since and not own_seats(request, row)


def reason_for(row: MatchRow, own: Collection[Seat]) -> str:
    """Return why a match ended; of a fault only its kind, except to those who may see more."""
    at_fault = {seat for seat, each in enumerate(row.seats) if each.is_at_fault}
    return row.reason if at_fault <= set(own) else row.termination
