"""What is found after a kill: matches, leftovers, processes, explanations."""

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from referee.sandbox.controllers import own_group
from referee.sandbox.locked import take_lock


def matches_in(db: sqlite3.Connection) -> set[tuple[str, ...]]:
    """Return what does not depend on times of all matches."""
    return set(db.execute("SELECT key, termination, reason, plies FROM match"))


def left_of(pids: Iterable[int]) -> list[Path]:
    """Return the directories and groups of these processes that are unlocked but not removed.

    What is held is that of a process in a container, which may have the same pid.
    """
    homes = [Path(tempfile.gettempdir()), own_group()]
    found = [path for home in homes if home for pid in pids for path in home.glob(f"arena-{pid}-*")]
    return [path for path in found if is_abandoned(path)]


def is_abandoned(path: Path) -> bool:
    """Whether the lock of a folder is free."""
    lock = take_lock(path)
    if lock is not None:
        os.close(lock)
    return lock is not None


def state_of(pid: int) -> str:
    """Return how a process is, as the kernel tells it."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        waits = Path(f"/proc/{pid}/wchan").read_text()
    except OSError:
        return "gone by now"
    told = [line.replace("\t", " ") for line in lines if line.startswith(("Name", "State", "PPid"))]
    return ", ".join([*told, f"waits in {waits}"])


def is_explained(code: int, lines: Sequence[str]) -> bool:
    """Whether the message explains the exit code: a process of the event was killed."""
    if code == 2:
        return any("its builder was ended by SIGKILL" in line for line in lines)
    killed = ("halted", "undecided", "which is no bot's fault", "the scheduler ")
    return code == 5 and any(words in lines[-1] for words in killed)


def written(log: Path) -> object:
    try:
        found = log.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
