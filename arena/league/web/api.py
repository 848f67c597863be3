"""The JSON API, for commands and programs with a token."""

from typing import Any
from urllib.parse import unquote

from arena.league.reception import receive
from arena.league.site.models import Bot, HandIn
from arena.league.web.answers import JsonResponse, chunks_of
from arena.league.web.here import league
from arena.league.web.table import as_json

NAME_HEADER = "X-File-Name"


def table(_: Any) -> JsonResponse:
    """Return the table."""
    return JsonResponse(as_json())


def hand_in(request: Any, thing: Bot, name: str) -> JsonResponse:
    """Keep the body of a request as a hand-in, and return the receipt."""
    del name
    file_name = unquote(request.headers.get(NAME_HEADER, ""))
    receipt = receive(league(), request.person, thing, file_name, chunks_of(request))
    return JsonResponse({**vars(receipt), "url": f"/api/hand-ins/{receipt.number}"}, status=201)


def hand_in_state(_: Any, thing: HandIn, number: int) -> JsonResponse:
    """Return what became of a hand-in so far."""
    version = thing.version
    return JsonResponse(
        {
            "number": number,
            "bot": thing.bot.name,
            "digest": thing.digest,
            "size": thing.size,
            "received": thing.received.isoformat(),
            "state": thing.state,
            "is_open": thing.is_open,
            "report": thing.report,
            "log": thing.log,
            "version": None if version is None else version.number,
            "rating": None if version is None else version.rating,
            "error": None if version is None else version.error,
        }
    )
