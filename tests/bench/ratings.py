"""How long ratings take, with and without their intervals."""

import math
import random
import time
from collections.abc import Iterator
from pathlib import Path

from arena.ratings.rating import rate
from referee.records.result import SeatRow
from tests.bench.figures import Figure


def ratings(folder: Path) -> Iterator[Figure]:
    """Yield the time to rate matches, a fifth of them drawn, and to find all intervals."""
    del folder
    for bots, number, most in ((60, 10_000, 5), (100, 100_000, 20)):
        matches = _matches(bots, number)
        begun = time.process_time()
        rated = rate(matches)
        name = f"ratings: {number:,} matches of {bots} bots"
        yield Figure(name, time.process_time() - begun, "s", most=most / 2)
        assert len(rated.players) == bots
        yield Figure(f"{name}, intervals", time.process_time() - begun, "s", most=most)


def _matches(bots: int, number: int) -> list[tuple[SeatRow, ...]]:
    dice = random.Random(1)
    strengths = {f"bot{number:03}": dice.gauss(0, 1.5) for number in range(bots)}
    rows = {
        (bot, place): SeatRow(bot, 0, place, "0", None, 0, 0, 0, 0)
        for bot in strengths
        for place in (1, 2)
    }
    matches: list[tuple[SeatRow, ...]] = []
    for _ in range(number):
        one, other = dice.sample(sorted(strengths), 2)
        ahead = strengths[one] - strengths[other]
        weights = [math.exp(ahead / 2), math.exp(-ahead / 2), 0.5]
        places = dice.choices(((1, 2), (2, 1), (1, 1)), weights)[0]
        matches.append((rows[one, places[0]], rows[other, places[1]]))
    return matches
