"""The estimation of a season's strengths, and of its noise: see `arena.league.ladder.ratings`.

Strengths are in units of ELO. Each iteration takes one step of Fisher's scoring for the strengths
with the noise as it is, then estimates the noise from the residuals at the new point.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import NamedTuple

from arena.league.ladder.skyline import Skyline, Vector
from arena.league.ladder.tally import Tally, Unit
from arena.ratings.rating import ELO
from arena.ratings.student import NORMAL

HOME = 1500.0
"""Elo of house bots, and mean of the prior of a first version."""
FIRST = 300.0
"""Standard deviation of the prior of a first version, and of a house bot, in Elo."""
WIDTH, LEAST_WIDTH, MOST_WIDTH = 150.0, 60.0, 200.0
"""Scale of the step from a version to the next, in Elo: to begin with, and its limits."""
WIDTH_TRUST = 5.0
"""Weight of the first width, in steps."""
TAILS = 4.0
"""Degrees of freedom of a step."""
PAIRING, LEAST_PAIRING, MOST_PAIRING = 50.0, 10.0, 200.0
"""Standard deviation of a pairing's effect, in Elo: to begin with, and its limits."""
PAIRING_TRUST = 10.0
"""Weight of the first value, in pairings with endless matches."""
FAR = 9.0
"""Limit of a squared residual, in variances, where the size of a pairing's effect is estimated."""
SCATTER_TRUST = 20.0
"""Weight of independent results, in comparisons."""
LEAST_SCATTER = 0.05
STEPS = 80
CLOSE = 0.02 / ELO
"""Size of the last step."""
NEAR = 0.05
"""Size of a step below which the noise is estimated too."""
LONGEST = 2.0
"""Limit of a step."""
ROUNDS = 4
"""Steps to the size of a pairing's effect."""
SAME = 0.005
"""Part by which the noise may still change in the end."""
SKEWED = 0.02
"""Part of an interval by which its halves differ, from which they are computed apart."""


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

    width: float = WIDTH
    """Scale of the step from a version to the next, in Elo."""
    pairing: float = PAIRING
    """Standard deviation of the effect of a pairing, in Elo."""
    scatter: float = 1.0
    """Variance of results as a multiple of that of independent wins and losses."""


class Pairing(NamedTuple):
    """Two versions by number, the first the higher one, and their comparisons."""

    one: int
    other: int
    times: float
    score: float


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
        self._units = [self._numbered(unit) for unit in tally.recent]
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
        lower, longest = None, math.inf
        for _ in range(STEPS):
            residuals = self._residuals(self._pairings)
            if lower is None or longest > NEAR:
                lower = self._information(residuals).factor()
            step = lower.solve(self._slope(residuals))
            longest = max(map(abs, step), default=0.0)
            part = min(1.0, LONGEST / longest) if longest else 1.0
            self.point = [at + part * by for at, by in zip(self.point, step, strict=True)]
            if longest < NEAR and self._estimate_noise():
                lower = None
            elif longest < CLOSE:
                return

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
            number: _ends(self.point[number], self._prior(number), own[number], variance)
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

    def _estimate_noise(self) -> bool:
        """Estimate the noise at this point; return whether it was another before."""
        before = self.spread
        residuals = self._residuals(self._pairings)
        self._pairing = self._likely_pairing(residuals)
        self._scatter = self._likely_scatter()
        self._estimate_width(residuals)
        return any(
            abs(now - then) > SAME * then
            for now, then in zip(astuple(self.spread), astuple(before), strict=True)
        )

    def _likely_pairing(self, residuals: Residuals) -> float:
        """Return the variance of a pairing's effect, by moments (DerSimonian & Laird 1986)."""
        met = {number for pairing in self._pairings for number in pairing[:2]}
        left = max(1 - (len(met) - 1) / max(len(self._pairings), 1), 0.3)  # the fit took the rest
        seen = [
            ((more / information) ** 2 / left, self._scatter / information)
            for more, information in zip(*residuals, strict=True)
        ]
        least, most = (LEAST_PAIRING / ELO) ** 2, (MOST_PAIRING / ELO) ** 2
        known = self._pairing
        for _ in range(ROUNDS):
            total = PAIRING_TRUST / known**2
            sum_ = total * (PAIRING / ELO) ** 2
            for squared, noise in seen:
                variance = noise + known
                weight = 1 / (variance * variance)
                total += weight
                sum_ += weight * (min(squared, FAR * variance) - noise)
            known = min(max(math.sqrt(known * max(sum_ / total, least)), least), most)
        return known

    def _likely_scatter(self) -> float:
        """Return how units scatter, by what each adds to the score of each version."""
        found = assumed = SCATTER_TRUST / 4
        for unit in self._units:
            more: dict[int, float] = {}
            for (one, other, _, _), above, information in zip(
                unit, *self._residuals(unit), strict=True
            ):
                more[one] = more.get(one, 0.0) + above
                more[other] = more.get(other, 0.0) - above
                assumed += 2 * information
                found -= 2 * self._pairing * information**2
            found += sum(above * above for above in more.values())
        return max(found / assumed, LEAST_SCATTER)

    def _estimate_width(self, residuals: Residuals) -> None:
        """Estimate the steps between versions, and from these the precision of each prior."""
        own = list(self._pull)
        weighted = self._weighted(residuals.information)
        for (one, other, _, _), known in zip(self._pairings, weighted, strict=True):
            own[one] += known
            own[other] += known
        squares = {
            at: (self.point[at] - self.point[above]) ** 2 + 1 / own[at]
            for at, above in enumerate(self._above)
            if above >= 0
        }
        sum_ = WIDTH_TRUST * (WIDTH / ELO) ** 2
        for square in squares.values():
            sum_ += square * (TAILS + 1) / (TAILS + square / self._width)
        least, most = (LEAST_WIDTH / ELO) ** 2, (MOST_WIDTH / ELO) ** 2
        self._width = min(max(sum_ / (WIDTH_TRUST + len(squares)), least), most)
        for at, square in squares.items():
            self._pull[at] = (TAILS + 1) / (TAILS * self._width + square)


def by_retirement(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return the versions in the order in which they retired, active ones and house bots last."""
    followed = {each.predecessor: at for at, each in enumerate(entrants)}

    def retired(item: tuple[int, Entrant]) -> tuple[int, float]:
        at, each = item
        if each.is_house:
            return 2, at
        return (1, at) if each.is_active else (0, followed.get(each.id, at))

    return [each for _, each in sorted(enumerate(entrants), key=retired)]


def _ends(
    at: float,
    prior: tuple[float, float],
    rivals: Sequence[tuple[float, float, float]],
    variance: float,
) -> tuple[float, float]:
    """Return the distances to the ends; rivals are strength, weighted comparisons and score."""
    reach = NORMAL * math.sqrt(variance)
    curve, bend = prior[1], 0.0
    for rival, times, _ in rivals:
        p = 1 / (1 + math.exp(rival - at))
        curve += times * p * (1 - p)
        bend += times * p * (1 - p) * (1 - 2 * p)
    if reach * abs(bend) < 3 * SKEWED * curve:
        return reach, reach
    allowed = NORMAL**2 * variance * curve
    below = _end(at, prior, rivals, (-reach, allowed))
    return -below, _end(at, prior, rivals, (reach, allowed))


def _end(
    at: float,
    prior: tuple[float, float],
    rivals: Sequence[tuple[float, float, float]],
    search: tuple[float, float],
) -> float:
    """Return the distance at which twice the log-likelihood is less by `search[1]`.

    The search begins at `search[0]`. The loss is convex, so Newton's method comes from beyond.
    """
    by, allowed = search
    mean, pull = prior
    for _ in range(20):
        loss = pull * ((at + by - mean) ** 2 - (at - mean) ** 2)
        slope = 2 * pull * (at + by - mean)
        for rival, times, score in rivals:
            before, gap = at - rival, at - rival + by
            loss -= 2 * (score * by - times * (_softplus(gap) - _softplus(before)))
            slope -= 2 * (score - times / (1 + math.exp(-gap)))
        if slope == 0 or (slope > 0) != (by > 0):
            return by
        step = (loss - allowed) / slope
        by -= step
        if abs(step) < CLOSE:
            break
    return by


def _softplus(value: float) -> float:
    return max(value, 0.0) + math.log1p(math.exp(-abs(value)))
