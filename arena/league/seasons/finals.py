"""The final of a season in one action: lock by time of receipt, wait for checks, play, publish.

The final is an ordinary event with a seed of its own, in `finals/` of the league's folder, where
everybody with the folder can show and recompute it. While it is played the ladder begins no match;
then the ladder continues. An interrupted final is resumed by the same command.
"""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from arena.errors import UsageError
from arena.formats.event_results import table_of
from arena.league.folder import FINAL, League
from arena.league.persons.people import audit
from arena.league.seasons.deadlines import counts, required_season
from arena.league.seasons.next_season import copy_bot
from arena.league.seasons.playing import event_values, played
from arena.league.site.models import Bot, Final, HandIn, Season, Version
from arena.results.secrecy import close_event
from arena.results.store import Store
from arena.text import plural

FOLDER = "finals"
LEAST_MATCHES = 60
"""Matches of each bot at least; the boards are as many as that needs."""
_POLL_S = 1.0
Tell = Callable[[str], None]


def play_final(league: League, tell: Tell, sleep: Callable[[float], None] = time.sleep) -> Final:
    """Play the final of the season, or resume it, and publish it; raises UsageError."""
    with league.lock(FINAL):
        final = _locked(tell)
        _drain(league, final, tell, sleep)
        db = _folder(league, final) / "arena.db"
        values = _values(league, final)
        tell(f"{plural(len(values['bots']), 'bot')} on {plural(values['boards'], 'board')}: {db}")
        played(league, values, db)
        _publish(final, db)
    return final


def _locked(tell: Tell) -> Final:
    """Return the final that is not over, or a new one whose lock is now."""
    with transaction.atomic():
        season = required_season()
        final: Final | None = season.finals.filter(ended=None).first()
        if final is not None:
            tell(f"resumed: locked at {final.locked:%Y-%m-%d %H:%M:%S} UTC")
            return final
        final = Final(season=season, locked=timezone.now())
        if not _has_entrant(final):
            raise UsageError("no entrant has a bot that plays yet; nothing was locked")
        final.save()
        audit(None, "locked a final", f"{season.name}: final {final.pk}")
    tell(f"locked at {final.locked:%Y-%m-%d %H:%M:%S} UTC: later hand-ins play on in the ladder")
    return final


def _has_entrant(final: Final) -> bool:
    """Whether somebody takes part, or may after the check of what was received."""
    waits = HandIn.objects.filter(state__in=[HandIn.WAITING, HandIn.CHECKING])
    return bool(waits.exists() or entrants(final))


def _drain(league: League, final: Final, tell: Tell, sleep: Callable[[float], None]) -> None:
    """Wait for the checks of all that was received before the lock."""
    told = 0
    while left := HandIn.objects.filter(
        received__lte=final.locked, state__in=[HandIn.WAITING, HandIn.CHECKING]
    ).count():
        if not league.is_locked("director"):
            raise UsageError(
                f"{plural(left, 'hand-in')} of before the lock must be checked first; start the"
                " league, and run this command again: the lock stays"
            )
        if left != told:
            tell(f"waiting for the check of {plural(left, 'hand-in')}")
            told = left
        sleep(_POLL_S)


def _folder(league: League, final: Final) -> Path:
    folder = league.folder / FOLDER / str(final.pk)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _values(league: League, final: Final) -> dict[str, Any]:
    """Return the config of a final, with the bots copied into its folder."""
    folder = _folder(league, final)
    values = event_values(league, f"{final.season.name}-final-{final.pk}")
    bots = list(values["bots"])
    for version in chosen(final):
        path = copy_bot(league, version, folder, version.bot.name)
        where = f"./{FOLDER}/{final.pk}/{path.removeprefix('./')}"
        bots.append({"name": version.bot.name, "bot": where})
    if len(bots) < 2:
        raise UsageError("a final needs two bots")
    per_board = 2 * (len(bots) - 1)
    return {**values, "bots": bots, "boards": -(-LEAST_MATCHES // per_board)}


def chosen(final: Final) -> list[Version]:
    """Return the entrants as they were when the final began, also after an interruption."""
    if not final.table:
        final.table = [{"bot": each.bot.name, "version": each.number} for each in entrants(final)]
        final.save(update_fields=["table"])
    rows = Version.objects.select_related("bot")
    return [rows.get(bot__name=row["bot"], number=row["version"]) for row in final.table]


def entrants(final: Final) -> list[Version]:
    """Return the version of each bot that played at the lock, by the times of receipt alone."""
    bots = Bot.objects.exclude(team=None).filter(hand_ins__version__isnull=False).distinct()
    found = (_entrant(bot, final.locked, final.season) for bot in bots.order_by("name"))
    return [version for version in found if version is not None]


def _entrant(bot: Bot, locked: Any, season: Season) -> Version | None:
    """Return the version that plays if it was handed in by then, else the newest that was.

    None of a bot of which no version plays, like one that was withdrawn.
    """
    if bot.active_id is None:
        return None
    rows = bot.hand_ins.exclude(version=None).filter(received__lte=locked)
    if rows.filter(version=bot.active_id).exists():
        active: Version | None = bot.active
        return active
    for row in rows.select_related("version__bot").order_by("-received", "-pk"):
        if counts(season, row):
            newest: Version | None = row.version
            return newest
    return None


def _publish(final: Final, db: Path) -> None:
    """Close the event, so that its seed may be published, and show its table."""
    with closing(Store(db)) as store:
        event = store.latest_event()
        if event is None:
            raise UsageError(f"{db} has no event")
        table = table_of(store, close_event(store, event))
    versions = {row["bot"]: row["version"] for row in final.table}
    rows = [
        {
            "place": place,
            "bot": row.player,
            "version": versions.get(row.player),
            "score": float(row.score),
            "matches": row.matches,
        }
        for place, row in table.ranked()
    ]
    with transaction.atomic():
        final.table, final.ended = rows, timezone.now()
        final.save(update_fields=["table", "ended"])
        audit(
            None, "published a final", f"{final.season.name}: final {final.pk}, seed {event.seed}"
        )
