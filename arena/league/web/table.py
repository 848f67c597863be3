"""The table of a league: the active version of every bot by its rating; equals share a place."""

from dataclasses import dataclass
from typing import Any

from arena.league.site.models import Bot, Version
from arena.results.store import MatchRow

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
    return [Row(_place(bot.active), bot, bot.active, cells(bot.active)) for bot in found]


def _place(version: Version) -> str:
    return "" if version.rating is None or version.place is None else str(version.place)


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
                "is_remote": row.bot.is_remote,
                "away": row.bot.away or None,
            }
            for row in table_rows()
        ]
    }


def _rating(version: Version) -> float:
    return float("-inf") if version.rating is None else version.rating


def about_match(match: MatchRow, players: list[str]) -> dict[str, Any]:
    """Return a match as a row of a bot's page."""
    own = next(seat for seat in match.seats if seat.player in players)
    rival = next((seat for seat in match.seats if seat is not own), own)
    results = {True: "won", False: "lost"}
    result = "drew" if own.place == rival.place else results[own.place < rival.place]
    return {
        "number": match.id,
        "own": own.player,
        "rival": rival.player,
        "result": result,
        "fault": own.fault or "",
        "plies": match.plies,
        "finished": match.finished[:16].replace("T", " "),
    }
