"""The results of a season as its ladder needs them: counted once, as matches end.

Both matches of a pair are counted together (`arena.league.ladder.tally`); half a pair is not rated.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from django.db import transaction

from arena.league.ladder.breaker import Breaker
from arena.league.ladder.field import Version as Entry
from arena.league.ladder.places import Placed, table
from arena.league.ladder.ratings import Fit, fit
from arena.league.ladder.season import Entrant
from arena.league.ladder.tally import Tally
from arena.league.site.models import RatingPoint, Version
from arena.results.standings import RatedMatch, rated_match
from arena.results.store import MatchRow

GROWTH = 1.1
"""Growth of a version's matches after which its rating is published as a point."""
SECOND_NS = 1e9


class Standing:
    """Counts, ratings and breakers of all versions."""

    def __init__(self, anchors: Mapping[str, float]) -> None:
        self._anchors = anchors
        self._halves: dict[int, RatedMatch] = {}  # {unit: its first match}
        self._fit: Fit | None = None
        self.tally = Tally()
        self.faults: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        """Slot seconds that a version answers for, by its own clock."""
        self.breakers: defaultdict[str, Breaker] = defaultdict(Breaker)

    def add(self, match: MatchRow, now_s: float = 0.0) -> None:
        """Add a finished match."""
        rated = rated_match(match.seats)
        other = self._halves.pop(match.board, None)
        if other is None:
            self._halves[match.board] = rated
        else:
            self.tally.add([other, rated])
        for seat in match.seats:
            breaker = self.breakers[seat.player]
            self.breakers[seat.player] = breaker.after_match(is_fault=seat.is_at_fault, now=now_s)
            self.faults[seat.player] += seat.is_at_fault
            self.seconds[seat.player] += seat.wall_ns / SECOND_NS

    def forget_half(self, unit: int) -> None:
        """Drop the first match of a unit whose second is given up."""
        self._halves.pop(unit, None)

    def field(self, active: Collection[str], running: Mapping[str, int]) -> list[Entry]:
        """Return the active versions as the ladder sees them; `running` counts their meetings."""
        rows = Version.objects.select_related("bot").filter(player__in=list(active)).order_by("pk")
        return [self._entry(version, running.get(version.player, 0)) for version in rows]

    def _entry(self, version: Version, running: int) -> Entry:
        bot, player = version.bot, version.player
        entry = Entry(
            id=player,
            bot=bot.name,
            owner=bot.name if bot.is_house else f"team {bot.team_id}",
            is_house=bot.is_house,
            matches=self.tally.matches[player],
            slot_seconds=self.seconds[player],
            running=running,
        )
        if self._fit is None or player not in self._fit.elos:
            return entry
        return replace(entry, rating=self._fit.elos[player].value, error=self._fit.error(player))

    def fitted(self, active: Collection[str]) -> Fit:
        """Return the ratings of now."""
        versions = list(Version.objects.select_related("bot").order_by("pk"))
        anchors = {
            version.player: self._anchors[version.bot.name]
            for version in versions
            if version.bot.is_house and version.bot.name in self._anchors
        }
        return fit(_entrants(versions, active), self.tally, anchors=anchors, before=self._fit)

    def publish(self, active: Collection[str], now: datetime) -> None:
        """Fit the ratings and write them to the site, with points where enough was played."""
        versions = list(Version.objects.select_related("bot").order_by("pk"))
        self._fit = self.fitted(active)
        present = [player for player in active if player in self._fit.elos]
        rows = {row.version: row for row in table(self._fit, self.tally, present)}
        with transaction.atomic():
            for version in versions:
                version.faults = self.faults[version.player]
                if (row := rows.get(version.player)) is not None:
                    self._write(version, row, now)

    def _write(self, version: Version, row: Placed, now: datetime) -> None:
        version.place, version.matches = row.place, row.matches
        version.mean_score = row.mean_score if row.matches else None
        if row.matches:
            version.rating = row.elo.value
            version.error = (row.elo.high - row.elo.low) / 2
            last = version.points.order_by("-pk").values_list("matches", flat=True).first()
            if last is None or row.matches >= last * GROWTH:
                RatingPoint.objects.create(
                    version=version,
                    happened=now,
                    rating=version.rating,
                    error=version.error,
                    matches=row.matches,
                )
        version.save()


def _entrants(versions: Iterable[Version], active: Collection[str]) -> list[Entrant]:
    """Return the versions from the oldest to the newest, each with the one before it."""
    latest: dict[int, str] = {}
    found = []
    for version in versions:
        found.append(
            Entrant(
                id=version.player,
                predecessor=latest.get(version.bot_id),
                is_house=version.bot.is_house and version.player in active,
                is_active=version.player in active,
            )
        )
        latest[version.bot_id] = version.player
    return found
