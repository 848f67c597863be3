"""Speed of a machine: a short reference load on all slots at once.

All slots are busy during the measurement, as they are in an event: cores with a common clock or
cache are slower together than alone. The load is like that of game programs, branches and look-ups
on small integers, in the same version of the interpreter on every worker.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from arena.errors import MachineError
from referee.sandbox import end_with_parent

SLICES = 5
SLICE_S = 0.05
"""CPU seconds of a slice of the load; the fastest slice of each slot counts, against noise."""
STEPS = 20_000
REFERENCE = 600.0
"""Rounds per second of CPU time of a machine with speed 1: a server core of 2023."""
_WAIT_S = 60


def measure_speed(cores: Sequence[tuple[int, ...]]) -> float:
    """Return the speed of the slowest slot with all slots busy; raises MachineError."""
    command = [sys.executable, "-P", "-m", "arena.cluster.speed"]
    loads = [
        subprocess.Popen([*command, ",".join(map(str, own))], stdout=subprocess.PIPE)
        for own in cores
    ]
    try:
        said = [load.communicate(timeout=_WAIT_S)[0] for load in loads]
        return min(float(line) for line in said) / REFERENCE
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise MachineError(f"the speed of this machine cannot be measured: {error}") from None
    finally:
        for load in loads:
            load.kill()
            load.wait()


def rounds_per_second() -> float:
    """Return the rounds of the load per second of CPU time."""
    return max(_slice() for _ in range(SLICES))


def _slice() -> float:
    rounds, began_s = 0, time.process_time()
    while (spent_s := time.process_time() - began_s) < SLICE_S:
        _round()
        rounds += 1
    return rounds / spent_s


def _round() -> int:
    board = [0] * 64
    place = 1
    for step in range(STEPS):
        place = (place * 37 + step) & 63
        if board[place] < 3:
            board[place] += 1
        else:
            board[place ^ 1] = 0
    return sum(board)


if __name__ == "__main__":
    end_with_parent(signal.SIGKILL)
    wanted = {int(core) for core in sys.argv[1].split(",") if core}
    os.sched_setaffinity(0, wanted or os.sched_getaffinity(0))
    with contextlib.suppress(BrokenPipeError):
        os.write(1, str(rounds_per_second()).encode())
