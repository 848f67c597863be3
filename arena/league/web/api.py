"""The JSON API, for programs with a token; docs/reference/league-api.md has each field."""

from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from arena.league.hand_ins.reception import receive
from arena.league.persons.people import by_name
from arena.league.seasons.deadlines import is_played
from arena.league.site.models import Bot, HandIn, Version
from arena.league.web.answers import JsonResponse, chunks_of
from arena.league.web.calls import told_calls
from arena.league.web.here import league
from arena.league.web.matches import match_or_404, own_seats, reason_for, shown_matches
from arena.league.web.results import KeptMatch
from arena.league.web.table import as_json
from arena.results.store import MatchRow
from protocol.vocabulary import Seat
from protocol.wording import escaped

NAME_HEADER = "X-File-Name"
LATEST = 50
"""Number of the latest hand-ins of a bot in an answer."""


def table(_: Any) -> JsonResponse:
    """Return the table."""
    return JsonResponse(as_json())


def me(request: Any) -> JsonResponse:
    """Return the person of the token and the bots of their teams."""
    teams = request.person.teams.all()
    bots = by_name(Bot.objects.filter(team__in=teams).select_related("team", "active"))
    return JsonResponse(
        {
            "name": request.person.name,
            "is_staff": request.person.is_staff,
            "bots": [
                {
                    "name": bot.name,
                    "team": bot.team.name,
                    "parked": bot.parked or None,
                    "is_remote": bot.is_remote,
                    "away": bot.away or None,
                    **_about_version(bot.active),
                }
                for bot in bots
            ],
        }
    )


def hand_in(request: Any, thing: Bot, name: str) -> JsonResponse:
    """Keep the body of a request as a hand-in, and return the receipt."""
    del name
    file_name = unquote(request.headers.get(NAME_HEADER, ""))
    receipt = receive(league(), request.person, thing, file_name, chunks_of(request))
    return JsonResponse({**vars(receipt), "url": f"/api/hand-ins/{receipt.number}"}, status=201)


def hand_ins(_: Any, thing: Bot, name: str) -> JsonResponse:
    """Return the latest hand-ins of a bot, the newest first."""
    del name
    rows = thing.hand_ins.select_related("bot", "version").order_by("-pk")[:LATEST]
    return JsonResponse({"hand_ins": list(map(_about_hand_in, rows))})


def hand_in_state(_: Any, thing: HandIn, number: int) -> JsonResponse:
    """Return what became of a hand-in so far."""
    del number
    return JsonResponse(_about_hand_in(thing))


def matches(request: Any, thing: Bot, name: str) -> JsonResponse:
    """Return the latest matches of a bot, the newest first."""
    del name
    players = list(thing.versions.values_list("player", flat=True))
    rows = shown_matches(request, players)
    return JsonResponse({"matches": [_about_match(row, players) for row in rows]})


def match(request: Any, number: int) -> JsonResponse:
    """Return a match, with all that own bots did in it."""
    kept = match_or_404(request, number)
    own = own_seats(request, kept.row)
    return JsonResponse(
        {
            "number": number,
            "finished": kept.row.finished,
            "termination": kept.row.termination,
            "reason": escaped(reason_for(kept.row, own)),
            "plies": kept.row.plies,
            "seats": [
                {
                    "player": seat.player,
                    "place": seat.place,
                    "score": seat.score,
                    "fault": seat.fault,
                    "charged_ms": seat.charged_ns / 1e6,
                    "own": _own(kept, place) if place in own else None,
                }
                for place, seat in enumerate(kept.row.seats)
            ],
            "file": f"/api/matches/{number}/file",
        }
    )


def _own(kept: KeptMatch, seat: Seat) -> dict[str, Any]:
    faults = [str(fault) for fault in kept.record.verdict.faults if fault.seat == seat]
    return {
        "faults": [escaped(fault) for fault in faults],
        "output": escaped(kept.record.seats[seat].output_tail, "\n"),
        "calls": [vars(call) for call in told_calls(kept.record, seat)],
    }


def _about_hand_in(row: HandIn) -> dict[str, Any]:
    return {
        "number": row.pk,
        "bot": row.bot.name,
        "digest": row.digest,
        "size": row.size,
        "received": row.received.isoformat(),
        "is_late": row.is_late,
        "state": row.state,
        "is_open": row.is_open,
        "is_played": is_played(row),
        "report": row.report,
        "log": row.log,
        **_about_version(row.version),
    }


def _about_version(version: Version | None) -> dict[str, Any]:
    fields = ("number", "rating", "error")
    values = [None if version is None else getattr(version, field) for field in fields]
    return dict(zip(("version", "rating", "error"), values, strict=True))


def _about_match(row: MatchRow, players: Iterable[str]) -> dict[str, Any]:
    own = next(seat for seat in row.seats if seat.player in players)
    best = min(seat.place for seat in row.seats)
    is_drawn = all(seat.place == best for seat in row.seats)
    return {
        "number": row.id,
        "own": own.player,
        "rivals": [seat.player for seat in row.seats if seat is not own],
        "result": "drawn" if is_drawn else "won" if own.place == best else "lost",
        "fault": own.fault,
        "plies": row.plies,
        "finished": row.finished,
    }
