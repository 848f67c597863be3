"""Pages of past seasons and of finals: tables, and what a bot did in a season."""

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render

from arena.league.seasons.freeze import hidden_since
from arena.league.site.models import Bot, Final, Season, Version
from arena.league.web.chart import rating_chart
from arena.league.web.find import MAX_NUMBER
from arena.league.web.results import latest_matches
from arena.league.web.table import about_match, cells


def seasons(request: Any) -> HttpResponse:
    """Show the seasons that are over."""
    over = Season.objects.exclude(ended=None).order_by("-ended", "-pk")
    shown = [season for season in over if not season.is_frozen]
    return render(request, "league/seasons.html", {"seasons": shown})


def past(request: Any, number: int) -> HttpResponse:
    """Show the last table of a season."""
    season = _season(number)
    bots = dict(Version.objects.values_list("player", "bot__name"))
    rows = [
        {**row, "bot": bots.get(row["player"], ""), "cells": _cells(season, row)}
        for row in season.table
    ]
    finals = season.finals.exclude(ended=None).order_by("pk")
    values = {"season": season, "rows": rows, "finals": finals}
    return render(request, "league/past_season.html", values)


def past_bot(request: Any, thing: Bot, number: int, name: str) -> HttpResponse:
    """Show what a bot did in a season: its rating over time, and its latest matches."""
    del name
    season = _season(number)
    versions = list(thing.versions.order_by("-number"))
    players = [version.player for version in versions]
    values = {
        "season": season,
        "bot": thing,
        "rows": [
            {**row, "cells": _cells(season, row)}
            for row in season.table
            if row["player"] in players
        ],
        "chart": rating_chart(versions, season),
        "matches": [about_match(row, players) for row in latest_matches(players, season.name)],
    }
    return render(request, "league/past_bot.html", values)


def finals(request: Any) -> HttpResponse:
    """Show the tables of the finals; during a freeze to staff alone."""
    values = {"finals": _shown(request), "running": Final.objects.filter(ended=None).first()}
    return render(request, "league/finals.html", values)


def final(request: Any, number: int) -> HttpResponse:
    """Show a final."""
    found = next((each for each in _shown(request) if each.pk == number), None)
    if found is None:
        raise Http404
    return render(request, "league/final.html", {"final": found})


def _shown(request: Any) -> list[Final]:
    rows = Final.objects.exclude(ended=None).select_related("season").order_by("-pk")
    is_staff = request.person is not None and request.person.is_staff
    return [] if hidden_since() is not None and not is_staff else list(rows)


def _season(number: int) -> Season:
    rows = Season.objects.exclude(ended=None)
    season: Season | None = rows.filter(pk=number).first() if number < MAX_NUMBER else None
    if season is None or season.is_frozen:  # its table was never revealed
        raise Http404
    return season


def _cells(season: Season, row: dict[str, Any]) -> dict[str, str]:
    numbers = {key: row[key] for key in ("rating", "error", "mean_score", "matches")}
    return cells(Version(accepted=season.began, **numbers))
