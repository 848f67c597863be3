"""Pages of staff about results: machines whose results are voided, and bots that play alike."""

from datetime import datetime
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from arena.errors import UsageError
from arena.league.directing.voiding import machines_of, order, previewed
from arena.league.seasons.alike import alike_in
from arena.league.site.models import MachineVoid
from arena.league.web.here import league
from arena.league.web.season import time_of

LATEST = 30
MOST_NAME = 200
MOST_ALIKE = 4000
"""Limit of the matches of which the page tells who plays alike."""


def machines(request: Any) -> HttpResponse:
    """Show the machines, and what a void of one of them would change."""
    if "machine" not in request.GET:
        return _machines(request)
    try:
        machine, since = _asked(request.GET)
        lines = previewed(league(), machine, since)
    except UsageError as error:
        return _machines(request, 400, text=str(error))
    return _machines(request, preview=lines, machine=machine, since=since)


def void_machine(request: Any) -> HttpResponse:
    """Order the void of a machine's results since a time."""
    machine, since = _asked(request.POST)
    previewed(league(), machine, since)  # refuses a machine without results
    order(request.person, machine, since)
    return HttpResponseRedirect("/staff/machines")


def _asked(form: Any) -> tuple[str, datetime]:
    return form.get("machine", "")[:MOST_NAME], time_of(form.get("since", ""))


def _machines(request: Any, code: int = 200, **more: Any) -> HttpResponse:
    values = {
        "machines": machines_of(league()),
        "orders": MachineVoid.objects.select_related("person").order_by("-pk")[:LATEST],
        **more,
    }
    return render(request, "league/machines.html", values, status=code)


def alike(request: Any) -> HttpResponse:
    """Show the bots that play alike in the latest matches."""
    found = alike_in(league(), MOST_ALIKE)
    values = {"pairs": [(each, f"{100 * each.part:.0f} %") for each in found], "most": MOST_ALIKE}
    return render(request, "league/alike.html", values)
