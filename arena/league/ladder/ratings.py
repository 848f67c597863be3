"""Ratings of a season: one fit of all versions, from the counts of pairs.

The scale is Elo of the expected score, as everywhere in Arena: in each pairing the expected score
over all seats is 1 / (1 + 10 ** (-D / 400)) for a difference of D. House bots fix the scale: the
mean of their distances to their given Elo is 0.

* A version is a player that never changes. Its prior lies round its predecessor, with Student's
  tails and a width learnt from the steps of the season.
* Results of a pairing scatter about the ratings, because one bot may suit or exploit another. Each
  pairing has a random effect, so it weighs at most as much as one look at that effect, however
  often the two met (generalised estimating equations, Liang & Zeger 1986). Its size is learnt too.
* Draws, and several comparisons in a unit, scatter less or more than independent wins and losses:
  one number says how much.

Intervals are ends of the profile of the version's own likelihood, made wider as the errors of its
rivals demand. Estimates do not depend on the order of matches; `before` only shortens the way.

    season = fit(entrants, tally, before=season)
    points = season.points(time)
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from arena.league.ladder.season import Entrant, Season, Spread
from arena.league.ladder.skyline import Vector
from arena.league.ladder.tally import Tally
from arena.ratings.rating import ELO, Elo
from arena.ratings.student import NORMAL


@dataclass(frozen=True, slots=True)
class Point:
    """A published rating, which no later fit changes."""

    time: float
    version: str
    rating: float
    low: float
    high: float
    matches: int


@dataclass(frozen=True, slots=True)
class Start:
    """Where a fit begins: the result of the one before, without its errors."""

    strengths: Mapping[str, float]
    spread: Spread


@dataclass(frozen=True)
class Fit:
    """The ratings of a season at one time."""

    elos: Mapping[str, Elo]
    """Rating of each active version and house bot with its 95 % interval."""
    matches: Mapping[str, int]
    """Number of rated matches of each of these."""
    strengths: Mapping[str, float]
    """Rating of every version, past ones too."""
    spread: Spread
    _covariance: Sequence[Vector] = field(repr=False)
    """Covariance of the ratings in `elos`, in its order, in units of strength: its lower half."""

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.elos)}

    def error(self, version: str) -> float:
        """Return half of the 95 % interval of a version."""
        elo = self.elos[version]
        return (elo.high - elo.low) / 2

    def difference(self, one: str, other: str) -> Elo:
        """Return how much stronger an active version is than another one."""
        gap = self.elos[one].value - self.elos[other].value
        at = self._numbers
        late, early = max(at[one], at[other]), min(at[one], at[other])
        rows = self._covariance
        variance = rows[late][-1] + rows[early][-1] - 2 * rows[late][early]
        reach = NORMAL * ELO * math.sqrt(max(variance, 0.0)) if one != other else 0.0
        return Elo(gap, gap - reach, gap + reach)

    def points(self, time: float) -> list[Point]:
        """Return the ratings as points to be appended, best first."""
        best = sorted(self.elos.items(), key=lambda item: (-item[1].value, item[0]))
        return [Point(time, name, *elo, self.matches[name]) for name, elo in best]


def fit(
    entrants: Sequence[Entrant],
    tally: Tally,
    *,
    anchors: Mapping[str, float] | None = None,
    before: Fit | Start | None = None,
) -> Fit:
    """Rate the versions of a season, given from the oldest to the newest.

    `anchors` are the Elo of house bots, 1500 where none is given.
    """
    strengths, spread = (before.strengths, before.spread) if before else ({}, Spread())
    season = Season(entrants, tally, anchors or {}, strengths, spread)
    season.estimate()
    order = season.order
    begin = next(
        (at for at, each in enumerate(order) if each.is_active or each.is_house), len(order)
    )
    covariance = season.covariance(begin)
    base = _base(order, begin)
    shift = math.fsum(season.point[at] - season.home[at] for at in base) / max(len(base), 1)
    variances = _variances(covariance, [at - begin for at in base])
    ends = season.ends({begin + at: variance for at, variance in enumerate(variances)})
    elos = {}
    for at, (less, more) in ends.items():
        value = ELO * (season.point[at] - shift)
        elos[order[at].id] = Elo(value, value - ELO * less, value + ELO * more)
    return Fit(
        elos=elos,
        matches={name: tally.matches[name] for name in elos},
        strengths={
            each.id: ELO * (at - shift) for each, at in zip(order, season.point, strict=True)
        },
        spread=season.spread,
        _covariance=covariance,
    )


def _base(order: Sequence[Entrant], begin: int) -> list[int]:
    """Return the numbers of the house bots, or of all active versions where there are none."""
    numbers = range(begin, len(order))
    return [at for at in numbers if order[at].is_house] or list(numbers)


def _variances(covariance: Sequence[Vector], base: Sequence[int]) -> Vector:
    """Return the variance of the difference of each strength to the mean of the base."""

    def between(one: int, other: int) -> float:
        return covariance[one][other] if one >= other else covariance[other][one]

    size = max(len(base), 1)
    mean = math.fsum(between(one, other) for one in base for other in base) / size**2
    return [
        max(row[-1] - 2 * math.fsum(between(at, each) for each in base) / size + mean, 0.0)
        for at, row in enumerate(covariance)
    ]
