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
from typing import Any

from directing import Directing, command_of, run
from evidence import is_explained
from tortured import Chamber, Wanted
from waiting import PATIENCE_S

from referee.sandbox.proctree import live_children

END_S = 10.0
"""Survival time allowed to workers and their bots after a kill of the director."""
LONGEST_S = 4.0
WORKERS = 2
TARGETS = ("a worker", "a worker", "the scheduler", "a referee", "a referee", "a director")
CLUSTER = ("--cluster", f"local:{WORKERS}")


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
        while not self._referees_of(director) and time.monotonic() < until_s:
            with contextlib.suppress(TimeoutError):
                director.wait_until(time.monotonic() + 0.1)
                return

    def _kill(self, director: Directing, target: str) -> None:
        role = target.rsplit(maxsplit=1)[-1]
        found = self._referees_of(director) if role == "referee" else self._children(director, role)
        if found:
            self.damage.kills[target] += 1
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._random.choice(found), signal.SIGKILL)

    def _children(self, director: Any, role: str) -> list[int]:
        return [
            pid
            for pid in live_children(director.pid)
            if f"arena.cluster.child {director.pid} {role}" in command_of(pid)
        ]

    def _referees_of(self, director: Any) -> list[int]:
        wardens = [
            warden
            for worker in self._children(director, "worker")
            for warden in live_children(worker)
            if "-m referee" in command_of(warden)
        ]
        return [pid for warden in wardens for pid in live_children(warden)]


def torture_cluster(folder: Path, *, seconds: float, seed: int) -> Clustered:
    """Torture in a folder until the time is up; return the chamber."""
    wanted = Wanted.played(folder)
    chamber = Clustered(folder, wanted, seed)
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        chamber.play_event(until_s, 10**6)
    return chamber
