"""The service for `git push`: smart HTTP of git for pushes alone, answered while the check runs."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from itertools import chain
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpResponse, StreamingHttpResponse

from arena.errors import UsageError
from arena.league.hand_ins.client import KEPT, accepted_text
from arena.league.hand_ins.pushes import (
    MAX_HEAD,
    TREE,
    Order,
    advertisement,
    content_of,
    lines_of,
    order_of,
    pushed,
    refusal_of,
)
from arena.league.hand_ins.reception import Receipt, receive, require_quota
from arena.league.seasons.deadlines import is_played
from arena.league.site.models import Bot, HandIn
from arena.league.web.answers import chunks_of, text_answer
from arena.league.web.here import league
from arena.text import plural

SERVICE = "git-receive-pack"
ANSWER_S = 60.0
"""Longest time in s in which a push waits for the end of its check and its first rating."""
LOOK_S = 0.5
LOG_LINES = 40
"""Last lines of a log that a push shows."""
_PROBE = b"0000"


def refs(request: Any, thing: Bot, name: str) -> HttpResponse:
    """Return the refs of the repository: none, since each push gets a new one."""
    del thing, name
    if request.GET.get("service") != SERVICE:
        return text_answer("a league takes pushes only; it gives no repository back\n", 403)
    return HttpResponse(advertisement(), f"application/x-{SERVICE}-advertisement")


def push(request: Any, thing: Bot, name: str) -> Any:
    """Keep the files of a pushed branch as a hand-in, and tell the pusher what becomes of it."""
    del name
    kind = f"application/x-{SERVICE}-result"
    is_git = request.headers.get("Content-Type") == f"application/x-{SERVICE}-request"
    if not is_git or request.headers.get("Content-Encoding"):
        raise UsageError("this is no push of git")
    head = request.read(MAX_HEAD)
    if head == _PROBE:  # whether it may push, before a large one
        return HttpResponse(b"", kind)
    order = order_of(head)
    try:
        found = _received(request, thing, order, chain([head], chunks_of(request)))
    except UsageError as error:
        found = refusal_of(order, str(error))
    if isinstance(found, bytes):
        return HttpResponse(found, kind)
    receipt, answer = found
    if not order.has_side_band:
        return HttpResponse(answer, kind)
    link = request.build_absolute_uri(f"/hand-ins/{receipt.number}")
    return StreamingHttpResponse(_told(order, receipt, link, answer), content_type=kind)


def _received(
    request: Any, bot: Bot, order: Order, chunks: Iterable[bytes]
) -> bytes | tuple[Receipt, bytes]:
    """Return the receipt with the answer of git, or the answer alone if git has refused."""
    if objection := order.objection:
        raise UsageError(objection)
    require_quota(bot)
    with pushed(league(), request.person.pk, bot.name, chunks) as found:
        if found.refusal:
            raise UsageError(found.refusal)
        if found.tree is None:
            return found.answer or refusal_of(order, "git could not read this push")
        files = content_of(found.tree)
        receipt = receive(league(), request.person, bot, TREE, files, arrived=found.arrived)
        return receipt, found.answer


async def _told(order: Order, receipt: Receipt, link: str, answer: bytes) -> AsyncIterator[bytes]:
    """Yield what becomes of a hand-in until its end, and then the answer of git."""
    yield lines_of(
        f"received: hand-in {receipt.number}, {receipt.size} bytes, {receipt.digest}\n{link}\n"
        f"{'It came after its deadline. ' if receipt.is_late else ''}Ctrl-C does no harm now."
    )
    until_s = time.monotonic() + ANSWER_S
    told = 0
    while (row := await sync_to_async(_hand_in)(receipt.number)).is_open:
        if row.report[told:]:
            yield lines_of("\n".join(row.report[told:]))
            told = len(row.report)
        if time.monotonic() > until_s:
            yield lines_of("the check is not over yet; the address above shows its result")
            yield answer
            return
        await asyncio.sleep(LOOK_S)
    yield lines_of("\n".join([*row.report[told:], *row.log.splitlines()[-LOG_LINES:]]))
    if row.state == HandIn.LATE:
        yield lines_of(KEPT) + answer
        return
    if row.state != HandIn.ACCEPTED:
        yield refusal_of(order, f"{row.state}: {(row.report or ['a newer one came'])[-1]}")
        return
    plays = await sync_to_async(is_played)(row)
    yield lines_of(accepted_text(row.version.number, is_played=plays))
    while plays and row.version.rating is None and time.monotonic() < until_s:
        await asyncio.sleep(LOOK_S)
        row = await sync_to_async(_hand_in)(receipt.number)
    if plays:
        yield lines_of(_rating(row))
    yield answer


def _hand_in(number: int) -> HandIn:
    found: HandIn = HandIn.objects.select_related("version").get(pk=number)
    return found


def _rating(row: HandIn) -> str:
    version = row.version
    if version is None or version.rating is None:
        return "not rated yet"
    return (
        f"rating {version.rating:.0f} ±{version.error:.0f} after {plural(version.matches, 'match')}"
    )
