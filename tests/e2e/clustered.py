"""Events on a local cluster, with workers, the scheduler, directors and referees killed at random.

As in `tortured.py`, the same event is played again and again, and its table and its matches must be
those of the event that was played undisturbed on this machine.
"""

import contextlib
import os
import random
import signal
import time
from pathlib import Path

from directing import Directing, Running, command_of, run
from evidence import is_explained
from tortured import Chamber, Wanted
from waiting import PATIENCE_S

from referee.sandbox import live_children

END_S = 10.0
"""Survival time allowed to workers and their bots after a kill of the director."""
LONGEST_S = 4.0
WORKERS = 2
TARGETS = ("a worker", "a worker", "the scheduler", "a referee", "a referee", "a director")
CLUSTER = ("--cluster", f"local:{WORKERS}")


def children_of(director: Running, role: str) -> list[int]:
    """Return the workers or the scheduler of a local cluster."""
    return [
        pid
        for pid in live_children(director.pid)
        if f"arena.cluster.child {director.pid} {role}" in command_of(pid)
    ]


def referees_on_workers(director: Running) -> list[int]:
    """Return the referees of all workers; other processes may be bots being started."""
    wardens = [
        warden
        for worker in children_of(director, "worker")
        for warden in live_children(worker)
        if "-m referee" in command_of(warden)
    ]
    return [pid for warden in wardens for pid in live_children(warden)]


class Clustered(Chamber):
    """An event on a local cluster."""

    def __init__(self, folder: Path, wanted: Wanted, seed: int) -> None:
        super().__init__(folder, wanted, END_S, seed, is_forking=False)
        self._random = random.Random(seed)

    def _undisturbed(self) -> str:
        code, out, lines = run(self._folder, "--db", self._db.name, *CLUSTER)
        if code:
            self.damage.unexpected.append(f"exit code {code} undisturbed: {lines[-10:]}")
        self._look(lines)
        return out

    def _disturbed(self) -> int:
        """Run the command and kill until a director is killed or the event is complete."""
        with Directing(self._folder, "--db", self._db.name, "--no-preflight", *CLUSTER) as director:
            if self._random.randrange(8):
                self._wait_for_workers(director)
            while self._is_running(director, LONGEST_S):
                target = self._random.choice(TARGETS)
                if target == "a director":
                    self._kill_director(director, and_referees=False)
                    break
                self._kill(director, target)
            code, _ = director.end()
            lines = director.lines
        if code not in (-signal.SIGKILL, 0) and not is_explained(code, lines):
            self.damage.unexpected.append(f"exit code {code}: {lines[-3:]}")
        self._look(lines)
        return code

    def _wait_for_workers(self, director: Directing) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while not referees_on_workers(director) and time.monotonic() < until_s:
            with contextlib.suppress(TimeoutError):
                director.wait_until(time.monotonic() + 0.1)
                return

    def _kill(self, director: Directing, target: str) -> None:
        role = target.rsplit(maxsplit=1)[-1]
        found = referees_on_workers(director) if role == "referee" else children_of(director, role)
        if found:
            self.damage.kills[target] += 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._random.choice(found), signal.SIGKILL)


def torture_cluster(folder: Path, *, seconds: float, seed: int) -> Clustered:
    """Torture in a folder until the time is up; return the chamber."""
    wanted = Wanted.played(folder)
    chamber = Clustered(folder, wanted, seed)
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        chamber.play_event(until_s, 10**6)
    return chamber
