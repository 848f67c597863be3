"""Who of the remote bots of a league is there: the door is asked, and the site says so.

A remote bot that is away plays no match, keeps its rating, and is blamed for nothing. It is away
from the loss of its line until the door says that the line works.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from arena.errors import UsageError
from arena.event.play.attendance import MISSED
from arena.league.folder import League
from arena.league.site.models import Bot, Version
from referee.cache import arena_cache
from referee.job import REMOTE, Player

NOT_THERE = "not connected"
ENDED = "its key has ended; it needs a new one"
NO_PORT = "the league has no open port for remote bots"
SILENT = "its line is silent"
_MAX_MISSED = 10_000
_MAX_MATCHES = 64
Facts = Mapping[str, Mapping[str, Any]]
Ask = Callable[[], Facts | None]
"""Returns the facts of the door about each entrant; None without a door."""


class Presence:
    """The remote bots that are there."""

    def __init__(self, ask: Ask, game: str) -> None:
        """Ask the door with `ask`; the league plays this game."""
        self._ask, self._game = ask, game
        self.here: set[str] = set()
        """Versions to play with now."""
        self._room: dict[str, int] = {}
        self.newest: set[str] = set()
        """The versions that may join."""
        self._missed: Counter[str] = Counter()

    def look(self) -> None:
        """Ask the door, and have a version play that has joined for the first time."""
        versions = _last_versions()
        self.newest = {version.player for version in versions if version.key_ended is None}
        found = self._ask() if versions else None
        reasons = {version.player: self._why_away(version, found) for version in versions}
        self.here = {player for player, why in reasons.items() if not why}
        self._room = {player: _room_of((found or {})[player]) for player in self.here}
        for version in versions:
            why, bot = reasons[version.player], version.bot
            if why != bot.away:
                Bot.objects.filter(pk=bot.pk).update(away=why)
            if not why and bot.active_id != version.pk:
                Bot.objects.filter(pk=bot.pk).update(active=version, parked="")

    def has_room(self, player: str, running: int) -> bool:
        """Whether a bot can play another match beside those, by the limit of its owner."""
        return player not in self._room or running < self._room[player]

    def miss(self, player: str) -> None:
        """Note that the line to a version was lost."""
        self.here.discard(player)

    def miss_start(self, key: str) -> bool:
        """Count a match that did not begin for its line; return whether it is too many."""
        if len(self._missed) >= _MAX_MISSED:
            self._missed.clear()
        self._missed[key] += 1
        return self._missed[key] > MISSED

    def _why_away(self, version: Version, found: Facts | None) -> str:
        if version.key_ended is not None:
            return ENDED
        if found is None:
            return NO_PORT
        facts = found.get(version.player)
        if facts is None or not facts.get("bot"):
            return NOT_THERE
        if facts.get("is_silent"):
            return SILENT
        games = facts.get("games")
        if games is not None and self._game not in games:
            return f"it does not play {self._game}"  # the owner's words would be on public pages
        return ""


def _room_of(facts: Mapping[str, Any]) -> int:
    matches = facts.get("matches")
    return matches if type(matches) is int else _MAX_MATCHES


def newest_versions() -> list[Version]:
    """Return the newest version of each remote bot, the only one that may join, if any may."""
    return [version for version in _last_versions() if version.key_ended is None]


def _last_versions() -> list[Version]:
    rows = Version.objects.filter(bot__is_remote=True).select_related("bot").order_by("number")
    return list({version.bot_id: version for version in rows}.values())


def door_of(league: League) -> Path:
    """Return the path of the socket of a league's door, which is short for any folder."""
    digest = hashlib.sha256(str(league.folder).encode()).hexdigest()
    return arena_cache() / f"door-{digest[:16]}"


def asked_door(league: League) -> Ask:
    """Return the question to the door of a league."""

    def ask() -> Facts | None:
        from arena.remote.presence import LONGEST_LOOK_S, present_entrants  # it loads ZeroMQ

        try:
            return present_entrants(LONGEST_LOOK_S, door_of(league))
        except UsageError:
            return None

    return ask if league.site.remote is not None else lambda: None


def remote_player(league: League, version: Version) -> Player:
    """Return a version of a remote bot as a player."""
    return Player(
        name=version.player,
        argv=(),
        folder="",
        content=f"{REMOTE}{version.tree}",
        door=str(door_of(league)),
        remote=version.player,
    )
