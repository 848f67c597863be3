"""CPU charged less CPU burnt, as the bot itself measures it, beside what the kernel takes alone."""

import contextlib
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from arena.event.slots.local_slots import LocalSlots
from referee.records.record import Record
from tests.bench.figures import Figure, percentile
from tests.bench.programs import PLIES, build, job

BURNS_US = {100: 40, 1_000: 40, 10_000: 100, 100_000: 250}
"""Microseconds burnt in a move, and by how many the charge may differ at the 95th percentile, with
two busy hogs."""
SAMPLES = {100: 200, 1_000: 200, 10_000: 100, 100_000: 24}


def charging(folder: Path) -> Iterator[Figure]:
    """Yield the error of the charge for moves of all lengths, without and with other work.

    `kernel alone` is the same for a process that only burns and answers, on a socket and one core:
    its write, the wake-up of the reader, and the switch. The rest of a charge is the bot's kit,
    which reads the call. After 10 ms both run with cold caches.
    """
    argv = build(folder)["burner"]
    for burn_us in BURNS_US:
        bare = _bare_errors(folder / "bare", burn_us * 1000, SAMPLES[burn_us])
        charged = _errors(argv, folder, burn_us)
        for name, errors in (("kernel alone", bare), ("CPU charged - burnt", charged)):
            label = f"{name}, {burn_us / 1000:g} ms moves"
            yield Figure(f"{label}, p50", percentile(errors, 0.5), "us")
            yield Figure(f"{label}, p95", percentile(errors, 0.95), "us")
    with _hogs(2):
        for burn_us, bound_us in BURNS_US.items():
            errors = _errors(argv, folder, burn_us)
            label = f"CPU charged - burnt, {burn_us / 1000:g} ms moves, 2 slots, 2 hogs"
            yield Figure(f"{label}, p50", percentile(errors, 0.5), "us")
            yield Figure(f"{label}, p95", percentile(errors, 0.95), "us", most=bound_us)


def _bare_errors(program: Path, burn_ns: int, moves: int) -> list[float]:
    """Return the CPU time of a process beyond what it burnt, for each answer, in microseconds."""
    ours, its = socket.socketpair()
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})  # both on one core, as a referee and its bots
    errors = []
    try:
        with subprocess.Popen([os.fspath(program), str(burn_ns)], stdin=its.fileno()) as process:
            clock = ~process.pid << 3 | 2  # CPU time of a process, as clock_getcpuclockid makes it
            seen_ns = None
            for _ in range(moves + 1):
                ours.send(bytes(32))
                select.select([ours], [], [])
                burnt_ns = int.from_bytes(ours.recv(8), sys.byteorder)
                now_ns = time.clock_gettime_ns(clock)
                if seen_ns is not None:  # the first answer has the start of the program
                    errors.append((now_ns - seen_ns - burnt_ns) / 1e3)
                seen_ns = now_ns
            process.kill()
    finally:
        os.sched_setaffinity(0, cores)
        ours.close()
        its.close()
    return errors


def _errors(argv: tuple[str, ...], folder: Path, burn_us: int) -> list[float]:
    moves = SAMPLES[burn_us]
    (folder / "burns").write_text("\n".join(map(str, ([burn_us] * moves + [0] * PLIES)[:PLIES])))
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
                made = [call for call in calls if call.call == "move"]
                errors += [
                    abs(call.charged_ns - int(call.note or 0)) / 1e3 for call in made[:moves]
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
