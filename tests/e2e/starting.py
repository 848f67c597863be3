"""Kills directors, referees and wardens at random moments of a start; finds survivors.

A director here is a process with one slot, whose referee is given a match between two bots that
never say hello. All of it descends from this process, which is a subreaper: what lives on after a
kill is a child of it, or of the director where that lives, and cannot be overlooked.
"""

import contextlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

from directing import command_of
from evidence import left_of
from forking import Fork, ForkedModule
from pydantic import TypeAdapter
from torture_damage import Damage
from waiting import PATIENCE_S

from arena.event.slots import local_slots
from referee.job import Job
from referee.sandbox import (
    TIERS,
    Tier,
    become_subreaper,
    descendants,
    live_children,
    refusal,
    remove_leftovers,
)

END_S = 60.0
"""Time after which a process that has outlived its referee is left over."""
LONGEST_S = 0.08
"""The latest moment of a kill after the start of the director: both bots have started by then."""
AIMED = 4
"""One of this many kills comes at any moment; the others come after the fork of a bot."""
LONGEST_OF_A_BOT_S = 0.012
VICTIMS = (
    *(("referee",), ("director",), ("director", "referee"), ("referee", "director")),
    *(("warden",), ("warden", "director")),
)
"""Who is killed, in this order. One of the three always remains."""
LOOK_S = 0.001
AIM_S = 10.0
"""Time to wait for a bot before a kill at any moment."""


def kill_starts(
    seconds: float = 3600, *, kills: int = sys.maxsize, end_s: float = END_S, seed: int
) -> Damage:
    """Start and kill for this time, or this often."""
    become_subreaper()
    found = Damage()
    chance = random.Random(seed)
    tiers = [tier for tier in TIERS if refusal(tier) is None]
    until_s = time.monotonic() + seconds
    with _temporary_folder() as folder:
        while time.monotonic() < until_s and found.kills.total() < kills:
            _kill_start(_job(folder, chance.choice(tiers)), chance, end_s, found)
    return found


@contextlib.contextmanager
def _temporary_folder() -> Iterator[Path]:
    """Make sandbox directories in a folder of their own."""
    with tempfile.TemporaryDirectory(prefix="starts-", dir="/tmp") as name:
        Path(name).chmod(0o711)
        before, tempfile.tempdir = tempfile.tempdir, name
        try:
            yield Path(name)
        finally:
            tempfile.tempdir = before


def _kill_start(job: Job, chance: random.Random, end_s: float, found: Damage) -> None:
    with Path(os.devnull).open("r+b", buffering=0) as nothing:
        director = Fork(lambda: _direct(job), [nothing.fileno()] * 3)
    longest_s = LONGEST_S
    if chance.randrange(AIMED):
        _wait_for_bot(director.pid)
        longest_s = LONGEST_OF_A_BOT_S
    _sleep_until(time.monotonic() + chance.uniform(0, longest_s))
    wardens = live_children(director.pid)
    referees = [pid for warden in wardens for pid in live_children(warden)][:1]
    pids = {"director": [director.pid], "warden": wardens, "referee": referees}
    whom = chance.choice(VICTIMS)
    for name in whom:
        for pid in pids[name]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    began_s = time.monotonic()
    if "director" in whom:
        director.wait()
    is_hit = all(pids[name] for name in whom)
    found.kills[" and ".join(whom)] += is_hit
    left = _left(director.pid, "director" in whom, is_hit, began_s + end_s)
    found.add_end(time.monotonic() - began_s)
    found.leftovers += len(left)
    found.unexpected += [
        f"{whom} in {job.players[0].tier}, still there: {pid} {command_of(pid)}" for pid in left
    ]
    _end(director, left)
    if "warden" in whom:
        remove_leftovers()  # as the next event does
    found.leftovers += len({*left_of(referees), *Path(job.players[0].folder).iterdir()})


def _direct(job: Job) -> None:
    """Be a director: start a referee, hand it the match and stay when it has ended."""
    vars(local_slots)["subprocess"] = SimpleNamespace(
        Popen=ForkedModule, PIPE=-1, TimeoutExpired=TimeoutError
    )
    become_subreaper()
    slot = local_slots.Slot(())
    slot.submit(job)
    with contextlib.suppress(EOFError):
        while not slot.read():
            continue
    slot.lost()
    while True:
        signal.pause()


def _job(folder: Path, tier: Tier) -> Job:
    sleeper = {"argv": ["/bin/sleep", "86399"], "folder": str(folder), "content": "-", "tier": tier}
    players = [{**sleeper, "name": name} for name in ("a", "b")]
    job = {"key": "start", "game": "pente", "players": players, "seed": 1, "board_seed": 1}
    return TypeAdapter(Job).validate_python({**job, "time": {"start_ns": 3600 * 10**9}})


def _wait_for_bot(director: int) -> None:
    """Wait until the referee has a child beside its launcher, or as long as that may take."""
    until_s = time.monotonic() + AIM_S
    while time.monotonic() < until_s:
        wardens = live_children(director)
        referees = [pid for warden in wardens for pid in live_children(warden)]
        if any(len(live_children(pid)) > 1 for pid in referees):
            return


def _left(director: int, is_killed: bool, is_hit: bool, until_s: float) -> list[int]:  # noqa: FBT001
    """Wait until nothing is left; return the survivors at the deadline."""
    if not is_hit:
        return []  # no process to kill yet
    while left := _alive(live_children(os.getpid()) if is_killed else descendants(director)):
        if time.monotonic() > until_s:
            return [pid for each in left for pid in (each, *descendants(each))]
        _reap()
        _sleep_until(time.monotonic() + LOOK_S)
    return []


def _alive(pids: Sequence[int]) -> list[int]:
    return [pid for pid in pids if _state(pid) not in ("Z", "X", "")]


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue


def _end(director: Fork, left: Sequence[int]) -> None:
    """Kill the survivors."""
    director.kill()
    director.wait()
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    until_s = time.monotonic() + PATIENCE_S
    while (left := live_children(os.getpid())) and time.monotonic() < until_s:
        _reap()
        _sleep_until(time.monotonic() + LOOK_S)
    if left:
        raise RuntimeError(f"there is no end to {[command_of(pid) for pid in left]}")


def _sleep_until(moment_s: float) -> None:
    time.sleep(max(0.0, moment_s - time.monotonic()))
