"""What the director costs: its memory over many matches."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.programs import build

MATCHES = 10_000
SHORT_PLIES = 4


def director(folder: Path) -> Iterator[Figure]:
    """Yield the director's memory after 1,000 and all matches, and its speed."""
    build(folder)
    (folder / "bot.yaml").write_text("name: scripted\nrun: [./scripted, moves]\n")
    (folder / "many.yaml").write_text(
        f"name: many\ngame: {{name: pente}}\n"
        f"bots: [{{name: a, bot: ./bot.yaml}}, {{name: b, bot: ./bot.yaml}}]\n"
        f"repeat: {MATCHES}\nmax_plies: {SHORT_PLIES}\nrestart: never\nseed: 1\n"
    )
    command = [sys.executable, "-m", "arena", "tournament", "many.yaml"]
    running = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    begun = time.monotonic()
    assert running.stderr is not None
    sizes = [
        _resident_mb(running.pid)
        for line in running.stderr
        if line.startswith("[") and int(line[1:].partition("/")[0]) % 1000 == 0
    ]
    spent = time.monotonic() - begun
    if running.wait():
        raise RuntimeError("the event of the bench did not end well")
    yield Figure(f"director: memory after {MATCHES:,} matches", sizes[-1], "MB", most=60)
    yield Figure(
        "director: growth from match 1,000 to the last", sizes[-1] - sizes[0], "MB", most=3
    )
    yield Figure(f"director: matches/s over {MATCHES:,}, 4 plies each", MATCHES / spent, "/s")


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("the kernel does not tell the memory of a process")
