"""How long ratings take."""

import math
import random
import time
from collections.abc import Iterator
from pathlib import Path

from arena.ratings.rating import rate
from referee.result import SeatRow
from tests.bench.figures import Figure

BOTS = 100
MATCHES = 100_000


def ratings(folder: Path) -> Iterator[Figure]:
    """Yield the time to rate 100,000 matches of 100 bots, a fifth of them drawn."""
    del folder
    dice = random.Random(1)
    strengths = {f"bot{number:03}": dice.gauss(0, 1.5) for number in range(BOTS)}
    rows = {
        (bot, place): SeatRow(bot, 0, place, "0", None, 0, 0, 0, 0)
        for bot in strengths
        for place in (1, 2)
    }
    matches = []
    for _ in range(MATCHES):
        one, other = dice.sample(sorted(strengths), 2)
        ahead = strengths[one] - strengths[other]
        weights = [math.exp(ahead / 2), math.exp(-ahead / 2), 0.5]
        places = dice.choices(((1, 2), (2, 1), (1, 1)), weights)[0]
        matches.append((rows[one, places[0]], rows[other, places[1]]))
    begun = time.monotonic()
    rate(matches)
    yield Figure(
        f"ratings: {MATCHES:,} matches of {BOTS} bots", time.monotonic() - begun, "s", most=5
    )
