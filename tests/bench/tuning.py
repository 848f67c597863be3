"""What a search by SPSA finds with its default gains: tunings of a known optimum."""

import random
from collections.abc import Iterator
from pathlib import Path

from arena.config.tune import ParameterSection, TuneSection
from arena.ratings.pentanomial import expected_score
from arena.tune.optimum import optimum_of
from arena.tune.spsa import Course, Gains, parameters_of
from tests.bench.figures import Figure

SEARCHES = 40
LOSSES = (0, 25, 50, 125)
"""Elo lost by a value a quarter of the range beside the best one."""
ITERATIONS = (100, 300, 1000)
BEST = 60.0
"""Best value, in a range from 0 to 100."""
STARTS = (35.0, 20.0)
"""Start values of two parameters."""
LEAST = 93.0
"""Percentage of intervals that contain the best value: 95 without the noise of the simulation."""


def tuning(folder: Path) -> Iterator[Figure]:
    """Yield what is lost beside the best values, and how often an interval is known and right."""
    del folder
    for loss in LOSSES:
        for iterations in ITERATIONS:
            name = f"tuning, {loss} Elo, {iterations} iterations"
            lost = known = right = 0.0
            for seed in range(SEARCHES):
                search = simulated(seed, iterations, loss)
                for place, each in enumerate(search.parameters):
                    lost += elo_lost(search.tuned()[place], loss)
                    best = optimum_of(search.played, place, each.low, each.high)
                    known += best is not None
                    right += best is None or best.low <= BEST <= best.high
            count = SEARCHES * len(STARTS)
            yield Figure(f"{name}: lost a parameter", lost / count, "Elo")
            yield Figure(f"{name}: best value known", 100 * known / count, "%")
            yield Figure(
                f"{name}: best value in its interval", 100 * right / count, "%", least=LEAST
            )


def elo_lost(value: float, loss: float) -> float:
    """Return the Elo that a value loses, by a parabola."""
    return loss * ((value - BEST) / 25) ** 2


def simulated(seed: int, iterations: int, loss: float) -> Course:
    """Return a search whose matches are won by chance, none of them drawn."""
    section = TuneSection(
        iterations=iterations,
        parameters={
            f"p{place}": ParameterSection(start=start, min=0.0, max=100.0)
            for place, start in enumerate(STARTS)
        },
    ).completed()
    gains = Gains(
        iterations=iterations,
        stability=section.A or 0.0,
        alpha=section.alpha,
        gamma=section.gamma,
    )
    search = Course(parameters_of(section), gains, 1, seed)
    dice = random.Random(seed)
    while not search.is_ended:
        (probe,) = search.probes()
        ahead = sum(
            elo_lost(minus, loss) - elo_lost(plus, loss)
            for plus, minus in zip(probe.plus, probe.minus, strict=True)
        )
        won = sum(dice.random() < expected_score(ahead) for _ in range(2))
        search.advance([2.0 * won - 2])
    return search
