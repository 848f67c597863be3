"""A sequential test as a Brownian motion between two barriers: when it ends, and on which side.

The sum of the evidence of many pairs is close to a Brownian motion. It is scaled so that its
variance grows by 1 for each pair. Between barriers it has closed forms: early by its images behind
them, later by the waves that fit between them; each is a sum of few terms in its range (Karatzas
and Shreve, "Brownian Motion and Stochastic Calculus", section 2.8, with Girsanov's factor for the
drift). The evidence of pairs jumps over a barrier, so that a test ends later than the continuous
motion: barriers are moved out by OVERSHOOT (Siegmund, "Sequential Analysis", 1985, chapter 10).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

OVERSHOOT = 0.5826
"""Mean excess over a barrier, in standard deviations of a step."""
EARLY = 0.25
"""Time in squared widths before which images are used, and waves after it."""
WAVES = range(1, 41)
"""Numbers of the waves; the last ones are below 1e-40 in their range."""
IMAGES = range(-40, 41)
"""Numbers of the images on both sides; the last ones are as small in their range."""
STEPS = 200
"""Number of trapezoids under the curve of a mean."""
NEGLIGIBLE = 1e-6
"""Probability of being open from which the rest of the curve is left out."""
SMALL = 1e-9
"""Drift times width below which the motion is taken as one without drift."""
FAR = -25.0
"""Standard deviations below which the tail of the normal distribution is asymptotic."""


@dataclass(frozen=True, slots=True)
class Motion:
    """A motion from 0 until it leaves `lower` to `upper`."""

    lower: float
    """Barrier below 0, in standard deviations of the evidence of a pair."""
    upper: float
    drift: float
    """Mean evidence of a pair, in its standard deviations."""

    def ends_below(self) -> float:
        """Return the probability of leaving at the lower barrier, sooner or later."""
        if abs(self.drift) * self._width < SMALL:
            return self.upper / self._width
        if self.drift > 0:
            ratio = math.expm1(-2 * self.drift * self.upper)
            ratio /= math.expm1(-2 * self.drift * self._width)
            return math.exp(2 * self.drift * self.lower) * ratio
        return 1 - self.mirrored().ends_below()

    def ends_below_by(self, pairs: float) -> float:
        """Return the probability of leaving at the lower barrier within a number of pairs."""
        if self._is_early(pairs):
            return _probability(self._hits(pairs))
        later = self._sum(
            lambda wave, rate: (
                (wave / self._width)
                * math.sin(-wave * self.lower)
                * math.exp(self.drift * self.lower - rate * pairs)
                / rate
            )
        )
        return _probability(self.ends_below() - later)

    def ends_above_by(self, pairs: float) -> float:
        """Return the probability of leaving at the upper barrier within a number of pairs."""
        return self.mirrored().ends_below_by(pairs)

    def stays_above(self, place: float, pairs: float) -> float:
        """Return the probability of no end within the pairs, and of ending above `place` then."""
        place = min(max(place, self.lower), self.upper)
        if self._is_early(pairs):
            return _probability(self._images_above(place, pairs))

        def part(wave: float, rate: float) -> float:
            ends = 0.0
            for end, sign in ((self.upper, 1), (place, -1)):
                angle = wave * (end - self.lower)
                slope = self.drift * math.sin(angle) - wave * math.cos(angle)
                ends += sign * math.exp(self.drift * end - rate * pairs) * slope / (2 * rate)
            return 2 / self._width * math.sin(-wave * self.lower) * ends

        return _probability(self._sum(part))

    def is_open_after(self, pairs: float) -> float:
        """Return the probability of no end within a number of pairs."""
        return self.stays_above(self.lower, pairs)

    def mean_pairs(self, cap: float, least: float = 0.0) -> float:
        """Return the mean number of pairs to the end, or to the cap if that comes first.

        A test that has left its barriers before the `least` number of pairs ends there.
        """
        least = min(least, cap)

        def is_open(after: float) -> float:
            return self.is_open_after(least + after) if least + after > 0 else 1.0

        horizon = cap - least
        while horizon > 1 and is_open(horizon / 2) < NEGLIGIBLE:
            horizon /= 2
        ends = is_open(0) + is_open(horizon)
        inner = (is_open(horizon * step / STEPS) for step in range(1, STEPS))
        return least + horizon / STEPS * (ends / 2 + math.fsum(inner))

    def mirrored(self) -> "Motion":
        """Return the motion seen upside down."""
        return Motion(-self.upper, -self.lower, -self.drift)

    @property
    def _width(self) -> float:
        return self.upper - self.lower

    def _is_early(self, pairs: float) -> bool:
        return pairs < EARLY * self._width**2

    def _sum(self, part: Callable[[float, float], float]) -> float:
        """Return the sum of a function of each wave and its rate of decay."""
        waves = (number * math.pi / self._width for number in WAVES)
        return math.fsum(part(wave, (self.drift**2 + wave**2) / 2) for wave in waves)

    def _hits(self, pairs: float) -> float:
        """Return the probability of leaving below, by the images of the lower barrier."""
        root, pull = math.sqrt(pairs), abs(self.drift)
        parts = []
        for number in IMAGES:
            distance = 2 * number * self._width - self.lower
            far = abs(distance)
            for way in (-pull, pull):
                exponent = self.drift * self.lower + way * far
                tail = _log_tail((-way * pairs - far) / root)
                parts.append(math.copysign(math.exp(exponent + tail), distance))
        return math.fsum(parts)

    def _images_above(self, place: float, pairs: float) -> float:
        root = math.sqrt(pairs)
        parts = []
        for number in IMAGES:
            for origin, sign in ((0.0, 1.0), (2 * self.lower, -1.0)):
                image = origin + 2 * number * self._width
                # of the two tails the smaller one: the factor of an image may be very large
                away = image + self.drift * pairs - (place + self.upper) / 2
                half = (self.upper - place) / 2
                for end, side in ((half, 1.0), (-half, -1.0)):
                    tail = _log_tail((end - abs(away)) / root)
                    parts.append(sign * side * math.exp(self.drift * image + tail))
        return math.fsum(parts)


def with_overshoot(lower: float, upper: float, drift: float) -> Motion:
    """Return the motion of a test that looks at its evidence after whole pairs only."""
    return Motion(lower - OVERSHOOT, upper + OVERSHOOT, drift)


def _log_tail(deviations: float) -> float:
    """Return the logarithm of the normal distribution function."""
    if deviations < FAR:
        return -(deviations**2) / 2 - math.log(-deviations * math.sqrt(2 * math.pi))
    return math.log(math.erfc(-deviations / math.sqrt(2)) / 2)


def _probability(value: float) -> float:
    """Return a probability without the rounding errors of its sum."""
    return min(max(value, 0.0), 1.0)
