"""The estimation of a season's strengths, and of its noise: see `arena.league.ladder.ratings`.

Strengths are in units of ELO. Each iteration takes one step of Fisher's scoring for the strengths
with the noise as it is, then estimates the noise from the residuals at the new point.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple

from arena.league.ladder.profiles import ends
from arena.league.ladder.skyline import Skyline, Vector
from arena.league.ladder.tally import Tally, Unit
from arena.league.ladder.units import Pairing, Units
from arena.ratings.rating import ELO

HOME = 1500.0
"""Elo of house bots, and mean of the prior of a first version."""
FIRST = 300.0
"""Standard deviation of the prior of a first version, and of a house bot, in Elo."""
TAILS = 4.0
"""Degrees of freedom of a step from a version to the next."""
FAR = 9.0
"""Limit of a squared residual, in variances, where the size of effects is estimated."""
LEFT = 0.3
"""Least part of the scatter that the estimates leave."""
STEPS = 80
CLOSE = 0.02 / ELO
"""Size of the last step."""
NEAR = 0.05
"""Size of a step below which the noise is estimated too."""
LONGEST = 2.0
"""Limit of a step."""
ROUNDS = 4
"""Steps to the size of effects."""
SAME = 0.005
"""Part by which the noise may still change in the end."""
OTHER = 0.1
"""Part by which the noise changes from which the information is computed again."""


class Size(NamedTuple):
    """Standard deviation of effects in Elo."""

    usual: float
    """Value to begin with."""
    least: float
    most: float
    trust: float
    """Weight of `usual`, in effects without noise."""


WIDTHS = Size(150.0, 60.0, 200.0, trust=5.0)
"""Scale of the step from a version to the next."""
PAIRINGS = Size(50.0, 10.0, 600.0, trust=10.0)
"""Effect of a pairing."""
LARGE_PAIRINGS = PAIRINGS._replace(trust=1.0)
"""The same where results say that effects are larger: with small ones, intervals are too short."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version of the season, present or past."""

    id: str
    predecessor: str | None = None
    """The bot's version before it; unknown ones are ignored."""
    is_house: bool = False
    is_active: bool = True
    """Whether its rating is wanted; all results count."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The noise of a season."""

    width: float = WIDTHS.usual
    """Scale of the step from a version to the next, in Elo."""
    pairing: float = PAIRINGS.usual
    """Standard deviation of the effect of a pairing, in Elo."""
    scatter: float = 1.0
    """Variance of results as a multiple of that of independent wins and losses."""


class Residuals(NamedTuple):
    """The results of all pairings at a point."""

    more: Vector
    """Score of the first version of each above the expected one."""
    information: Vector
    """Variance of that score, if it were of independent wins and losses."""


class Season:
    """A fit in progress."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        tally: Tally,
        homes: Mapping[str, float],
        strengths: Mapping[str, float],
        spread: Spread,
    ) -> None:
        """Begin at these strengths, in Elo, where they are known."""
        self.order = by_retirement(entrants)
        self.number = {each.id: at for at, each in enumerate(self.order)}
        self.home = [homes.get(each.id, HOME) / ELO for each in self.order]
        self.point: Vector = [
            strengths.get(each.id, strengths.get(each.predecessor or "", ELO * home)) / ELO
            for each, home in zip(self.order, self.home, strict=True)
        ]
        self._width = (spread.width / ELO) ** 2
        self._pairing = (spread.pairing / ELO) ** 2
        self._scatter = spread.scatter
        self._units = Units([self._numbered(unit) for unit in tally.recent])
        self._pairings = self._numbered(dict(tally.pairings()))
        self._above = [self.number.get(each.predecessor or "", -1) for each in self.order]
        self._pull = [
            (ELO / FIRST) ** 2 if above < 0 else 1 / self._width for above in self._above
        ]  # precision of each prior
        self._first = self._firsts()

    @property
    def spread(self) -> Spread:
        """The noise at this point."""
        width, pairing = ELO * math.sqrt(self._width), ELO * math.sqrt(self._pairing)
        return Spread(width, pairing, self._scatter)

    def estimate(self) -> None:
        """Move to the estimate."""
        lower = None
        for _ in range(STEPS):
            residuals = self._residuals(self._pairings)
            if lower is None:
                lower = self._information(residuals).factor()
            step = lower.solve(self._slope(residuals))
            longest = max(map(abs, step), default=0.0)
            part = min(1.0, LONGEST / longest) if longest else 1.0
            self.point = [at + part * by for at, by in zip(self.point, step, strict=True)]
            changed = self._estimate_noise() if longest < NEAR else math.inf
            if longest < CLOSE and changed < SAME:
                return
            if changed > OTHER:
                lower = None

    def covariance(self, begin: int) -> list[Vector]:
        """Return the lower half of the covariance of the strengths from number `begin` on."""
        return self._information(self._residuals(self._pairings)).factor().inverse(begin)

    def ends(self, variances: Mapping[int, float]) -> dict[int, tuple[float, float]]:
        """Return the distances from each strength to the ends of its 95 % interval.

        They are the ends of the profile of its own likelihood, the strengths of others being
        fixed, whose curvature is corrected to the given variance.
        """
        own: dict[int, list[tuple[float, float, float]]] = {number: [] for number in variances}
        residuals = self._residuals(self._pairings)
        for (one, other, times, score), information in zip(
            self._pairings, residuals.information, strict=True
        ):
            weight = 1 / (self._scatter + self._pairing * information)
            if one in own:
                own[one].append((self.point[other], weight * times, weight * score))
            if other in own:
                own[other].append((self.point[one], weight * times, weight * (times - score)))
        return {
            number: ends(self.point[number], self._prior(number), own[number], variance)
            for number, variance in variances.items()
        }

    def _prior(self, number: int) -> tuple[float, float]:
        """Return mean and precision of the prior of a version."""
        above = self._above[number]
        mean = self.home[number] if above < 0 else self.point[above]
        return mean, self._pull[number]

    def _numbered(self, unit: Unit) -> list[Pairing]:
        number = self.number
        found = []
        for (one, other), (times, score) in unit.items():
            if one in number and other in number:
                mine, its = number[one], number[other]
                found.append(
                    Pairing(mine, its, times, score)
                    if mine > its
                    else Pairing(its, mine, times, times - score)
                )
        return found

    def _firsts(self) -> list[int]:
        """Return the first column of each row of the matrix."""
        first = list(range(len(self.order)))
        for pairing in self._pairings:
            first[pairing.one] = min(first[pairing.one], pairing.other)
        for at, above in enumerate(self._above):
            if above >= 0:
                late = max(at, above)
                first[late] = min(first[late], at, above)
        return first

    def _residuals(self, pairings: Sequence[Pairing]) -> Residuals:
        point, exp = self.point, math.exp
        expected = [1 / (1 + exp(point[other] - point[one])) for one, other, _, _ in pairings]
        return Residuals(
            [each[3] - each[2] * p for each, p in zip(pairings, expected, strict=True)],
            [each[2] * p * (1 - p) for each, p in zip(pairings, expected, strict=True)],
        )

    def _weighted(self, information: Vector) -> Vector:
        """Return the information of each pairing, which grows less the more matches it has."""
        scatter, pairing = self._scatter, self._pairing
        return [each / (scatter + pairing * each) for each in information]

    def _information(self, residuals: Residuals) -> Skyline:
        """Return the information on the strengths."""
        first = self._first
        rows = [[0.0] * (at - begin + 1) for at, begin in enumerate(first)]
        own = list(self._pull)
        weighted = self._weighted(residuals.information)
        for (one, other, _, _), known in zip(self._pairings, weighted, strict=True):
            own[one] += known
            own[other] += known
            rows[one][other - first[one]] -= known
        for at, above in enumerate(self._above):
            if above >= 0:
                late, early = max(at, above), min(at, above)
                own[above] += self._pull[at]
                rows[late][early - first[late]] -= self._pull[at]
        for row, diagonal in zip(rows, own, strict=True):
            row[-1] = diagonal
        return Skyline(first, rows)

    def _slope(self, residuals: Residuals) -> Vector:
        """Return the slope of the likelihood with the prior."""
        scatter, pairing, point = self._scatter, self._pairing, self.point
        slope = [0.0] * len(point)
        for (one, other, _, _), more, information in zip(self._pairings, *residuals, strict=True):
            by = more / (scatter + pairing * information)
            slope[one] += by
            slope[other] -= by
        for at, above in enumerate(self._above):
            mean, pull = self._prior(at)
            slope[at] -= pull * (point[at] - mean)
            if above >= 0:
                slope[above] += pull * (point[at] - mean)
        return slope

    def _estimate_noise(self) -> float:
        """Estimate the noise at this point; return by which part it changed."""
        before = self.spread
        residuals = self._residuals(self._pairings)
        known = self._known(residuals)
        # each estimated strength takes a part of the scatter of its results
        taken = sum(data / (data + pull) for data, pull in zip(known, self._pull, strict=True))
        units = sum(pairing.times for pairing in self._pairings) / 2
        self._pairing = self._likely_pairing(residuals, _left(taken, len(self._pairings)))
        self._scatter = self._units.scatter(self.point, self._pairing) / _left(taken, units)
        self._estimate_width(known)
        changes: list[float] = [
            abs(now / then - 1)
            for now, then in zip(astuple(self.spread), astuple(before), strict=True)
        ]
        return max(changes)

    def _known(self, residuals: Residuals) -> Vector:
        """Return the information of the results on each version, the others being known."""
        known = [0.0] * len(self.point)
        weighted = self._weighted(residuals.information)
        for (one, other, _, _), by in zip(self._pairings, weighted, strict=True):
            known[one] += by
            known[other] += by
        return known

    def _likely_pairing(self, residuals: Residuals, left: float) -> float:
        """Return the variance of a pairing's effect."""
        seen = [
            ((more / information) ** 2 / left, self._scatter / information)
            for more, information in zip(*residuals, strict=True)
        ]
        return max(_effect(seen, self._pairing, size) for size in (PAIRINGS, LARGE_PAIRINGS))

    def _estimate_width(self, known: Vector) -> None:
        """Estimate the steps between versions, and from these the precision of each prior."""
        steps = [
            (at, (self.point[at] - self.point[above]) ** 2, known[at])
            for at, above in enumerate(self._above)
            if above >= 0
        ]
        # the prior drew each step nearer to 0: what the results alone say is farther away
        seen = [
            (square * ((data + self._pull[at]) / data) ** 2, 1 / data)
            for at, square, data in steps
            if data > 0
        ]
        self._width = _effect(seen, self._width, WIDTHS)
        for at, square, data in steps:
            expected = square + 1 / (data + self._pull[at])
            self._pull[at] = (TAILS + 1) / (TAILS * self._width + expected)


def by_retirement(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return the versions in the order in which they retired, active ones and house bots last."""
    followed = {each.predecessor: at for at, each in enumerate(entrants)}

    def retired(item: tuple[int, Entrant]) -> tuple[int, float]:
        at, each = item
        if each.is_house:
            return 2, at
        return (1, at) if each.is_active else (0, followed.get(each.id, at))

    return [each for _, each in sorted(enumerate(entrants), key=retired)]


def _left(taken: float, results: float) -> float:
    """Return the part of the scatter that the estimates left, which is never all of it."""
    return max(1 - taken / results, LEFT) if results else 1.0


def _effect(seen: Sequence[tuple[float, float]], known: float, size: Size) -> float:
    """Return the variance of effects, by moments (DerSimonian & Laird 1986).

    `seen` are the square of each and the variance of its noise; `known` is the variance so far.
    """
    usual, least, most = (elo / ELO for elo in size[:3])
    for _ in range(ROUNDS):
        total = size.trust / known**2
        sum_ = total * usual**2
        for square, noise in seen:
            variance = noise + known
            weight = 1 / (variance * variance)
            total += weight
            sum_ += weight * (min(square, FAR * variance) - noise)
        # half the way on a logarithmic scale: far ones make the whole way go to and fro
        known = min(max(math.sqrt(known * max(sum_ / total, least**2)), least**2), most**2)
    return known
