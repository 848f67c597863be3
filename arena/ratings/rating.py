"""Ratings: the Elo of the expected score, with the interval of each.

A difference of D Elo is an expected score of 1 / (1 + 10 ** (-D / 400)), where a win is 1 and a
draw one half: the Elo of FIDE, cutechess, fastchess and Ordo, whatever the rate of draws. With
several seats, the better place of two wins. `likelihood.py` has the model, with values of the
seats; `scatter.py` the errors, with matches on the same board belonging together; `profile.py` the
intervals.

Every strength and every value of a seat has a normal prior with a standard deviation of PRIOR_ELO,
so that 10-0 stays finite. Matches forfeited unplayed are left out: they say nothing about strength.
Results are counted first and the counts sorted: the order of the matches has no effect.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from arena.ratings.comparisons import Comparisons, Seating, compare
from arena.ratings.likelihood import Likelihood, expected
from arena.ratings.profile import Contrast, Profile
from arena.ratings.scatter import Ratio
from arena.results.standings import RatedMatch, rated_match
from referee.records.result import SeatRow

ELO = 400 / math.log(10)
"""Elo per unit of strength: 400 Elo are odds of ten to one."""
PRIOR_ELO = 600.0
"""Standard deviation of the prior in Elo: a result of 10-0 gives about 700 Elo."""


class Elo(NamedTuple):
    """A number of Elo with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def text(self) -> str:
        """Return it like "+89 ±21", or like "+630 -330 +870" where the ends are unequal."""
        return f"{round(self.value):+d} {self.errors()}"

    def errors(self) -> str:
        """Return the distances to the ends."""
        less, more = self.value - self.low, self.high - self.value
        if less == more == 0:
            return "fixed"
        if abs(more - less) <= max(1, EVEN * (more + less)):
            return f"±{(more + less) / 2:.0f}"
        return f"-{less:.0f} +{more:.0f}"


EVEN = 0.05
"""Difference of two distances, as a part of their sum, up to which they are printed as one."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Estimated strength of a player."""

    player: str
    elo: Elo
    """Relative to the mean of the group, to the only other player of it, or to an anchor."""
    matches: int
    group: int
    """Number of the group. No match connects groups, so ratings of two groups do not compare."""
    superiority: float | None
    """Probability of being stronger than the next player of the group; None for the last."""


@dataclass(frozen=True, slots=True)
class SeatValue:
    """Estimated value of a seat."""

    seats: int
    """Number of seats in a match."""
    seat: int
    elo: Elo
    """Of two seats that of the first over the second, of several relative to their mean."""

    @property
    def is_clear(self) -> bool:
        """Whether the interval is on one side of 0."""
        return self.elo.low > 0 or self.elo.high < 0


@dataclass(frozen=True, slots=True)
class Difference:
    """How much stronger a player is than another one."""

    player: str
    other: str
    elo: Elo
    superiority: float
    """Probability that it is stronger."""


class Strengths:
    """The most likely strengths, without their errors."""

    def __init__(self, comparisons: Comparisons) -> None:
        """Estimate the strengths from comparisons."""
        self.comparisons = comparisons
        self.index = {player: number for number, player in enumerate(comparisons.players)}
        free = len(comparisons.players) + len(comparisons.seatings)
        self.likelihood = Likelihood(comparisons.counts(), free, PRIOR_ELO / ELO)
        self.point = self.likelihood.maximum() if comparisons.players else [0.0]
        groups = comparisons.groups()
        self.group = {player: number for number, group in enumerate(groups) for player in group}

    @property
    def groups(self) -> int:
        """Number of groups without connecting matches."""
        return len(set(self.group.values()))

    def elos(self) -> dict[str, float]:
        """Return the Elo of each player relative to the mean of its group."""
        means: dict[int, list[float]] = {}
        for player, group in self.group.items():
            means.setdefault(group, []).append(self.point[self.index[player]])
        return {
            player: ELO
            * (
                self.point[at]
                - math.fsum(means[self.group[player]]) / len(means[self.group[player]])
            )
            for player, at in self.index.items()
        }

    def expected_score(self, first: str, second: str) -> float | None:
        """Return the expected score of the first of two seats; None if no match connects them."""
        group = self.group.get(first)
        if group is None or group != self.group.get(second) or first == second:
            return None
        gap = self.point[self.index[first]] - self.point[self.index[second]]
        return expected(gap, -self._value_of((2, 1))).score

    @cached_property
    def spread(self) -> float:
        """Variance of a match of two as a multiple of that without draws."""
        found = assumed = 1.0
        cells = {cell: each.score for cell, _, each in self.likelihood.cells(self.point)}
        for cluster in self.comparisons.by_match:
            if len(cluster.scores) == 1:
                ((cell, (_, score)),) = cluster.scores.items()
                found += cluster.times * (score - cells[cell]) ** 2
                assumed += cluster.times * cells[cell] * (1 - cells[cell])
        return found / assumed

    def _value_of(self, seating: Seating) -> float:
        seatings = self.comparisons.seatings
        return self.point[len(self.index) + seatings.index(seating)] if seating in seatings else 0.0


class Ratings:
    """The ratings of all players with a rated match; what is not read is not computed."""

    def __init__(self, comparisons: Comparisons, anchor: Mapping[str, float] | None = None) -> None:
        """Rate from comparisons; `anchor` is the Elo of one player, which fixes the scale."""
        self.strengths = Strengths(comparisons)
        self.anchor = {
            player: elo for player, elo in (anchor or {}).items() if player in self.strengths.index
        }

    @property
    def comparisons(self) -> Comparisons:
        """The comparisons of the rated matches."""
        return self.strengths.comparisons

    @property
    def groups(self) -> int:
        """Number of groups without connecting matches."""
        return self.strengths.groups

    @cached_property
    def ranked(self) -> tuple[tuple[str, int], ...]:
        """Player and group of all players, by group, best first."""
        point, index, group = self.strengths.point, self.strengths.index, self.strengths.group
        # equals are ordered by name, not by errors of rounding
        order = sorted(index, key=lambda each: (group[each], -round(point[index[each]], 9), each))
        return tuple((player, group[player]) for player in order)

    @cached_property
    def players(self) -> tuple[Rating, ...]:
        """The ratings of all players, by group, best first."""
        following = [*self.ranked[1:], ("", -1)]
        return tuple(
            Rating(
                player=player,
                elo=self._elo_of(player, group),
                matches=self.comparisons.matches[player],
                group=group,
                superiority=self.superiority(player, after) if group == next_group else None,
            )
            for (player, group), (after, next_group) in zip(self.ranked, following, strict=False)
        )

    @cached_property
    def seats(self) -> tuple[SeatValue, ...]:
        """The values of the seats."""
        return tuple(
            SeatValue(size, seat, self._seat_elo(size, seat))
            for size in sorted({size for size, _ in self.comparisons.seatings})
            for seat in range(1 if size == 2 else size)
        )

    @property
    def first_move(self) -> Elo | None:
        """Advantage of the first seat of two; None without such matches."""
        return next((each.elo for each in self.seats if each.seats == 2), None)

    def superiority(self, one: str, other: str) -> float:
        """Return the probability that a player is stronger than another one."""
        return self._profile.likelihood_above(self._between(one, other))

    def scatter(self, one: str, other: str) -> Ratio:
        """Return the ratio by which the results scatter more than the model, for a difference."""
        return self._profile.ratio(self._between(one, other))

    def difference(self, one: str, other: str) -> Difference:
        """Return how much stronger a player is than another one."""
        elo = self._elo(self._between(one, other))
        return Difference(one, other, elo, self.superiority(one, other))

    def differences(self) -> list[Difference]:
        """Return every pair of players of the same group, the higher one first."""
        return [
            self.difference(one, other)
            for number, (one, group) in enumerate(self.ranked)
            for other, other_group in self.ranked[number + 1 :]
            if group == other_group
        ]

    @cached_property
    def _profile(self) -> Profile:
        strengths = self.strengths
        return Profile(self.comparisons, strengths.likelihood, strengths.point)

    def _between(self, one: str, other: str) -> Contrast:
        return {self.strengths.index[one]: 1.0, self.strengths.index[other]: -1.0}

    def _elo(self, contrast: Contrast) -> Elo:
        found = self._profile.estimate(contrast)
        return Elo(ELO * found.value, ELO * found.low, ELO * found.high)

    def _elo_of(self, player: str, group: int) -> Elo:
        """Return the Elo of a player on the scale of its group."""
        members = [name for name, number in self.ranked if number == group]
        for anchor, elo in self.anchor.items():
            if anchor in members:
                if player == anchor:
                    return Elo(elo, elo, elo)
                found = self._elo(self._between(player, anchor))
                return Elo(elo + found.value, elo + found.low, elo + found.high)
        if len(members) == 2:
            (other,) = (name for name in members if name != player)
            return self._elo(self._between(player, other))
        index = self.strengths.index
        contrast = dict.fromkeys((index[name] for name in members), -1 / len(members))
        contrast[index[player]] += 1
        return self._elo(contrast)

    def _seat_elo(self, size: int, seat: int) -> Elo:
        first = len(self.strengths.index)
        places = {
            number: first + at
            for at, (seats, number) in enumerate(self.comparisons.seatings)
            if seats == size
        }
        if size == 2:
            return self._elo({places[1]: -1.0})
        contrast = dict.fromkeys(places.values(), -1 / size)
        if seat in places:
            contrast[places[seat]] += 1
        return self._elo(contrast)


def rate(matches: Iterable[Sequence[SeatRow]]) -> Ratings:
    """Rate the players of matches on unknown boards; seats are in the order of their moves."""
    return rate_outcomes(Counter(map(rated_match, matches)))


def rate_outcomes(
    outcomes: Mapping[RatedMatch, int], anchor: Mapping[str, float] | None = None
) -> Ratings:
    """Rate the players from the number of matches of each outcome."""
    return Ratings(compare(outcomes), anchor)
