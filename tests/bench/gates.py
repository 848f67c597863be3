"""Whether sequential tests keep their word: the error rates of simulated gates."""

import math
import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Protocol

from arena.ratings.pentanomial import expected_score
from arena.ratings.sprt import EloTest, GateOutcome, ScoreTest
from tests.bench.figures import Figure

GATES = 10_000
CAP = 600
"""Number of pairs after which a gate ends undecided."""
OVER = 1.5
"""Allowed excess of an error rate in percentage points: overshoot in
small numbers, and of the simulation itself."""
DRAWS = 0.3
"""Share of draws in the simulated matches."""

Play = Callable[[random.Random], float]
"""Function that returns the lead of NEW in one pair."""


def _student(dice: random.Random) -> float:
    """Return a value of Student's distribution with 3 degrees of freedom, 10 wide."""
    squares = sum(dice.gauss(0, 1) ** 2 for _ in range(3))
    return 10 * dice.gauss(0, 1) / math.sqrt(squares / 3)


def _rare(dice: random.Random) -> float:
    """Return a loss of 50 on one board of ten, 5 more than the mean on the others."""
    return -45.0 if dice.random() < 0.1 else 5.0


NOISES: dict[str, Play] = {
    "no spread": lambda dice: dice.gauss(0, 0),
    "low spread": lambda dice: dice.gauss(0, 3),
    "even spread": lambda dice: dice.gauss(0, 5),
    "high spread": lambda dice: dice.gauss(0, 20),
    "skewed down": lambda dice: 10 * (1 - dice.expovariate(1)),
    "skewed up": lambda dice: 10 * (dice.expovariate(1) - 1),
    "heavy tails": _student,
    "log-normal": lambda dice: 5 * (dice.lognormvariate(0, 1) - math.exp(0.5)),
    "log-normal down": lambda dice: 5 * (math.exp(0.5) - dice.lognormvariate(0, 1)),
    "a rare loss": _rare,
    "a rare win": lambda dice: -_rare(dice),
    "a rare loss in noise": lambda dice: _rare(dice) + dice.gauss(0, 5),
}
"""Deviations of pairs from their mean 0, with hypotheses 5 apart."""


def gates(folder: Path) -> Iterator[Figure]:
    """Yield error rates, shares of undecided gates, and pairs needed."""
    del folder
    elo = EloTest()
    scores = ScoreTest(-5, 0)
    yield from _errors("Elo", GATES, partial(elo_gate, elo))
    for name, noise in NOISES.items():
        gate = partial(score_gate, scores, noise=noise)
        yield from _errors(f"scores, {name}", GATES, gate)


def elo_gate(test: EloTest, dice: random.Random, *, is_good: bool) -> tuple[GateOutcome, int]:
    """Return decision and pairs of a gate whose NEW is exactly as one of the hypotheses says."""
    score = expected_score(test.elo1 if is_good else test.elo0)
    weights = [1 - score - DRAWS / 2, DRAWS, score - DRAWS / 2]
    bins = [0] * 5
    for pairs in range(1, CAP + 1):
        bins[sum(dice.choices((0, 1, 2), weights, k=2))] += 1
        decision = test.decide(bins)
        if decision is not GateOutcome.OPEN:
            return decision, pairs
    return GateOutcome.OPEN, CAP


def score_gate(
    test: ScoreTest, dice: random.Random, noise: Play, *, is_good: bool
) -> tuple[GateOutcome, int]:
    """Return decision and pairs of a gate on differences around one of the hypotheses."""
    mean = test.high if is_good else test.low
    total = squares = passing = failing = 0.0
    for pairs in range(CAP):
        difference = mean + noise(dice)
        growth = test.growth(pairs, total, squares, difference)
        passing += growth.passing
        failing += growth.failing
        total += difference
        squares += difference * difference
        decision = test.decide(pairs + 1, passing, failing)
        if decision is not GateOutcome.OPEN:
            return decision, pairs + 1
    return GateOutcome.OPEN, CAP


class Gate(Protocol):
    """Plays one gate on differences of chance."""

    def __call__(self, dice: random.Random, *, is_good: bool) -> tuple[GateOutcome, int]: ...


def _errors(name: str, gates: int, gate: Gate) -> Iterator[Figure]:
    dice = random.Random(name)
    for is_good, wrong, kind, what in (
        (False, GateOutcome.PASSED, "bad", "passed"),
        (True, GateOutcome.FAILED, "good", "failed"),
    ):
        ends = [gate(dice, is_good=is_good) for _ in range(gates)]
        share = 100 * sum(decision is wrong for decision, _ in ends) / gates
        undecided = 100 * sum(decision is GateOutcome.OPEN for decision, _ in ends) / gates
        yield Figure(f"gates, {name}: {kind} ones {what}", share, "%", most=5 + OVER)
        yield Figure(f"gates, {name}: {kind} ones undecided", undecided, "%")
        yield Figure(
            f"gates, {name}: pairs for {kind} ones",
            sum(pairs for _, pairs in ends) / gates,
            "pairs",
        )
