"""How much is played in a second: plies on one and two slots, matches with new processes."""

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from arena.event.slots import LocalSlots
from referee.job import Job, Limits
from tests.bench.figures import Figure
from tests.bench.programs import build, job

SECONDS = 3.0


def throughput(folder: Path) -> Iterator[Figure]:
    """Yield plies and matches per second, each on one slot and on two."""
    commands = build(folder)
    starter = _starter(folder)
    for name, argv in (("scripted C bots", commands["c"]), ("C starters", starter)):
        one = _rate([job(argv, folder, "1")], plies=True)
        two = _rate([job(argv, folder, "1")] * 2, plies=True)
        yield Figure(f"plies/s, {name}, 1 slot", one, "/s")
        yield Figure(f"plies/s, {name}, 2 slots", two, "/s")
        yield Figure(f"plies/s, {name}, 2 slots / 1 slot", two / one, "x", least=1.8)
    for language in ("c", "python"):
        short = replace(
            job(commands[language], folder, "1", "match"), max_plies=20, limits=Limits()
        )
        yield Figure(f"matches/s, restart: match, {language}, 1 slot", _rate([short]), "/s")
        yield Figure(f"matches/s, restart: match, {language}, 2 slots", _rate([short] * 2), "/s")


def _starter(folder: Path) -> tuple[str, ...]:
    root = Path(__file__).parent.parent.parent
    shutil.copy(root / "bots/starter/c/main.c", folder / "starter.c")
    command = ["cc", "-O2", "-o", "starter", "starter.c", "arena_bot.c"]
    subprocess.run(command, cwd=folder, check=True)
    return ("./starter",)


def _rate(jobs: Sequence[Job], *, plies: bool = False) -> float:
    """Return what is played per second when each slot plays its job again and again."""
    slots = LocalSlots([(core,) for core in range(len(jobs))])
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
            for slot in slots.free():
                slot.submit(jobs[0])
        return played / (time.monotonic() - begun)
    finally:
        slots.close()
