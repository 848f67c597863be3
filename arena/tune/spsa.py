"""SPSA: the steps of a search that tests all parameters at once, along one random direction.

J. C. Spall, "Implementation of the simultaneous perturbation algorithm for stochastic
optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (3), 1998, sections II and
III. Nothing here plays or reads anything: the results of the pairs go in, values come out.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from arena.config.tune import TuneSection
from referee.seeds import derive_seed

UNIT_BITS: Final = 53
DIGITS: Final = 6
"""Significant digits of a real value."""
MOST_EMPTY: Final = 20
"""Number of pairs in a row without evidence after which a search ends."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """An option of the bot."""

    name: str
    start: float
    low: float
    high: float
    step: float
    """Distance of a tested value from the current one in the last iteration."""
    r_end: float
    is_whole: bool

    def inside(self, value: float) -> float:
        """Return the nearest allowed value."""
        return min(max(value, self.low), self.high)

    def playable(self, value: float, draw: float) -> float:
        """Return a value that the bot can have; `draw` is uniform from 0 to 1, without 1.

        A whole number is rounded up with a probability of its fraction, so that the mean of the
        rounded values is the value itself.
        """
        rounded = math.floor(value + draw) if self.is_whole else float(f"{value:.{DIGITS}g}")
        return self.inside(rounded)

    def nearest(self, value: float) -> float:
        """Return the nearest value that the bot can have."""
        return self.playable(value, 0.5 if self.is_whole else 0.0)

    def text(self, value: float) -> str:
        """Return a playable value as the bot receives it."""
        return str(round(value)) if self.is_whole else repr(float(value))


def parameters_of(section: TuneSection) -> tuple[Parameter, ...]:
    """Return the parameters of a completed section."""
    return tuple(
        Parameter(
            name=name,
            start=each.start,
            low=each.min,
            high=each.max,
            step=each.step or 0.0,
            r_end=each.r_end or 0.0,
            is_whole=each.is_whole,
        )
        for name, each in section.parameters.items()
    )


@dataclass(frozen=True, kw_only=True)
class Gains:
    """The usual decreasing gains: a / (A + k + 1)^alpha and c / (k + 1)^gamma.

    Spall 1998, section III.A, with k from 0. As in fishtest, a and c follow from their values in
    the last iteration: c is `step`, and a is `r_end * step^2`.
    """

    iterations: int
    stability: float
    """A."""
    alpha: float
    gamma: float

    def step(self, parameter: Parameter, k: int) -> float:
        """Return a_k, in units of the parameter squared."""
        last = parameter.r_end * parameter.step**2
        a = last * (self.stability + self.iterations) ** self.alpha
        return float(a / (self.stability + k + 1) ** self.alpha)

    def reach(self, parameter: Parameter, k: int) -> float:
        """Return c_k, the distance of the tested values from the current one."""
        c = parameter.step * self.iterations**self.gamma
        return float(c / (k + 1) ** self.gamma)


@dataclass(frozen=True)
class Probe:
    """The values of the two sides of a pair of matches, by the place of their parameter."""

    plus: tuple[float, ...]
    minus: tuple[float, ...]


@dataclass
class Course:
    """The course of a search: the values after each iteration, by the results of its pairs.

    Normal use:

        course = Course(parameters, gains, pairs=1, seed=seed)
        while not course.is_ended:
            probes = course.probes()
            course.advance([play(probe) for probe in probes])

    The same seed and results give the same course.
    """

    parameters: tuple[Parameter, ...]
    gains: Gains
    pairs: int
    """Number of pairs of each iteration."""
    seed: int
    path: list[tuple[float, ...]] = field(init=False)
    """The values before the first iteration, and after each."""
    played: list[tuple[Probe, float | None]] = field(default_factory=list)
    """Each pair with its result, or None if it is no evidence."""
    empty: int = 0
    """Number of the last pairs without evidence."""

    def __post_init__(self) -> None:
        self.path = [tuple(each.start for each in self.parameters)]

    @property
    def iteration(self) -> int:
        """Number of the ended iterations."""
        return len(self.path) - 1

    @property
    def is_stuck(self) -> bool:
        """Whether too many pairs in a row were no evidence."""
        return self.empty >= MOST_EMPTY

    @property
    def is_ended(self) -> bool:
        """Whether no iteration follows."""
        return self.is_stuck or self.iteration == self.gains.iterations

    def probes(self) -> list[Probe]:
        """Return the values to test in this iteration, those of each pair rounded by itself."""
        k, signs = self.iteration, self._signs()
        sides: list[list[float]] = [[], []]
        for parameter, value, sign in zip(self.parameters, self.path[-1], signs, strict=True):
            reach = sign * self.gains.reach(parameter, k)
            sides[0].append(parameter.inside(value + reach))
            sides[1].append(parameter.inside(value - reach))
        return [self._rounded(sides, k * self.pairs + pair) for pair in range(self.pairs)]

    def advance(self, results: Sequence[float | None]) -> None:
        """Take a step by the results of the pairs of this iteration.

        A result is the number of matches won by the plus side minus those won by the other, or
        None. theta_k+1 = theta_k + a_k / c_k * result * delta, where the mean result is in the
        place of the difference of the loss function (Spall 1998, steps 3 to 5 of section II.B,
        without the factor 1/2, as in fishtest: its a is half of Spall's). Values outside their
        bounds are moved to them.
        """
        for probe, result in zip(self.probes(), results, strict=True):
            self.played.append((probe, result))
            self.empty = self.empty + 1 if result is None else 0
        given = [result for result in results if result is not None]
        mean = math.fsum(given) / len(given) if given else 0.0
        k = self.iteration
        self.path.append(
            tuple(
                each.inside(
                    value + self.gains.step(each, k) / self.gains.reach(each, k) * mean * sign
                )
                for each, value, sign in zip(
                    self.parameters, self.path[-1], self._signs(), strict=True
                )
            )
        )

    def tuned(self) -> tuple[float, ...]:
        """Return the result so far: the mean of the values over the last half of the iterations.

        The mean has less noise than the last value (B. T. Polyak and A. B. Juditsky, "Acceleration
        of stochastic approximation by averaging", SIAM Journal on Control and Optimization 30 (4),
        1992).
        """
        last = self.path[len(self.path) // 2 :]
        return tuple(
            each.nearest(math.fsum(values) / len(last))
            for each, values in zip(self.parameters, zip(*last, strict=True), strict=True)
        )

    def _signs(self) -> Iterator[int]:
        """Yield delta: +1 or -1 for each parameter, with equal probabilities."""
        bits = derive_seed(self.seed, "tune", self.iteration)
        return (1 if bits >> place & 1 else -1 for place in range(len(self.parameters)))

    def _rounded(self, sides: Sequence[Sequence[float]], pair: int) -> Probe:
        """Return the sides as the bot can play them.

        Both are rounded by the same draw, so that the two differ wherever the values do by 1.
        """
        places = range(len(self.parameters))
        draws = [
            derive_seed(self.seed, "tune", "round", pair, place, bits=UNIT_BITS) / 2**UNIT_BITS
            for place in places
        ]
        plus, minus = (
            tuple(
                each.playable(value, draw)
                for each, value, draw in zip(self.parameters, side, draws, strict=True)
            )
            for side in sides
        )
        return Probe(plus, minus)
