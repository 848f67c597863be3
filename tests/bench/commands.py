"""What a person waits for: commands that show something, and an error in a config."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from arena.results.store import Store
from tests.bench.figures import Figure, percentile

TIMES = 11
SHOWN_S, CONFIG_ERROR_S = 0.25, 0.3
WRONG = "name: x\ngame: {name: pente, half_sise: 9}\nbots: [random, greedy]\n"
COMMANDS = {
    "arena --help": (("--help",), SHOWN_S),
    "arena bots": (("bots",), SHOWN_S),
    "arena games": (("games",), SHOWN_S),
    "arena show": (("show",), SHOWN_S),
    "arena tournament until a config error": (("tournament", "wrong.yaml"), CONFIG_ERROR_S),
}


def commands(folder: Path) -> Iterator[Figure]:
    """Yield wall and CPU time of commands, beside those of Python without a module."""
    (folder / "wrong.yaml").write_text(WRONG)
    with closing(Store(folder / "arena.db", is_new_allowed=True)) as store:
        store.add_event("bench", 1, {}, {"a": "1", "b": "2"})
    floor_s, floor_cpu_s = _times(folder, ["-c", "pass"])
    for name, (arguments, most_s) in COMMANDS.items():
        wall_s, cpu_s = _times(folder, ["-m", "arena", *arguments])
        yield Figure(name, wall_s, "s", most=most_s, floor=floor_s)
        yield Figure(f"{name}: CPU", cpu_s, "s", floor=floor_cpu_s)


def _times(folder: Path, arguments: Sequence[str]) -> tuple[float, float]:
    """Return the medians of wall and CPU time in s."""
    walls, cpus = [], []
    for _ in range(TIMES):
        begun = time.monotonic()
        running = subprocess.Popen(
            [sys.executable, *arguments],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        _, code, usage = os.wait4(running.pid, 0)
        walls.append(time.monotonic() - begun)
        running.returncode = os.waitstatus_to_exitcode(code)
        cpus.append(usage.ru_utime + usage.ru_stime)
    return percentile(walls, 0.5), percentile(cpus, 0.5)
