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
CLOSE = 1e-9
"""Step size, in units of the parameters, below which the search ends."""


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
    point = [0.0] * parameters
    value, slope, curve = _expand(choices, point, precision)
    for _ in range(STEPS):
        step = _solve(_factor(curve), slope)
        size = max(map(abs, step))
        part = 1.0
        while True:
            moved = [at + part * by for at, by in zip(point, step, strict=True)]
            expanded = _expand(choices, moved, precision)
            # Rounding decreases the value slightly next to the maximum.
            if expanded[0] >= value - 1e-9 * (1 + abs(value)) or part * size < CLOSE:
                break
            part /= 2
        point = moved
        value, slope, curve = expanded
        if part * size < CLOSE:
            break
    return Peak(point, _inverse(_factor(curve)))


def _expand(
    choices: Sequence[Choice], point: Sequence[float], precision: float
) -> tuple[float, list[float], Matrix]:
    """Return value, slope and negative curvature (lower half) of the logarithm at a point."""
    value = -0.5 * precision * sum(at * at for at in point)
    slope = [-precision * at for at in point]
    curve = [[0.0] * (row + 1) for row in range(len(point))]
    for row in range(len(point)):
        curve[row][row] = precision
    for choice in choices:
        value += _expand_choice(choice, point, slope, curve)
    return value, slope, curve


def _expand_choice(
    choice: Choice, point: Sequence[float], slope: list[float], curve: Matrix
) -> float:
    """Add the contribution of a choice to slope and curve, and return that to the value."""
    sums = [sum(point[at] * by for at, by in features) for _, features in choice.alternatives]
    top = max(sums)
    weights = [math.exp(each - top) for each in sums]
    total = sum(weights)
    log_total = top + math.log(total)
    scale = choice.times / total
    value = 0.0
    mean: dict[int, float] = {}
    for (taken, features), each, weight in zip(choice.alternatives, sums, weights, strict=True):
        if taken:
            value += taken * (each - log_total)
        expected = weight * scale
        missed = taken - expected
        for number, (at, by) in enumerate(features):
            slope[at] += missed * by
            row = curve[at]
            by_expected = by * expected
            mean[at] = mean.get(at, 0.0) + by_expected
            for other, other_by in features[: number + 1]:
                row[other] += by_expected * other_by
    ordered = sorted(mean.items())
    for number, (at, by) in enumerate(ordered):
        row = curve[at]
        part = by / choice.times
        for other, other_by in ordered[: number + 1]:
            row[other] -= part * other_by
    return value


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
