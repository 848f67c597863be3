"""The results of a season as its ladder needs them: counted once, as matches end.

Both matches of a pair are counted together (`arena.league.ladder.tally`); half a pair is not rated.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from arena.league.directing.machine_voids import set_aside
from arena.league.ladder.breaker import Breaker
from arena.league.ladder.field import Version as Entry
from arena.league.ladder.places import Placed, table, undecided
from arena.league.ladder.ratings import Fit, Start, fit
from arena.league.ladder.season import HOME, Entrant
from arena.league.ladder.tally import Tally
from arena.league.seasons.deadlines import season_now
from arena.league.site.models import MachineVoid, RatingPoint, Season, Version
from arena.results.standings import RatedMatch, RatedSeat, rated_match
from arena.results.store import MatchRow, Store

GROWTH = 1.1
"""Growth of a version's matches after which its rating is published as a point."""
SECOND_NS = 1e9
_PUBLISHED = ("place", "matches", "mean_score", "rating", "error", "faults")


class Facts(NamedTuple):
    """What never changes of a version."""

    bot: str
    owner: str
    is_house: bool


class Standing:
    """Counts, ratings and breakers of all versions."""

    def __init__(self, anchors: Mapping[str, float]) -> None:
        self._anchors = anchors
        self._halves: dict[int, RatedMatch] = {}  # {unit: its first match}
        self._fit: Fit | None = None
        self.start: Start | None = None
        """Where the next fit begins."""
        self.tally = Tally()
        self.last = 0
        """Number of the last match that was added."""
        self.count = 0
        """Number of matches."""
        self.unit = -1
        """Largest unit of a match."""
        self._facts: dict[str, Facts] = {}
        self.faults: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)
        """Slot seconds that a version answers for, by its own clock."""
        self.breakers: defaultdict[str, Breaker] = defaultdict(Breaker)

    def add(self, match: MatchRow, now_s: float = 0.0) -> None:
        """Add a finished match at a time in seconds, which no restart sets back."""
        self.last, self.count = match.id, self.count + 1
        self.unit = max(self.unit, match.board)
        rated = _rated(match)
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

    def fault_all(self, players: Iterable[str], now_s: float) -> None:
        """Add a fault to the breaker of each player of a match that is not rated."""
        for player in players:
            self.breakers[player] = self.breakers[player].after_match(is_fault=True, now=now_s)

    def remove(self, matches: Iterable[MatchRow]) -> None:
        """Take matches back that have become void, in whole pairs; breakers stay as they are."""
        units: defaultdict[int, list[RatedMatch]] = defaultdict(list)
        for match in matches:
            self.count -= 1
            units[match.board].append(_rated(match))
            for seat in match.seats:
                self.faults[seat.player] -= seat.is_at_fault
                self.seconds[seat.player] -= seat.wall_ns / SECOND_NS
        for unit, rated in units.items():
            if self._halves.pop(unit, None) is None and len(rated) > 1:
                self.tally.remove(rated)

    def forget_half(self, unit: int) -> None:
        """Drop the first match of a unit whose second is given up."""
        self._halves.pop(unit, None)

    def field(self, active: Collection[str], running: Mapping[str, int]) -> list[Entry]:
        """Return the active versions as the ladder sees them; `running` counts their meetings."""
        self._learn(active)
        return [self._entry(each, running.get(each, 0)) for each in active if each in self._facts]

    def _entry(self, player: str, running: int) -> Entry:
        facts = self._facts[player]
        entry = Entry(
            id=player,
            bot=facts.bot,
            owner=facts.owner,
            is_house=facts.is_house,
            matches=self.tally.matches[player],
            slot_seconds=self.seconds[player],
            running=running,
        )
        if self._fit is None or player not in self._fit.elos:
            return entry
        return replace(entry, rating=self._fit.elos[player].value, error=self._fit.error(player))

    def undecided(self, active: Collection[str]) -> list[tuple[str, str]]:
        """Return the neighbours of the table whose order is not sure, house bots aside."""
        if self._fit is None:
            return []
        elos = self._fit.elos
        present = [each for each in active if each in elos and not self.is_house(each)]
        return undecided(self._fit, present)

    def void_machines(self, store: Store, event: int) -> bool:
        """Carry out the orders to void a machine's results; return whether there was one.

        The next fit is made without these.
        """
        orders = MachineVoid.objects.filter(done=None).order_by("pk")
        for order in orders:
            matches = set_aside(store, event, order.machine, order.since)
            self.remove(matches)
            order.matches, order.done = len(matches), timezone.now()
            order.save(update_fields=["matches", "done"])
        return bool(orders)

    def is_house(self, player: str) -> bool:
        """Whether a version is of a house bot."""
        self._learn([player])
        return player in self._facts and self._facts[player].is_house

    def bot(self, player: str) -> str:
        """Return the bot of a version; empty for an unknown one."""
        self._learn([player])
        return self._facts[player].bot if player in self._facts else ""

    def _learn(self, players: Collection[str]) -> None:
        if missing := [each for each in players if each not in self._facts]:
            rows = Version.objects.select_related("bot").filter(player__in=missing)
            self._facts |= {version.player: _facts_of(version) for version in rows}

    def rating(self, player: str) -> float:
        """Return the rating of a version, also of a past one; 1500 before its first fit."""
        return HOME if self._fit is None else self._fit.strengths.get(player, HOME)

    def to_values(self) -> dict[str, Any]:
        """Return the counts as values of JSON, without the fit."""
        return {
            "last": self.last,
            "count": self.count,
            "unit": self.unit,
            "tally": self.tally.to_values(),
            "halves": [[unit, _half_of(match)] for unit, match in self._halves.items()],
            "faults": dict(self.faults),
            "seconds": dict(self.seconds),
            "breakers": {player: astuple(each) for player, each in self.breakers.items()},
        }

    @classmethod
    def of_values(cls, anchors: Mapping[str, float], values: Mapping[str, Any]) -> "Standing":
        """Return the counts of such values."""
        found = cls(anchors)
        found.last, found.count, found.unit = values["last"], values["count"], values["unit"]
        found.tally = Tally.of_values(values["tally"])
        found._halves = {
            unit: RatedMatch(tuple(RatedSeat(*seat) for seat in seats), is_unplayed=is_unplayed)
            for unit, (seats, is_unplayed) in values["halves"]
        }
        found.faults.update(values["faults"])
        found.seconds.update(values["seconds"])
        for player, (recent, parked_at, wait_s) in values["breakers"].items():
            found.breakers[player] = Breaker(tuple(recent), parked_at, wait_s)
        return found

    def fitted(self, active: Collection[str]) -> Fit:
        """Return the ratings of now."""
        versions = list(Version.objects.select_related("bot").order_by("pk"))
        anchors = {
            version.player: self._anchors[version.bot.name]
            for version in versions
            if version.bot.is_house and version.bot.name in self._anchors
        }
        # the best and all others of the season before begin near their last rating
        lasts = {v.player: v.bot.home if v.bot.is_house else v.prior for v in versions}
        homes = {player: last for player, last in lasts.items() if last is not None} | anchors
        return fit(_entrants(versions, active), self.tally, anchors=homes, before=self.start)

    def publish(self, active: Collection[str], now: datetime) -> None:
        """Fit the ratings and write them to the site, with points where enough was played.

        While the season is frozen, only the table of staff has them.
        """
        versions = list(Version.objects.select_related("bot").order_by("pk"))
        self._fit = self.fitted(active)
        self.start = Start(self._fit.strengths, self._fit.spread)
        present = [player for player in active if player in self._fit.elos]
        rows = {row.version: row for row in table(self._fit, self.tally, present)}
        season = season_now()
        if season is not None and season.is_frozen:
            season.table = [_sealed(row) for row in rows.values()]
            season.save(update_fields=["table"])
            return
        ranked = [version for version in versions if version.player in rows]
        with transaction.atomic():
            for version in ranked:
                version.faults = self.faults[version.player]
                _rate(version, rows[version.player])
                version.save(update_fields=_PUBLISHED)
            _add_points(ranked, season, now)


def _rated(match: MatchRow) -> RatedMatch:
    """Return a match to rate, also one that was forfeited by a lost line.

    In an event such a match counts in the table and not for ratings. Here ratings are the table.
    """
    return rated_match(match.seats)._replace(is_unplayed=False)


def _facts_of(version: Version) -> Facts:
    bot = version.bot
    return Facts(bot.name, bot.name if bot.is_house else f"team {bot.team_id}", bot.is_house)


def _half_of(match: RatedMatch) -> tuple[list[RatedSeat], bool]:
    return list(match.seats), match.is_unplayed


def _rate(version: Version, row: Placed) -> None:
    version.place, version.matches = row.place, row.matches
    version.mean_score = row.mean_score if row.matches else None
    if row.matches:
        version.rating = row.elo.value
        version.error = (row.elo.high - row.elo.low) / 2


def _add_points(versions: Sequence[Version], season: Season | None, now: datetime) -> None:
    """Add the ratings of versions that have played enough since their last points."""
    mine = RatingPoint.objects.filter(season=season, version__in=versions)
    latest = mine.values("version").annotate(last=Max("pk")).values("last")
    points = RatingPoint.objects.filter(pk__in=latest)
    last = dict(points.values_list("version_id", "matches"))
    RatingPoint.objects.bulk_create(
        RatingPoint(
            season=season,
            version=version,
            happened=now,
            rating=version.rating,
            error=version.error,
            matches=version.matches,
        )
        for version in versions
        if version.matches and version.matches >= last.get(version.pk, 0) * GROWTH
    )


def _sealed(row: Placed) -> dict[str, Any]:
    return {
        "player": row.version,
        "place": row.place,
        "rating": row.elo.value,
        "error": (row.elo.high - row.elo.low) / 2,
        "mean_score": row.mean_score if row.matches else None,
        "matches": row.matches,
    }


def _entrants(versions: Iterable[Version], active: Collection[str]) -> list[Entrant]:
    """Return the versions from the oldest to the newest, each with the one before it."""
    latest: dict[int, str] = {}
    found = []
    for version in versions:
        found.append(
            Entrant(
                id=version.player,
                predecessor=latest.get(version.bot_id) if version.prior is None else None,
                is_house=version.bot.is_house and version.player in active,
                is_active=version.player in active,
            )
        )
        latest[version.bot_id] = version.player
    return found
