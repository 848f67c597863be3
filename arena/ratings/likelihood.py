"""Maximum likelihood of repeated choices and its curvature, by Newton's method.

A choice is a multinomial logit: the probability of an alternative is proportional to exp of the
weighted sum of its parameters. The matrices are small (one row per player) and mostly full, so
lists are sufficient.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Alternative = tuple[int, tuple[tuple[int, float], ...]]
"""Number of times taken, and parameters with their weights, sorted by parameter."""
Matrix = list[list[float]]

STEPS = 200
"""Limit of iterations; Newton's method takes about eight."""
CLOSE = 1e-5
"""Step size, in units of the parameters, of the last step: Newton's next is about its square."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One set of alternatives with `times` choices."""

    times: int
    alternatives: tuple[Alternative, ...]


@dataclass(frozen=True, slots=True)
class Peak:
    """Maximum of the likelihood, and the covariance of the parameters there."""

    point: list[float]
    covariance: Matrix


def maximum(choices: Sequence[Choice], *, parameters: int, deviation: float) -> Peak:
    """Return the maximum of likelihood times prior: normal, mean 0, this standard deviation."""
    precision = 1 / deviation**2
    taken = _taken(choices, parameters)
    point = [0.0] * parameters
    value, slope, curve = _expand(choices, taken, point, precision)
    for _ in range(STEPS):
        step = _solve(_factor(curve), slope)
        size = max(map(abs, step))
        part = 1.0
        while True:
            moved = [at + part * by for at, by in zip(point, step, strict=True)]
            expanded = _expand(choices, taken, moved, precision)
            # Rounding decreases the value slightly next to the maximum.
            if expanded[0] >= value - 1e-9 * (1 + abs(value)) or part * size < CLOSE:
                break
            part /= 2
        point = moved
        value, slope, curve = expanded
        if part * size < CLOSE:
            break
    return Peak(point, _inverse(_factor(curve)))


def _taken(choices: Sequence[Choice], parameters: int) -> list[float]:
    """Return the sum of the weights of each parameter in all alternatives taken."""
    taken = [0.0] * parameters
    for choice in choices:
        for times, features in choice.alternatives:
            for at, by in features if times else ():
                taken[at] += times * by
    return taken


def _expand(
    choices: Sequence[Choice], taken: Sequence[float], point: Sequence[float], precision: float
) -> tuple[float, list[float], Matrix]:
    """Return value, slope and negative curvature (lower half) of the logarithm at a point."""
    value = sum(map(float.__mul__, taken, point)) - 0.5 * precision * sum(at * at for at in point)
    slope = [by - precision * at for by, at in zip(taken, point, strict=True)]
    curve = [[0.0] * (row + 1) for row in range(len(point))]
    for row in range(len(point)):
        curve[row][row] = precision
    for choice in choices:
        value -= _expand_choice(choice, point, slope, curve)
    return value, slope, curve


def _expand_choice(
    choice: Choice, point: Sequence[float], slope: list[float], curve: Matrix
) -> float:
    """Add the contribution of a choice to slope and curve, and return its part of the value.

    What depends on the alternatives taken is a multiple of the point, and not included.
    """
    sums = []
    for _, features in choice.alternatives:
        total = 0.0
        for at, by in features:
            total += point[at] * by
        sums.append(total)
    top = max(sums)
    weights = [math.exp(each - top) for each in sums]
    total = sum(weights)
    scale = choice.times / total
    mean: dict[int, float] = {}
    for (_, features), weight in zip(choice.alternatives, weights, strict=True):
        expected = weight * scale
        for number, (at, by) in enumerate(features, start=1):
            row = curve[at]
            by_expected = by * expected
            mean[at] = mean.get(at, 0.0) + by_expected
            for other, other_by in features[:number]:
                row[other] += by_expected * other_by
    ordered = sorted(mean.items())
    for number, (at, by) in enumerate(ordered, start=1):
        slope[at] -= by
        row = curve[at]
        part = by / choice.times
        for other, other_by in ordered[:number]:
            row[other] -= part * other_by
    return choice.times * (top + math.log(total))


def _factor(matrix: Matrix) -> Matrix:
    """Return Cholesky's lower triangle of a positive definite matrix given by its lower half."""
    lower: Matrix = []
    for number, row in enumerate(matrix):
        done: list[float] = []
        for column in range(number):
            above = lower[column]
            dot = sum(map(float.__mul__, done, above))
            done.append((row[column] - dot) / above[column])
        done.append(math.sqrt(row[number] - sum(each * each for each in done)))
        lower.append(done)
    return lower


def _solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """Solve L L' x = right."""
    size = len(lower)
    halfway: list[float] = []
    for row, wanted in zip(lower, right, strict=True):
        halfway.append((wanted - sum(map(float.__mul__, halfway, row))) / row[-1])
    for number in reversed(range(size)):
        row = lower[number]
        halfway[number] /= row[number]
        solved = halfway[number]
        for column in range(number):
            halfway[column] -= row[column] * solved
    return halfway


def _inverse(lower: Matrix) -> Matrix:
    """Return the full inverse of L L'."""
    size = len(lower)
    return [_solve(lower, [float(row == at) for row in range(size)]) for at in range(size)]
