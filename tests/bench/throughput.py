"""How much is played in a second: plies on one and two slots."""

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.event.slots.local_slots import LocalSlots
from referee.job import Job
from tests.bench.figures import Figure
from tests.bench.programs import build, job

SECONDS = 3.0


def throughput(folder: Path) -> Iterator[Figure]:
    """Yield plies per second on one slot and on two."""
    commands = build(folder)
    starter = _starter(folder)
    for name, argv in (("scripted C bots", commands["c"]), ("C starters", starter)):
        one = rate([job(argv, folder, "1")], plies=True)
        two = rate([job(argv, folder, "1")] * 2, plies=True)
        yield Figure(f"plies/s, {name}, 1 slot", one, "/s")
        yield Figure(f"plies/s, {name}, 2 slots", two, "/s")
        yield Figure(f"plies/s, {name}, 2 slots / 1 slot", two / one, "x", least=1.8)


def _starter(folder: Path) -> tuple[str, ...]:
    root = Path(__file__).parent.parent.parent
    shutil.copy(root / "bots/starter/c/main.c", folder / "starter.c")
    command = ["cc", "-O2", "-o", "starter", "starter.c", "arena_bot.c"]
    subprocess.run(command, cwd=folder, check=True)
    return ("./starter",)


def rate(jobs: Sequence[Job], *, plies: bool = False) -> float:
    """Return what is played per second when each slot plays its job again and again."""
    cores = [(core,) for core in range(len(jobs))]
    slots = LocalSlots(cores)
    played = 0
    try:
        for slot, task in zip(slots.free(), jobs, strict=True):
            slot.submit(task)
        warm = len(jobs)
        begun = time.monotonic()
        while (now := time.monotonic()) < begun + SECONDS or warm:
            for result in slots.wait(0.1):
                if result.match is None:
                    raise RuntimeError(result.void)
                if warm:
                    warm -= 1
                    begun = now
                else:
                    played += result.match.plies if plies else 1
            for slot in (*slots.free(), *slots.ahead()):
                slot.submit(jobs[0])
        return played / (time.monotonic() - begun)
    finally:
        slots.close()
