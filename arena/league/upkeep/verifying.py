"""`arena league verify`: what a league keeps is whole, can be replayed, and gives its ratings."""

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass

from arena.errors import ArenaError, cause
from arena.league.directing.standing import Standing
from arena.league.folder import League
from arena.league.site.models import HandIn, Version
from arena.league.upkeep.backups import check
from arena.results.store import Store
from arena.terminal.story import check_replay
from arena.text import plural
from referee.errors import UNCHECKED

SAMPLES = 50
"""Number of matches that are replayed, by random choice."""
FAR = 3.0
"""Errors by which a published rating may differ from the fit of now."""


@dataclass(frozen=True)
class Found:
    """A line about the league, and whether it is a fault."""

    text: str
    is_fault: bool = False


def verified(league: League, chance: random.Random) -> Iterator[Found]:
    """Yield what a check of everything finds."""
    try:
        digests = HandIn.objects.values_list("digest", flat=True).distinct()
        check(league.folder, league.files, None if league.site.database is None else digests)
    except (ArenaError, OSError, sqlite3.Error) as error:
        yield Found(cause(error), is_fault=True)
        return
    yield Found("the databases are whole, and every hand-in has its file")
    with league.matches() as store:
        if store is None:
            yield Found("no match was played yet")
            return
        event = store.latest_event(league.season().name)
        if event is None:
            yield Found("no match of this season was played yet")
            return
        yield from _replayed(store, event.id, chance)
        yield from _refitted(league, store, event.id)


def _replayed(store: Store, event: int, chance: random.Random) -> Iterator[Found]:
    query = "SELECT id FROM match WHERE event = ? AND aside = 0 AND plies > 0"
    numbers = [number for (number,) in store.database.rows(query, (event,))]
    chosen = sorted(chance.sample(numbers, min(SAMPLES, len(numbers))))
    bad = 0
    for number in chosen:
        try:
            check_replay(store.record(number), None)
        except (ArenaError, *UNCHECKED) as error:
            bad += 1
            yield Found(f"match {number}: {error}", is_fault=True)
    yield Found(f"{plural(len(chosen), 'match')} of {len(numbers)} replayed, {bad} wrong")


def _refitted(league: League, store: Store, event: int) -> Iterator[Found]:
    """Compare the published ratings with a fit from nothing but the matches."""
    standing = Standing({n: float(elo) for n, elo in league.season().anchor.items()})
    for match in store.matches(event):
        standing.add(match)
    active = [
        version.player
        for version in Version.objects.select_related("bot").exclude(rating=None)
        if version.bot.active_id == version.pk and not version.bot.parked
    ]
    fitted = standing.fitted(active)
    far = 0
    for version in Version.objects.filter(player__in=active).order_by("pk"):
        gap = abs(fitted.elos[version.player].value - version.rating)
        if gap > FAR * max(version.error, 1.0):
            far += 1
            text = f"{version.player}: published as {version.rating:.0f}, {gap:.0f} off"
            yield Found(text, is_fault=True)
    yield Found(f"{plural(len(active), 'rating')} fitted again, {far} far from those published")
