"""Challenges of a bot, as a page and by the API."""

import json
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from arena.errors import UsageError
from arena.league.directing.challenging import (
    MOST_OPEN,
    PER_DAY,
    Challenged,
    challenges_of,
    new_challenge,
    opponents_of,
)
from arena.league.site.models import Bot, Version
from arena.league.web.answers import JsonResponse
from arena.league.web.here import league
from arena.league.web.results import season_config
from protocol.wording import quoted

MAX_DIGITS = 9
MOST_BYTES = 1000
"""Limit of the body of a challenge by the API."""


def page(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Show the challenges of a bot, and the form for a new one."""
    del name
    return _page(request, thing)


def _page(request: Any, bot: Bot, code: int = 200, **more: Any) -> HttpResponse:
    values = {
        "bot": bot,
        "own": bot.versions.order_by("-number"),
        "rivals": [version for version in opponents_of(bot) if version.pk != bot.active_id],
        "challenges": _challenges(bot),
        "most": MOST_OPEN,
        "per_day": PER_DAY,
        **more,
    }
    return render(request, "league/challenges.html", values, status=code)


def ask(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Ask for a challenge of a version of this bot."""
    del name
    try:
        own = _version(thing, request.POST.get("version", ""))
        new_challenge(request.person, own, _rival(request.POST.get("rival", "")))
    except UsageError as error:
        return _page(request, thing, 400, text=str(error))
    return HttpResponseRedirect(request.path)


def list_by_api(_: Any, thing: Bot, name: str) -> JsonResponse:
    """Return the latest challenges of a bot."""
    del name
    return JsonResponse({"challenges": [_as_json(each) for each in _challenges(thing)]})


def ask_by_api(request: Any, thing: Bot, name: str) -> JsonResponse:
    """Ask for a challenge: {"version": 3, "rival": "rook.2"}; the active version by default."""
    del name
    try:
        asked = json.loads(request.read(MOST_BYTES))
    except (ValueError, RecursionError):
        raise UsageError("the body must be JSON") from None
    if not isinstance(asked, dict) or not set(asked) <= {"version", "rival"}:
        raise UsageError('give {"version": 3, "rival": "rook.2"}')
    default = "" if thing.active is None else thing.active.number
    own = _version(thing, str(asked.get("version", default))[:20])
    new_challenge(request.person, own, _rival(str(asked.get("rival", ""))[:100]))
    return JsonResponse({"challenges": [_as_json(each) for each in _challenges(thing)]}, 201)


def _challenges(bot: Bot) -> list[Challenged]:
    with league().matches() as store:
        return challenges_of(bot, store, season_config(league().folder))


def _version(bot: Bot, number: str) -> Version:
    is_number = number.isdecimal() and len(number) < MAX_DIGITS
    found: Version | None = bot.versions.filter(number=int(number)).first() if is_number else None
    if found is None:
        raise UsageError(f"{bot.name} has no version {quoted(number)}")
    return found


def _rival(player: str) -> Version:
    found: Version | None = None
    if player.isprintable():  # half of a surrogate pair in JSON is no text of a database
        found = Version.objects.select_related("bot").filter(player=player).first()
    if found is None:
        raise UsageError(f"there is no version {quoted(player[:60])}")
    return found


def _as_json(each: Challenged) -> dict[str, Any]:
    return {
        "number": each.challenge.pk,
        "by": each.challenge.person.name,
        "own": each.own.player,
        "rival": each.rival.player,
        "created": each.challenge.created.isoformat(),
        "state": each.state,
        "matches": [{"number": number, "result": text} for number, text in each.results],
    }
