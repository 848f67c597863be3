"""What the rules cost: microseconds a move applied, and the counts with their time and memory."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from referee.catalog import game_class, game_names
from tests.bench.figures import Figure, percentile

PLAYOUTS, PLIES = 20, 300
_COUNT = """
import resource, sys
from arena.cli import main
sys.argv = ["arena", "count", "damspel", *sys.argv[1:]]
try:
    main()
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, file=sys.stderr)
"""
COUNTS = (
    ("5x4 r=2", ("--rows=5", "--cols=4", "--men-rows=2"), 5),
    ("5x5 r=1", ("--rows=5", "--cols=5", "--men-rows=1"), 5),
    ("6x6 r=1", ("--rows=6", "--cols=6", "--men-rows=1"), 60),
    ("10x10 r=4 to depth 5", ("--depth=5",), 60),
)


def rules(folder: Path) -> Iterator[Figure]:
    """Yield the median cost of a move of each game, and the counts of Damspel."""
    del folder
    for name in game_names():
        yield Figure(f"{name}: a move applied, median", _apply_us(name), "us")
    for label, arguments, most in COUNTS:
        seconds, megabytes = _count(arguments)
        yield Figure(f"count damspel {label}: time", seconds, "s", most=most)
        yield Figure(f"count damspel {label}: memory", megabytes, "MB", most=2048)


def _apply_us(name: str) -> float:
    game = game_class(name)()
    chance = random.Random(1)
    times = []
    for number in range(PLAYOUTS):
        state = game.start(min(game.seats), number)
        for _ in range(PLIES):
            moves = list(game.legal(state))
            if not moves:
                break
            move = chance.choice(moves)
            begun = time.perf_counter_ns()
            state = game.apply(state, move)
            times.append(time.perf_counter_ns() - begun)
    return percentile(times, 0.5) / 1e3


def _count(arguments: tuple[str, ...]) -> tuple[float, float]:
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _COUNT, *arguments], capture_output=True, check=True, text=True
    )
    return time.monotonic() - begun, float(done.stderr.split()[-1])
