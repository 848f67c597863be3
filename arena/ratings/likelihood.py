"""Maximum likelihood of repeated choices and its expected curvature, by Fisher's scoring.

The probability of an alternative is proportional to exp of its utility. That of a single player is
a weighted sum of parameters; that of a tie depends on the others, as `Choice` says. The matrices
are small (one row per player) and mostly full, so lists are sufficient.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

Weights = tuple[tuple[int, float], ...]
"""Parameters with their weights in a sum, sorted by parameter."""
Matrix = list[list[float]]

STEPS = 200
"""Limit of iterations; about ten are usual."""
CLOSE = 1e-5
"""Step size, in units of the parameters, of the last step: the next would be far smaller."""


@dataclass(frozen=True, slots=True)
class Tie:
    """Several players as one alternative."""

    times: int
    """Number of times taken."""
    own: int
    """Parameter of all ties of this size."""
    mean: Weights
    """Mean utility of the players."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One set of alternatives: single players with the number of times taken, and ties.

    The utility of a tie is its own parameter + pool + power * (mean utility of its players - pool):
    `pool` is the log of the sum of exp(utility) of all singles, `power` the last parameter of all.
    """

    singles: tuple[tuple[int, Weights], ...]
    ties: tuple[Tie, ...]


@dataclass(frozen=True, slots=True)
class Peak:
    """Maximum of the likelihood, and the covariance of the parameters there."""

    point: list[float]
    covariance: Matrix


def maximum(choices: Sequence[Choice], prior: Sequence[tuple[float, float]]) -> Peak:
    """Return the maximum of likelihood times prior: normal, by mean and standard deviation."""
    point = [mean for mean, _ in prior]
    value, slope, curve = _expand(choices, prior, point)
    for _ in range(STEPS):
        step = _solve(_factor(curve), slope)
        size = max(map(abs, step))
        gain = sum(map(float.__mul__, slope, step))
        part = 1.0
        while True:
            moved = [at + part * by for at, by in zip(point, step, strict=True)]
            expanded = _expand(choices, prior, moved)
            # Without the gain, steps past the maximum would go to and fro for long.
            # Rounding decreases the value slightly next to the maximum.
            least = value + part * gain / 4 - 1e-12 * (1 + abs(value))
            if expanded[0] >= least or part * size < CLOSE:
                break
            part /= 2
        point = moved
        value, slope, curve = expanded
        if part * size < CLOSE:
            break
    return Peak(point, _inverse(_factor(curve)))


def _expand(
    choices: Sequence[Choice], prior: Sequence[tuple[float, float]], point: Sequence[float]
) -> tuple[float, list[float], Matrix]:
    """Return value, slope and expected negative curvature (lower half) of the logarithm."""
    away = [(at - mean) / deviation for at, (mean, deviation) in zip(point, prior, strict=True)]
    value = -0.5 * sum(each * each for each in away)
    slope = [-each / deviation for each, (_, deviation) in zip(away, prior, strict=True)]
    curve = [[0.0] * row + [1 / deviation**2] for row, (_, deviation) in enumerate(prior)]
    for choice in choices:
        value += _expand_choice(choice, point, slope, curve)
    return value, slope, curve


def _expand_choice(
    choice: Choice, point: Sequence[float], slope: list[float], curve: Matrix
) -> float:
    """Add the contribution of a choice to slope and curve, and return that to the value."""
    utilities, gradients, taken = [], [], []
    for times, weights in choice.singles:
        utilities.append(sum([by * point[at] for at, by in weights]))
        gradients.append(weights)
        taken.append(times)
    if choice.ties:
        _add_ties(choice, point, utilities, gradients, taken)
    top = max(utilities)
    shares = [math.exp(each - top) for each in utilities]
    total = sum(shares)
    scale = sum(taken) / total
    mean: dict[int, float] = {}
    for times, gradient, share in zip(taken, gradients, shares, strict=True):
        expected = share * scale
        more = times - expected
        for number, (at, by) in enumerate(gradient, start=1):
            row = curve[at]
            slope[at] += more * by
            by_expected = by * expected
            mean[at] = mean.get(at, 0.0) + by_expected
            for other, other_by in gradient[:number]:
                row[other] += by_expected * other_by
    ordered = sorted(mean.items())
    for number, (at, by) in enumerate(ordered, start=1):
        row = curve[at]
        part = by / sum(taken)
        for other, other_by in ordered[:number]:
            row[other] -= part * other_by
    return sum(map(float.__mul__, map(float, taken), utilities)) - sum(taken) * (
        top + math.log(total)
    )


def _add_ties(
    choice: Choice,
    point: Sequence[float],
    utilities: list[float],
    gradients: list[Weights],
    taken: list[int],
) -> None:
    """Add the ties of a choice to the utilities, their gradients and the times taken."""
    power_at = len(point) - 1
    power = point[power_at]
    top = max(utilities)
    shares = [math.exp(each - top) for each in utilities]
    total = sum(shares)
    pool = top + math.log(total)
    pooled: dict[int, float] = {}
    for (_, weights), share in zip(choice.singles, shares, strict=True):
        for at, by in weights:
            pooled[at] = pooled.get(at, 0.0) + by * share / total
    for tie in choice.ties:
        ahead = sum([by * point[at] for at, by in tie.mean]) - pool
        gradient = {at: (1 - power) * by for at, by in pooled.items()}
        for at, by in tie.mean:
            gradient[at] += power * by
        gradient |= {tie.own: 1.0, power_at: ahead}
        utilities.append(point[tie.own] + pool + power * ahead)
        gradients.append(tuple(sorted(gradient.items())))
        taken.append(tie.times)


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
