"""The table of a league: the active version of every bot by its rating; equals share a place."""

from dataclasses import dataclass
from typing import Any

from arena.league.site.models import Bot, Version

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Row:
    """A bot's row of the table."""

    place: str
    bot: Bot
    version: Version
    cells: dict[str, str]


def table_rows() -> list[Row]:
    """Return the rows, the best first; those without a rating are last and have no place."""
    bots = Bot.objects.select_related("active", "team").exclude(active=None)
    found = sorted(bots, key=lambda bot: (-_rating(bot.active), bot.name))
    rated = [(_rating(bot.active), bot.active.error or 0.0) for bot in found if _is_rated(bot)]
    places = shared_places(rated)
    return [
        Row(
            str(places[number]) if number < len(places) else "",
            bot,
            bot.active,
            cells(bot.active),
        )
        for number, bot in enumerate(found)
    ]


def shared_places(rated: list[tuple[float, float]]) -> list[int]:
    """Return the places of ratings with errors, best first.

    A rating shares the place of the one above it while their intervals overlap.
    """
    places: list[int] = []
    for number, (rating, error) in enumerate(rated):
        is_shared = number > 0 and rating + error >= rated[number - 1][0] - rated[number - 1][1]
        places.append(places[-1] if is_shared else number + 1)
    return places


def cells(version: Version) -> dict[str, str]:
    """Return what a table shows of a version, as texts."""
    score = version.mean_score
    return {
        "rating": "" if version.rating is None else f"{version.rating:.0f}",
        "error": "" if version.error is None else f"±{version.error:.0f}",
        "score": "" if score is None else f"{100 * score:.0f} %",
        "matches": str(version.matches),
        "faults": str(version.faults),
        "accepted": f"{version.accepted:%Y-%m-%d %H:%M}",
    }


def as_json() -> dict[str, Any]:
    """Return the table for programs."""
    return {
        "table": [
            {
                "place": int(row.place) if row.place else None,
                "bot": row.bot.name,
                "version": row.version.number,
                "team": None if row.bot.is_house else row.bot.team.name,
                "rating": row.version.rating,
                "error": row.version.error,
                "mean_score": row.version.mean_score,
                "matches": row.version.matches,
                "faults": row.version.faults,
                "parked": row.bot.parked or None,
            }
            for row in table_rows()
        ]
    }


def _is_rated(bot: Bot) -> bool:
    return bot.active.rating is not None


def _rating(version: Version) -> float:
    return float("-inf") if version.rating is None else version.rating
