"""Pages of staff about the season: deadline and extensions, freeze and reveal, the audit."""

from datetime import UTC, datetime
from typing import Any

from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from arena.errors import UsageError
from arena.league.persons.people import by_name
from arena.league.seasons.deadlines import LATE, Subject, extend, season_now, set_deadline
from arena.league.seasons.freeze import freeze, reveal
from arena.league.site.models import Audit, Extension, HandIn, Person, Season, Team, Version
from arena.league.web.table import cells

PAGE = 200
"""Number of actions on a page of the audit."""
LATEST = 50


def page(request: Any) -> HttpResponse:
    """Show the deadline, the extensions and the late hand-ins."""
    return _page(request)


def _page(request: Any, code: int = 200, **more: Any) -> HttpResponse:
    season = season_now()
    rows = Extension.objects.filter(season=season).select_related("person", "team")
    late = HandIn.objects.filter(is_late=True).select_related("bot", "person")
    values = {
        "season": season,
        "choices": LATE,
        "extensions": rows.order_by("-pk"),
        "persons": by_name(Person.objects.filter(is_staff=False)),
        "teams": by_name(Team.objects.all()),
        "hand_ins": late.order_by("-pk")[:LATEST],
        "sealed": _sealed(season),
        **more,
    }
    return render(request, "league/season.html", values, status=code)


def _sealed(season: Season | None) -> list[dict[str, Any]]:
    """Return the rows of the hidden table."""
    if season is None or not season.is_frozen:
        return []
    found = []
    for row in season.table:
        numbers = {key: row[key] for key in ("rating", "error", "mean_score", "matches")}
        shown = cells(Version(accepted=season.began, **numbers))
        found.append({"player": row["player"], "place": row["place"], "cells": shown})
    return found


def add_deadline(request: Any) -> HttpResponse:
    """Set the deadline of the season, or none."""
    text = request.POST.get("deadline", "")
    deadline = time_of(text) if text else None
    set_deadline(request.person, deadline, request.POST.get("late", ""))
    return _done()


def add_extension(request: Any) -> HttpResponse:
    """Give a person or a team a later deadline."""
    kind, _, number = request.POST.get("who", "").partition(" ")
    key = int(number) if number.isdecimal() and len(number) < 19 else 0
    tables: dict[str, Any] = {"person": Person, "team": Team}
    who = tables[kind].objects.filter(pk=key).first() if kind in tables else None
    if who is None:
        raise UsageError("choose a person or a team")
    until = time_of(request.POST.get("until", ""))
    extend(request.person, Subject(**{kind: who}), until)
    return _done()


def add_freeze(request: Any) -> HttpResponse:
    """Hide new results from a time on."""
    text = request.POST.get("since", "")
    freeze(request.person, time_of(text) if text else None)
    return _done()


def end_freeze(request: Any) -> HttpResponse:
    """Show what was hidden."""
    reveal(request.person)
    return _done()


def actions(request: Any) -> HttpResponse:
    """Show what persons and commands have done, the newest first."""
    before = request.GET.get("before", "")
    rows = Audit.objects.select_related("person").order_by("-pk")
    if before.isdecimal() and len(before) < 19:
        rows = rows.filter(pk__lt=int(before))
    elif before:
        raise Http404
    found = list(rows[: PAGE + 1])
    values = {"rows": found[:PAGE], "older": found[PAGE - 1].pk if len(found) > PAGE else None}
    return render(request, "league/audit.html", values)


def time_of(text: str) -> datetime:
    """Return a time of a form, which is in UTC; raises UsageError."""
    try:
        found = datetime.fromisoformat(text)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise UsageError("give a date and a time in UTC, like 2026-12-24 18:00") from None


def _done() -> HttpResponse:
    return HttpResponseRedirect("/staff/season")
