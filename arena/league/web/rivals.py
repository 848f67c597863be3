"""The results of a bot against each of its rivals in the present field."""

from dataclasses import dataclass

from arena.league.site.models import Bot, Version
from arena.league.web.results import Rival, rivals_of
from arena.league.web.table import cells


@dataclass(frozen=True)
class RivalRow:
    """A row of the table of rivals."""

    bot: Bot
    player: str
    rating: str
    result: Rival
    percent: str


def rival_rows(bot: Bot) -> list[RivalRow]:
    """Return the present rivals of the version that plays, the best first."""
    if bot.active is None:
        return []
    found = {rival.player: rival for rival in rivals_of(bot.active.player)}
    versions = Version.objects.select_related("bot").filter(player__in=list(found))
    present = [each for each in versions if each.bot.active_id == each.pk]
    present.sort(key=lambda each: (-(each.rating or 0.0), each.player))
    return [_row(version, found[version.player]) for version in present]


def _row(version: Version, rival: Rival) -> RivalRow:
    percent = f"{100 * rival.score:.0f} %"
    return RivalRow(version.bot, version.player, cells(version)["rating"], rival, percent)
