"""Start and memory of the compiled bridges, which do not depend on the load of the machine."""

import os
import select
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from protocol.link import Link, Listener
from tests.bench.figures import Figure
from tests.bench.programs import build

STARTS = 25
TITLES = {"uci": "UCI", "gomocup": "Gomocup"}
"""Titles of the bridges by the names of their programs."""
LIMIT_S = 60
"""Limit of one start, of which only a hang needs a part."""


def bridges(folder: Path) -> Iterator[Figure]:
    """Yield medians of the CPU time from exec to the hello, without the engine, and of memory."""
    commands = build(folder)
    for name, title in TITLES.items():
        starts = [_start(commands[name], folder) for _ in range(STARTS)]
        cpu_ms, size_mb = (statistics.median(values) for values in zip(*starts, strict=True))
        yield Figure(f"bridge of {title}: start until its hello, CPU", cpu_ms, "ms", most=5)
        yield Figure(f"bridge of {title}: memory at its hello", size_mb, "MB", most=4)


def _start(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Start a bridge with its engine, and return its CPU time in ms and its memory in MB."""
    with closing(Listener("t", folder / "s")) as listener:
        env = {"ARENA_ENDPOINT": listener.endpoint, "ARENA_TOKEN": "t", "PATH": os.environ["PATH"]}
        with subprocess.Popen(command, cwd=folder, env=env) as bridge:
            try:
                with closing(_greeted(listener)):  # the bridge waits for a call until it is killed
                    cpu_ns = _cpu_ns(bridge.pid)
                    size = _memory_bytes(bridge.pid)
                    bridge.kill()
                return cpu_ns / 1e6, size / 1e6
            finally:
                bridge.kill()


def _greeted(listener: Listener) -> Link:
    """Return the connection to the bridge once it has said hello."""
    until_s = time.monotonic() + LIMIT_S
    while (left_s := until_s - time.monotonic()) > 0:
        ready, _, _ = select.select(listener.descriptors(), [], [], left_s)
        for descriptor in ready:
            if (opened := listener.on_readable(descriptor)) is not None:
                return opened[0]
    raise RuntimeError(f"no hello within {LIMIT_S} s")


def _cpu_ns(pid: int) -> int:
    """Return the CPU time of a process with a single thread."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])


def _memory_bytes(pid: int) -> int:
    """Return the memory of a process, with its share of what it has in common with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    kib = next(line.split()[1] for line in lines if line.startswith("Pss:"))
    return int(kib) * 1024
