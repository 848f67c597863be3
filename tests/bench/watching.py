"""Charges of calls with and without a watcher, in matches that take turns."""

import time
from collections.abc import Iterator
from pathlib import Path

from arena.event.slots.contract import Slots
from arena.event.slots.local_slots import LocalSlots
from referee.records.record import Record
from tests.bench.figures import Figure, percentile
from tests.bench.programs import PLIES, build, job

PAIRS = 40
"""Number of matches with a watcher, and of those without."""
LOOK_S = 0.02
"""Time between two looks of the watcher."""


def watching(folder: Path) -> Iterator[Figure]:
    """Yield CPU charged and wall time a call with and without a watcher, and a watcher's cost."""
    argv = build(folder)["c"]
    slots = LocalSlots([()])
    cpu_us: dict[bool, list[float]] = {False: [], True: []}
    wall_us: dict[bool, list[float]] = {False: [], True: []}
    ply_us: dict[bool, list[float]] = {False: [], True: []}
    try:
        for match in range(2 * PAIRS):
            is_watched = bool(match % 2)
            record, took_us = _played(slots, argv, folder, match, is_watched=is_watched)
            moves = [call for call in record.calls if call.call == "move"]
            cpu_us[is_watched] += [call.charged_ns / 1e3 for call in moves]
            wall_us[is_watched] += [call.wall_ns / 1e3 for call in moves]
            ply_us[is_watched].append(took_us / PLIES)
    finally:
        slots.close()
    for name, values in (("CPU charged", cpu_us), ("wall", wall_us)):
        alone, watched = (percentile(values[each], 0.5) for each in (False, True))
        yield Figure(f"{name} a call, nobody watches, p50", alone, "us")
        yield Figure(f"{name} a call, watched, p50", watched, "us")
        bound = max(1.0, 0.05 * alone)
        yield Figure(f"{name} a call, watched - alone", watched - alone, "us", most=bound)
    alone, watched = (percentile(ply_us[each], 0.5) for each in (False, True))
    yield Figure("a match / plies, watched - alone, p50", watched - alone, "us")


def _played(
    slots: Slots, argv: tuple[str, ...], folder: Path, number: int, *, is_watched: bool
) -> tuple[Record, float]:
    """Return a match and its time in µs; a watcher reads its reports as they come."""
    slots.report_to(number % 255 + 1 if is_watched else 0)
    begun_ns = time.monotonic_ns()
    slots.free()[0].submit(job(argv, folder, f"match {number}"))
    reported = 0
    while True:
        results = slots.wait(LOOK_S)
        reported += len(slots.reports())
        if results:
            break
    took_us = (time.monotonic_ns() - begun_ns) / 1e3
    (result,) = results
    if result.match is None:
        raise RuntimeError(result.void)
    if bool(reported) != is_watched:
        raise RuntimeError(f"{reported} reports while watched: {is_watched}")
    return Record.from_bytes(result.match.body), took_us
