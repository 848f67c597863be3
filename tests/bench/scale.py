"""How the cost of an event grows with its matches."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.programs import build

SIZES = (1_000, 10_000, 100_000)
BOARDS = 10
SHORT_PLIES = 4
AGAIN_S, AGAIN_MB = 3.0, 150.0
"""Bounds of a second run of a finished event of the largest size."""
READERS = {
    "show": ("show", "1"),
    "rate": ("rate", "1"),
    "export": ("export", "1", "--format", "csv"),
}


def scale(folder: Path) -> Iterator[Figure]:
    """Yield speed, memory, disk space and reading times of events of short matches."""
    (folder / "bot").mkdir()
    build(folder / "bot")
    (folder / "bot/bot.yaml").write_text("name: scripted\nrun: [./scripted, moves]\n")
    for matches in SIZES:
        yield from _event(folder, matches)


def _event(folder: Path, matches: int) -> Iterator[Figure]:
    for old in folder.glob("arena.db*"):
        old.unlink()
    (folder / "many.yaml").write_text(
        "name: many\ngame: {name: pente}\n"
        "bots: [{name: a, bot: ./bot}, {name: b, bot: ./bot}]\n"
        f"boards: {BOARDS}\nrepeat: {matches // BOARDS}\nmax_plies: {SHORT_PLIES}\n"
        "restart: never\nseed: 1\nisolation: none\n"
    )
    name = f"{matches:,} matches"
    seconds, megabytes = _timed(folder, "tournament", "many.yaml")
    yield Figure(f"{name}: matches/s, {SHORT_PLIES} plies each", matches / seconds, "/s")
    yield Figure(f"{name}: memory of the largest process", megabytes, "MB")
    disk = sum(path.stat().st_size for path in folder.glob("arena.db*"))
    yield Figure(f"{name}: bytes on disk a match", disk / matches, "B")
    seconds, megabytes = _timed(folder, "tournament", "many.yaml")
    is_largest = matches == SIZES[-1]
    yield Figure(f"{name}: run again", seconds, "s", most=AGAIN_S if is_largest else None)
    yield Figure(f"{name}: memory", megabytes, "MB", most=AGAIN_MB if is_largest else None)
    for command, arguments in READERS.items():
        yield Figure(f"{name}: {command}", _timed(folder, *arguments)[0], "s")


def _timed(folder: Path, *arguments: str) -> tuple[float, float]:
    """Run a command; return its seconds and the memory of its largest process in MB."""
    script = (
        "import resource, subprocess, sys\n"
        "done = subprocess.run([sys.executable, '-m', 'arena', *sys.argv[1:]],"
        " stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)\n"
        "sys.exit(done.returncode)"
    )
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return time.monotonic() - begun, float(done.stdout)
