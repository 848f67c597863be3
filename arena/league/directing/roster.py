"""The players of the season: the house bots and the active version of every bot, ready to start."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from django.db import transaction
from django.db.models import F

from arena.bots.manifest import Manifest
from arena.errors import ArenaError, BotError, MachineError, UsageError
from arena.league.files import place
from arena.league.folder import League
from arena.league.hand_ins.versions import add_version
from arena.league.handed_in import handed_in
from arena.league.ladder.breaker import FAULTS, WINDOW, Breaker
from arena.league.remote.presence import Ask, Presence, asked_door, remote_player
from arena.league.seasons.deadlines import open_season
from arena.league.seasons.season import Season
from arena.league.site.models import Bot, Notice, Version
from referee.job import Player
from referee.records.result import SeatRow
from referee.sandbox import private_directory

Pack = Callable[[Player, Manifest, tuple[str, ...]], None]
PREPARE_S = 1.0
"""Time in seconds after which no further version is prepared at once."""


class Roster:
    """Knows who plays, and prepares those who begin to."""

    def __init__(
        self,
        league: League,
        season: Season,
        now_s: Callable[[], float] = time.monotonic,
        ask: Ask | None = None,
    ) -> None:
        """Begin without players; `ask` is a question to the league's door by default."""
        self._now_s = now_s
        self._league = league
        self._season = season
        self._broken: set[str] = set()
        """Players that could not be prepared in this run."""
        self.players: dict[str, Player] = {}
        """All prepared players by name, also those of pending matches alone."""
        self.active: tuple[str, ...] = ()
        """Names of the players for new matches."""
        self.ranked: tuple[str, ...] = ()
        """The same with the remote bots that are away, and those that are yet to be prepared."""
        self.presence = Presence(ask or asked_door(league), season.plan.job.game)
        self.pack: Pack | None = None
        """Keeps the files of a bot for workers, if there are any."""
        self.parked: tuple[str, ...] = ()
        """Names of the players that a house bot may test."""
        self.previous: tuple[str, ...] = ()
        """Of each bot of a team that plays, the version before the active one."""

    def open(self) -> None:
        """Begin the season, and prepare the house bots of its config; raises ArenaError."""
        open_season(self._season.config.name)
        for entrant in self._season.config.bots:
            if entrant.broken:
                raise UsageError(f"house bot {entrant.name}: {entrant.broken}")
            bot = self._season.prepared(entrant.manifest, self._league.bots)
            version = _house_version(entrant.name, bot.own_content)
            player = self._season.player(bot, version.player, entrant.args)
            self.players[version.player] = player
            if self.pack is not None:
                self.pack(player, entrant.manifest, tuple(entrant.args))
        self._retire_house({entrant.name for entrant in self._season.config.bots})
        self.refresh()

    def refresh(self) -> None:
        """Take in the versions that are active now; after PREPARE_S, others follow the next time.

        So matches begin at once, however many bots have to be unpacked or built again.
        """
        self.presence.look()
        rows = Version.objects.filter(bot__active__pk=F("pk"), bot__parked="")
        until_s = self._now_s() + PREPARE_S
        ready, ranked = [], []
        for version in rows.select_related("bot").order_by("pk"):
            is_late = self._now_s() >= until_s and version.player not in self.players
            is_ready = not is_late and self._make_ready(version)
            is_to_come = is_late and version.player not in self._broken
            if is_ready or is_to_come or version.key:
                ranked.append(version.player)
            if is_ready and not self.is_away(version.player):
                ready.append(version.player)
        self.active, self.ranked = tuple(ready), tuple(ranked)
        self._forget_replaced()
        parked = Version.objects.filter(bot__active__pk=F("pk")).exclude(bot__parked="")
        self.parked = tuple(parked.order_by("pk").values_list("player", flat=True))
        others = Version.objects.exclude(bot__active=None).exclude(bot__active__pk=F("pk"))
        rows = others.filter(bot__parked="", bot__team__isnull=False, key="").order_by("pk")
        previous = dict(rows.values_list("bot_id", "player"))
        self.previous = tuple(previous.values())

    def is_away(self, player: str) -> bool:
        """Whether this is a remote bot with which nobody can play now."""
        found = self.players.get(player)
        return found is not None and found.is_remote and player not in self.presence.here

    def is_there(self, players: Iterable[str]) -> bool:
        """Whether these are prepared, and none of them is away."""
        return all(each in self.players and not self.is_away(each) for each in players)

    def is_free(self, players: Sequence[str], running: Counter[str]) -> bool:
        """Whether these are there, each with room for a match beside its `running` ones."""
        has_room = self.presence.has_room
        return self.is_there(players) and all(has_room(name, running[name]) for name in players)

    def include(self, names: Iterable[str]) -> None:
        """Prepare players of earlier versions whose matches have begun."""
        for version in Version.objects.select_related("bot").filter(player__in=list(names)):
            self._make_ready(version)

    def park(self, seats: Sequence[SeatRow], breakers: Mapping[str, Breaker]) -> None:
        """Park those at fault in a match who made too many faults."""
        for seat in seats:
            if seat.is_at_fault and breakers[seat.player].is_parked:
                why = f"{FAULTS} faults in {WINDOW} matches; {seat.fault}"
                Bot.objects.filter(active__player=seat.player, parked="").update(parked=why)
                self.refresh()

    def _forget_replaced(self) -> None:
        """Forget the remote bots whose key was changed: their matches are never played."""
        for name, player in list(self.players.items()):
            if player.is_remote and name not in self.presence.newest:
                del self.players[name]

    def _make_ready(self, version: Version) -> bool:
        if version.key and version.player not in self.presence.newest:
            return False
        if version.player not in self.players and version.player not in self._broken:
            try:
                self.players[version.player] = self._prepared(version)
            except MachineError:
                raise
            except ArenaError as error:
                self._broken.add(version.player)
                Notice.objects.create(text=f"{version.player} cannot play: {error}"[:1000])
        return version.player in self.players

    def _prepared(self, version: Version) -> Player:
        if version.key:
            return remote_player(self._league, version)
        if not version.digest:
            raise BotError(version.player, "is no house bot of this season any more")
        archive = place(self._league.files, version.digest)
        with private_directory() as folder:
            manifest = handed_in(archive, version.suffix, version.bot.name, folder)
            bot = self._season.prepared(manifest, self._league.bots)
            player = self._season.player(bot, version.player)
            if self.pack is not None:
                self.pack(player, manifest, ())
        return player

    def _retire_house(self, names: set[str]) -> None:
        Bot.objects.filter(team=None).exclude(name__in=names).update(active=None)


def _house_version(name: str, tree: str) -> Version:
    with transaction.atomic():
        bot = Bot.objects.filter(name=name).first() or Bot.objects.create(name=name)
        if not bot.is_house:
            raise UsageError(f"season.yaml: a team owns a bot {name}; name the house bot otherwise")
        return add_version(bot, tree)
