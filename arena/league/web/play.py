"""Pages on which a person plays against a bot: never rated, and not kept."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import render
from pydantic import ValidationError

from arena.errors import UsageError
from arena.league.persons.own_game import OwnGame
from arena.league.site.models import Bot
from arena.league.web.answers import JsonResponse, no_stream
from arena.league.web.headers import WITH_SCRIPTS
from arena.league.web.here import league
from arena.league.web.people_games import people_games
from arena.league.web.results import season_config
from arena.league.web.uploads import Asker
from arena.pages.playing.matches import Message
from arena.pages.playing.orders import Typed
from arena.pages.playing.routes import KEEP_ALIVE_S

MOST_BYTES = 4000
"""Limit of the body of an order."""


def form(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Show the form to begin a match against a bot."""
    del name
    return _form(request, thing)


def _form(request: Any, bot: Bot, code: int = 200, **more: Any) -> HttpResponse:
    _, game = season_config(league().folder).game.variants()[0]
    values = {
        "bot": bot,
        "seats": [(seat, game.role(seat)) for seat in range(2)],
        "game": game.name.replace("_", " "),
        "running": people_games().running(request.person),
        **more,
    }
    return render(request, "league/play_form.html", values, status=code)


def begin(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Begin a match against a bot."""
    del name
    seat = 1 if request.POST.get("seat") == "1" else 0
    try:
        teams = request.person.teams.values_list("pk", flat=True)
        asker = Asker(request.person.pk, frozenset(teams))
        game = async_to_sync(people_games().start)(asker, thing, seat)
    except UsageError as error:
        return _form(request, thing, 409, text=str(error))
    return HttpResponseRedirect(f"/play/{game.match.number}")


def page(request: Any, thing: OwnGame, number: int) -> HttpResponse:
    """Show the board of a running match."""
    values = {"number": number, "bot": thing.bot}
    response = render(request, "league/play.html", values)
    response.headers["Content-Security-Policy"] = WITH_SCRIPTS
    return response


def order(request: Any, thing: OwnGame, number: int) -> JsonResponse:
    """Hand on what the person has typed or clicked."""
    del number
    try:
        typed = Typed.model_validate_json(request.read(MOST_BYTES))
        what = {"first": typed.first or 0} if typed.line is None else {"line": typed.line}
        async_to_sync(people_games().order)(thing, typed.seat, typed.shown, what)
    except ValidationError:
        return JsonResponse({"error": "this is no order of a page"}, 400)
    except UsageError as error:
        return JsonResponse({"error": str(error)}, 409)
    return JsonResponse({})


def leave(_: Any, thing: OwnGame, number: int) -> JsonResponse:
    """End the match without a result."""
    del number
    async_to_sync(people_games().leave)(thing)
    return JsonResponse({})


def stream(_: Any, thing: OwnGame, number: int) -> HttpResponse:
    """Return what the page of a match receives."""
    del number
    if not thing.match.has_room(0):
        return no_stream("too many open pages\n")
    return StreamingHttpResponse(_messages(thing), content_type="text/event-stream")


async def _messages(game: OwnGame) -> AsyncGenerator[bytes, None]:
    listener = game.match.listen(None)
    try:
        while (message := await _next(listener.queue)) is not None:
            yield (
                b"data: %s\n\n" % json.dumps(message).encode() if message else b": nothing new\n\n"
            )
    finally:
        game.match.forget(listener)


async def _next(queue: "asyncio.Queue[Message | None]") -> Message | None:
    """Return the next message, an empty one after a silence, and None at the end."""
    try:
        return await asyncio.wait_for(queue.get(), KEEP_ALIVE_S)
    except TimeoutError:
        return {}
