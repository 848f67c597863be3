"""CPU charged less CPU burnt, as the bot itself measures it, with two slots and two busy hogs."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from arena.event.local_slots import LocalSlots
from referee.record import Record
from tests.bench.figures import Figure, percentile
from tests.bench.programs import PLIES, build, job

BURNS_US = {1_000: 40, 10_000: 100, 100_000: 250}
"""Microseconds burnt in a move, and by how many the charge may differ at the 95th percentile."""
SAMPLES = {1_000: 200, 10_000: 100, 100_000: 24}


def charging(folder: Path) -> Iterator[Figure]:
    """Yield the error of the charge for short, middle and long moves."""
    argv = build(folder)["burner"]
    with _hogs(2):
        for burn_us, bound_us in BURNS_US.items():
            burns = ([burn_us] * SAMPLES[burn_us] + [0] * PLIES)[:PLIES]
            (folder / "burns").write_text("\n".join(map(str, burns)))
            errors = _errors(argv, folder, SAMPLES[burn_us])
            label = f"CPU charged - burnt, {burn_us / 1000:g} ms moves, 2 slots, 2 hogs"
            yield Figure(f"{label}, p50", percentile(errors, 0.5), "us")
            yield Figure(f"{label}, p95", percentile(errors, 0.95), "us", most=bound_us)


def _errors(argv: tuple[str, ...], folder: Path, plies: int) -> list[float]:
    slots = LocalSlots([(0,), (1,)])
    errors: list[float] = []
    try:
        for slot in slots.free():
            slot.submit(job(argv, folder, "burn", "match"))
        left = 2
        while left:
            for result in slots.wait(1.0):
                left -= 1
                if result.match is None:
                    raise RuntimeError(result.void)
                calls = Record.from_bytes(result.match.body).calls
                moves = [call for call in calls if call.call == "move"]
                errors += [
                    abs(call.charged_ns - int(call.note or 0)) / 1e3 for call in moves[:plies]
                ]
    finally:
        slots.close()
    return errors


@contextlib.contextmanager
def _hogs(count: int) -> Iterator[None]:
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
