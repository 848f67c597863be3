"""The results of a season, counted once as they come: ratings, mean scores, faults."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from arena.league.site.models import RatingPoint, Version
from arena.ratings.rating import rate_outcomes
from arena.results.standings import RatedMatch, rated_match
from arena.results.store import MatchRow

GROWTH = 1.1
"""Growth of a version's matches after which its rating is published as a point."""


@dataclass
class Against:
    """Results of a player against another."""

    matches: int = 0
    points: float = 0.0
    """A win is 1, a draw one half."""


@dataclass(frozen=True)
class Strength:
    """The published strength of a version."""

    rating: float
    error: float


class Tally:
    """Everything that the table needs, without records and times."""

    def __init__(self, anchor: Mapping[str, float]) -> None:
        self._anchor = anchor
        self.outcomes: Counter[RatedMatch] = Counter()
        self.against: defaultdict[str, defaultdict[str, Against]] = defaultdict(
            lambda: defaultdict(Against)
        )  # {player: {rival: ...}}
        self.matches: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.fault_row: Counter[str] = Counter()
        """Faults of a player in a row."""

    def add(self, match: MatchRow) -> None:
        """Add a finished match."""
        self.outcomes[rated_match(match.seats)] += 1
        one, other = match.seats
        for seat, rival in ((one, other), (other, one)):
            found = self.against[seat.player][rival.player]
            found.matches += 1
            found.points += 0.5 + 0.5 * ((rival.place > seat.place) - (rival.place < seat.place))
            self.matches[seat.player] += 1
            if seat.is_at_fault:
                self.faults[seat.player] += 1
                self.fault_row[seat.player] += 1
            else:
                self.fault_row[seat.player] = 0

    def mean_score(self, player: str, field: Collection[str]) -> float | None:
        """Return the mean score against the present field, each rival once; None before any."""
        shares = [
            found.points / found.matches
            for rival, found in self.against[player].items()
            if rival in field and rival != player
        ]
        return sum(shares) / len(shares) if shares else None

    def strengths(self) -> dict[str, Strength]:
        """Return the rating of every player with a match."""
        ratings = rate_outcomes(self.outcomes, self._anchor)
        return {
            each.player: Strength(each.elo.value, (each.elo.high - each.elo.low) / 2)
            for each in ratings.players
        }

    def publish(self, field: Collection[str]) -> None:
        """Write the strengths to the site, with points where enough was played since the last."""
        strengths = self.strengths()
        now = timezone.now()
        with transaction.atomic():
            for version in Version.objects.filter(player__in=list(strengths)):
                found, matches = strengths[version.player], self.matches[version.player]
                if matches == version.matches and version.rating == found.rating:
                    continue
                last = version.points.order_by("-pk").values_list("matches", flat=True).first()
                if last is None or matches >= last * GROWTH:
                    RatingPoint.objects.create(
                        version=version,
                        happened=now,
                        rating=found.rating,
                        error=found.error,
                        matches=matches,
                    )
                version.rating, version.error, version.matches = (
                    *(found.rating, found.error),
                    matches,
                )
                version.mean_score = self.mean_score(version.player, field)
                version.faults = self.faults[version.player]
                version.save()
