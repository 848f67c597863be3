"""The machines of a league: its own slots, and those of workers while there are some.

Both matches of a pair are played on one machine, so that no bot has the better machine in one of
them. Each machine first plays a canary (`arena.league.slots.canaries`).
"""

import time
from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from arena.cluster.dask_settings import check_extra
from arena.config.cluster import parse_address
from arena.config.event import Config
from arena.errors import UsageError
from arena.event.slots.contract import MatchQueue, Place, Slots
from arena.league.folder import League
from arena.league.slots.canaries import HERE, Canaries, is_canary
from referee.job import Job
from referee.records.match_end import MatchEnd

if TYPE_CHECKING:  # a league without workers needs no package of theirs
    from arena.cluster.members import Member
    from arena.league.slots.workers import SlotsOfWorkers, Workers

_SLICE_S = 0.02
"""Wait in seconds for the workers while matches are running here."""
MOST_PAIRS = 10_000
"""Limit of the pairs whose machine is remembered."""


class Machines:
    """Slots on all machines; a canary counts as a match of its machine."""

    def __init__(self, here: Slots, there: "SlotsOfWorkers | None", canaries: Canaries) -> None:
        self._here, self._there = here, there
        self._own = len(here.free())
        self._canaries = canaries
        self._waiting: deque[Job] = deque()
        """Matches that wait for a slot of this machine."""
        self._is_here: dict[str, bool] = {}
        """Whether the first match of a pair is played here, by the pair's part of the key."""
        self._notices: list[str] = []

    def free(self) -> Sequence[Place]:
        """Return the places for matches to begin at once."""
        self._place()
        self._look_at_workers()
        own = len(self._here.free()) - len(self._waiting) if self._canaries.is_good(HERE) else 0
        there = 0 if self._there is None else len(self._there.free())
        return [self] * (max(0, own) + there)

    @property
    def slots(self) -> int:
        """Number of matches played at a time."""
        there = {} if self._there is None else self._there.members()
        return self._own + sum(member.slots for member in there.values())

    def ahead(self) -> Sequence[Place]:
        """Return no places: a league chooses each pair when a slot is free."""
        return []

    def queues(self) -> Sequence[MatchQueue]:
        """Return no queues."""
        return []

    def submit(self, job: Job) -> None:
        """Play a match, the second one of a pair on the machine of the first."""
        pair = job.key.partition("/")[2]
        is_here = self._is_here.pop(pair, None)
        if any(player.is_remote for player in job.players):
            is_here = True  # remote bots come to the door of this machine
        if is_here is None:
            is_here = self._is_free_here()
            self._is_here[pair] = is_here
            if len(self._is_here) > MOST_PAIRS:
                del self._is_here[next(iter(self._is_here))]
        if is_here or self._there is None or job.key in self._there.unplayable:
            self._waiting.append(job)
            self._place()
        else:
            self._there.submit(job)

    def running(self) -> Sequence[Job]:
        """Return the running matches."""
        there = [] if self._there is None else self._there.running()
        return [job for job in (*self._here.running(), *there) if not is_canary(job)]

    def wait(self, seconds: float) -> list[MatchEnd]:
        """Return the ends that are known, after waiting at most `seconds` for the first."""
        self._send_canaries()
        until_s = time.monotonic() + seconds
        while True:
            ends = self._ends(max(0.0, until_s - time.monotonic()))
            self._place()
            found = self._without_canaries(ends)
            if found or time.monotonic() >= until_s:
                return found

    def report_to(self, audience: int) -> None:
        """Have the running matches reported to a new audience."""
        self._here.report_to(audience)
        if self._there is not None:
            self._there.report_to(audience)

    def reports(self) -> list[bytes]:
        """Return the reports of running matches that have arrived."""
        there = [] if self._there is None else self._there.reports()
        return [*self._here.reports(), *there]

    def notices(self) -> list[str]:
        """Return the news of the machines since the last call."""
        notices, self._notices = self._notices, []
        return notices + ([] if self._there is None else self._there.notices())

    def close(self) -> None:
        """End all matches."""
        self._waiting.clear()
        self._here.close()
        if self._there is not None:
            self._there.close()

    def _is_free_here(self) -> bool:
        is_good = self._canaries.is_good(HERE)
        return is_good and len(self._here.free()) > len(self._waiting)

    def _ends(self, seconds: float) -> list[MatchEnd]:
        if self._there is None or not self._there.members():
            there = [] if self._there is None else self._there.wait(0)
            return there or self._here.wait(seconds)
        slice_s = min(_SLICE_S, seconds) if self._here.running() else seconds
        return [*self._here.wait(0), *self._there.wait(slice_s)]

    def _without_canaries(self, ends: Sequence[MatchEnd]) -> list[MatchEnd]:
        """Take in the ends of canaries, and return all others."""
        for end in ends:
            if is_canary(end.job) and (notice := self._canaries.end(end)):
                self._notices.append(notice)
        return [end for end in ends if not is_canary(end.job)]

    def _send_canaries(self) -> None:
        self._look_at_workers()
        if not self._waiting and self._here.free() and (job := self._canaries.due(HERE)):
            self._waiting.append(job)
            self._place()
        for name, member in self._workers().items():
            if self._there is not None and (job := self._canaries.due(name)):
                self._there.give(job, member)

    def _look_at_workers(self) -> None:
        """Take in new workers, and give matches to those with a good canary alone."""
        workers = self._workers()
        self._canaries.keep({HERE, *workers})
        for name, member in workers.items():
            member.is_shut = not self._canaries.is_good(name)

    def _workers(self) -> "dict[str, Member]":
        members = {} if self._there is None else self._there.members()
        return {f"worker {one.name} at {address}": one for address, one in members.items()}

    def _place(self) -> None:
        """Begin waiting matches on the free slots of this machine."""
        for place in self._here.free() if self._waiting else ():
            if self._waiting:
                place.submit(self._waiting.popleft())


def require_workers(league: League) -> None:
    """Raise UsageError for an address of workers at which this league can have none."""
    if league.site.workers is None:
        return
    check_extra()
    address = parse_address(league.site.workers)
    if league.worker_keys is None and not address.is_loopback():
        raise UsageError(
            f"workers in league.yaml: {address} can be reached from other machines, and this league"
            f" has no keys; run: arena cluster keys {league.worker_keys_folder.parent} league"
            " MACHINE..."
        )


def workers_of(league: League, config: Config) -> "Workers | None":
    """Return the workers of a league that has an address for them; raises UsageError."""
    if league.site.workers is None:
        return None
    check_extra()
    from arena.league.slots.workers import Workers

    return Workers(parse_address(league.site.workers), league.worker_keys, config)


def opened(
    stack: ExitStack, here: Slots, workers: "Workers | None", canaries: Canaries
) -> Machines:
    """Return the slots of all machines, which the stack closes."""
    there = None
    if workers is not None:
        from arena.league.slots.workers import SlotsOfWorkers

        stack.callback(workers.close)
        there = SlotsOfWorkers(workers)
    machines = Machines(here, there, canaries)
    stack.callback(machines.close)
    return machines
