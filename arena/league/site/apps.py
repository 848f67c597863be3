"""The application of a league's tables."""

from django.apps import AppConfig


class LeagueConfig(AppConfig):
    """Names the tables."""

    name = "arena.league.site"
    label = "league"
