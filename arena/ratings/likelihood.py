"""Maximum of the likelihood of comparisons of two seats, with its slope and expected curvature.

Of two players, `gap` apart in strength, the one has the expected score 1 / (1 + exp(-gap)), taken
over both orders of the seats. In one order a seat may be an advantage: of the seats s and t with
the values v(s) and v(t), the first has the odds x * exp(v(s) - v(t)), and in the other order
x / exp(v(s) - v(t)), with the x for which the mean of both expected scores is the one above:

    x * (x + c) / (1 + c * x) = exp(gap)    where c = cosh(v(s) - v(t)).

So a strength keeps its meaning whatever the seats are worth, and two players that had each seat
equally often get exactly the difference that belongs to their total score. A draw is half a win
and half a loss, which makes this a quasi-likelihood (Wedderburn 1974) of the model of Bradley &
Terry (1952): its maximum needs the expected scores alone, and how far results scatter is estimated
apart (`arena.ratings.scatter`). The matrices are small, so lists are sufficient.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

Matrix = list[list[float]]
Vector = list[float]

STEPS = 200
"""Limit of iterations; about ten are usual."""
CLOSE = 1e-6
"""Step size, in units of the parameters, of the last step: the next would be far smaller."""
WIDEST = 2.0
"""Largest change of a parameter in a step: far from the maximum a step may be far too long."""
LARGE = 1.0
"""Value of a seat, 174 Elo, from which on the opposite value may be more likely."""
FARTHEST = 60.0
"""Limit of a gap as an exponent, far above that of any rating."""


class Cell(NamedTuple):
    """Comparisons of two players in the same two seats, by their parameters."""

    one: int
    """Player in the earlier seat."""
    other: int
    seat: int
    """Value of the earlier seat."""
    later: int


class Expected(NamedTuple):
    """Expectations of one comparison."""

    score: float
    """Expected score of the earlier seat."""
    by_gap: float
    """Slope of the logarithm of its odds by the gap of the strengths."""
    by_seat: float
    """The same by the difference of the seats' values."""


def expected(gap: float, ahead: float) -> Expected:
    """Return the expectations at a gap of strengths, with seats whose values differ by `ahead`."""
    odds = math.exp(max(-FARTHEST, min(gap, FARTHEST)))
    half, less = math.cosh(ahead), odds - 1
    root = math.sqrt(half * half * less * less + 4 * odds)
    # two forms of one root: neither subtracts nearly equal numbers
    x = (half * less + root) / 2 if less > 0 else 2 * odds / (root - half * less)
    mine = x * math.exp(ahead)
    by_gap = odds * (half * x + 1) / (x * root)
    return Expected(mine / (1 + mine), by_gap, 1 + less * math.sinh(ahead) / root)


class Likelihood:
    """The logarithm of likelihood and prior, as a function of all parameters.

    The last parameter is not free: it is the value 0 of every first seat.
    """

    def __init__(
        self, counts: Mapping[Cell, tuple[float, float]], free: int, deviation: float
    ) -> None:
        """Create it from the number of comparisons in each cell and the earlier seat's score.

        Each of the `free` parameters has a normal prior of mean 0 with this standard deviation.
        """
        self.free = free
        self.precision = deviation**-2
        self._groups: dict[tuple[int, int], list[tuple[int, int, float, float]]] = {}
        for cell, (times, score) in sorted(counts.items()):
            group = self._groups.setdefault((cell.seat, cell.later), [])
            group.append((cell.one, cell.other, times, score))

    def maximum(self) -> Vector:
        """Return the most likely point."""
        found, value = self._climb([0.0] * (self.free + 1))
        seats = {seat for seating in self._groups for seat in seating}
        if max((abs(found[seat]) for seat in seats), default=0.0) < LARGE:
            return found
        # Two or three matches a player can be explained by seats worth much, or by the opposite:
        # one maximum each.
        opposite = [-at if number in seats else at for number, at in enumerate(found)]
        other, other_value = self._climb(opposite)
        return other if other_value > value else found

    def _climb(self, point: Vector) -> tuple[Vector, float]:
        """Return the maximum above a point, found by Fisher's scoring, and its value."""
        value, slope = self.slope(point)
        for _ in range(STEPS):
            step = limited([*solve(self.factored(point), slope[: self.free]), 0.0])
            gain = dot(slope, step)
            part, size = 1.0, max(map(abs, step))
            while True:
                moved = [at + part * by for at, by in zip(point, step, strict=True)]
                now, next_slope = self.slope(moved)
                # Without the gain, steps past the maximum would go to and fro for long.
                # Rounding decreases the value slightly next to the maximum.
                if now >= value + part * gain / 4 - 1e-12 * (1 + abs(value)) or part * size < CLOSE:
                    break
                part /= 2
            point, value, slope = moved, now, next_slope
            if part * size < CLOSE:
                break
        return point, value

    def slope(self, point: Sequence[float]) -> tuple[float, Vector]:
        """Return value and slope at a point: `expected`, written out for speed."""
        value = -0.5 * self.precision * dot(point, point)
        slope = [-self.precision * at for at in point]
        exp, log, sqrt = math.exp, math.log, math.sqrt
        for (seat, later), cells in self._groups.items():
            ahead = point[seat] - point[later]
            factor_of_seat, half, tilt = exp(ahead), math.cosh(ahead), math.sinh(ahead)
            of_seats = 0.0
            for one, other, times, score in cells:
                gap = point[one] - point[other]
                odds = exp(gap if -FARTHEST < gap < FARTHEST else math.copysign(FARTHEST, gap))
                less = odds - 1
                root = sqrt(half * half * less * less + 4 * odds)
                x = (half * less + root) / 2 if less > 0 else 2 * odds / (root - half * less)
                mine = x * factor_of_seat
                value += score * log(mine) - times * log(1 + mine)
                more = score - times * mine / (1 + mine)
                by_gap = more * odds * (half * x + 1) / (x * root)
                slope[one] += by_gap
                slope[other] -= by_gap
                of_seats += more * (1 + less * tilt / root)
            slope[seat] += of_seats
            slope[later] -= of_seats
        slope[-1] = 0.0
        return value, slope

    def cells(self, point: Sequence[float]) -> Iterator[tuple[Cell, float, Expected]]:
        """Yield each cell with its number of comparisons and their expectations."""
        for (seat, later), cells in self._groups.items():
            ahead = point[seat] - point[later]
            for one, other, times, _ in cells:
                yield (
                    Cell(one, other, seat, later),
                    times,
                    expected(point[one] - point[other], ahead),
                )

    def curvature(self, point: Sequence[float]) -> Matrix:
        """Return the expected negative curvature at a point, its lower half."""
        curve = [[0.0] * row for row in range(1, self.free + 2)]
        for number in range(self.free):
            curve[number][number] = self.precision
        for cell, times, (score, by_gap, by_seat) in self.cells(point):
            weight = times * score * (1 - score)
            own, mixed = weight * by_gap * by_gap, weight * by_gap * by_seat
            seats = weight * by_seat * by_seat
            one, other, seat, later = cell
            curve[one][one] += own
            curve[other][other] += own
            curve[max(one, other)][min(one, other)] -= own
            curve[seat][seat] += seats
            curve[later][later] += seats
            curve[max(seat, later)][min(seat, later)] -= seats
            # players have lower numbers than seats
            curve[seat][one] += mixed
            curve[seat][other] -= mixed
            curve[later][one] -= mixed
            curve[later][other] += mixed
        return curve[: self.free]

    def factored(self, point: Sequence[float]) -> Matrix:
        """Return the factor of the curvature at a point."""
        return factor(self.curvature(point), self.precision)


def limited(step: Vector) -> Vector:
    """Return a step, or the part of it that changes no parameter by more than WIDEST."""
    part = WIDEST / max(WIDEST, *map(abs, step))
    return [part * by for by in step]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the scalar product of two vectors."""
    return sum(map(float.__mul__, one, other))


def factor(matrix: Matrix, least: float) -> Matrix:
    """Return Cholesky's lower triangle of a positive definite matrix given by its lower half.

    `least` is a limit of its eigenvalues, which rounding may hide in a matrix of large numbers.
    """
    lower: Matrix = []
    for number, row in enumerate(matrix):
        done: Vector = []
        for column in range(number):
            above = lower[column]
            done.append((row[column] - dot(done, above)) / above[column])
        done.append(math.sqrt(max(row[number] - dot(done, done), least)))
        lower.append(done)
    return lower


def solve(lower: Matrix, right: Sequence[float]) -> Vector:
    """Solve L L' x = right."""
    halfway: Vector = []
    for row, wanted in zip(lower, right, strict=True):
        halfway.append((wanted - dot(halfway, row)) / row[-1])
    for number in reversed(range(len(lower))):
        row = lower[number]
        halfway[number] /= row[number]
        solved = halfway[number]
        for column in range(number):
            halfway[column] -= row[column] * solved
    return halfway
