"""Whether sequential tests keep their word: the error rates of simulated gates."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

from arena.ratings.sprt import Decision, EloTest, ScoreTest, expected_score
from tests.bench.figures import Figure

GATES = 10_000
CAP = 600
"""Pairs after which a gate gives up undecided."""
OVER = 1.5
"""Percentage points by which an error rate may exceed what was asked for: chance of overshoot in
small numbers, and of the simulation itself."""
DRAWS = 0.3
"""Share of draws in the simulated matches."""

Play = Callable[[random.Random], float]
"""Returns what NEW is ahead in one pair."""


def gates(folder: Path) -> Iterator[Figure]:
    """Yield error rates, shares of undecided gates, and pairs needed."""
    del folder
    elo = EloTest()
    scores = ScoreTest(-5, 0)
    yield from _errors("Elo", GATES, lambda dice, is_good: elo_gate(elo, dice, is_good=is_good))
    for name, deviation in (("low", 3.0), ("even", 5.0), ("high", 20.0)):
        yield from _errors(
            f"scores, {name} spread",
            GATES,
            lambda dice, is_good, deviation=deviation: score_gate(
                scores, dice, lambda by: by.gauss(0, deviation), is_good=is_good
            ),
        )
    yield from _errors(
        "scores, skewed",
        GATES,
        lambda dice, is_good: score_gate(
            scores, dice, lambda by: 10 * (1 - by.expovariate(1)), is_good=is_good
        ),
    )


def elo_gate(test: EloTest, dice: random.Random, *, is_good: bool) -> tuple[Decision, int]:
    """Return decision and pairs of a gate whose NEW is exactly as one of the hypotheses says."""
    score = expected_score(test.elo1 if is_good else test.elo0)
    weights = [1 - score - DRAWS / 2, DRAWS, score - DRAWS / 2]
    bins = [0] * 5
    for pairs in range(1, CAP + 1):
        bins[sum(dice.choices((0, 1, 2), weights, k=2))] += 1
        decision = test.decide(bins)
        if decision is not Decision.UNDECIDED:
            return decision, pairs
    return Decision.UNDECIDED, CAP


def score_gate(
    test: ScoreTest, dice: random.Random, noise: Play, *, is_good: bool
) -> tuple[Decision, int]:
    """Return decision and pairs of a gate on differences around one of the hypotheses."""
    mean = test.high if is_good else test.low
    total = squares = 0.0
    for pairs in range(1, CAP + 1):
        difference = mean + noise(dice)
        total += difference
        squares += difference * difference
        decision = test.decide(pairs, total, squares)
        if decision is not Decision.UNDECIDED:
            return decision, pairs
    return Decision.UNDECIDED, CAP


def _errors(
    name: str, gates: int, gate: Callable[[random.Random, bool], tuple[Decision, int]]
) -> Iterator[Figure]:
    dice = random.Random(name)
    for is_good, wrong, kind, what in (
        (False, Decision.PASSED, "bad", "passed"),
        (True, Decision.FAILED, "good", "failed"),
    ):
        ends = [gate(dice, is_good) for _ in range(gates)]
        share = 100 * sum(decision is wrong for decision, _ in ends) / gates
        undecided = 100 * sum(decision is Decision.UNDECIDED for decision, _ in ends) / gates
        yield Figure(f"gates, {name}: {kind} ones {what}", share, "%", most=5 + OVER)
        yield Figure(f"gates, {name}: {kind} ones undecided", undecided, "%")
        yield Figure(
            f"gates, {name}: pairs for {kind} ones",
            sum(pairs for _, pairs in ends) / gates,
            "pairs",
        )
