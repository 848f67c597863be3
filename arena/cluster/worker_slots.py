"""The slots of a worker, each with a referee, and a cache of bots built here from bundles.

Each task of Dask takes a free slot, plays its matches on its referee and gives the slot back. The
referee is a child process, pinned as without a cluster; the task only waits for it.
"""

import contextlib
import queue
import select
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path

from arena.bots.prepare import PreparedBot
from arena.bots.settings import set_command
from arena.cluster.bot_cache import BotCache, Unable
from arena.cluster.orders import Batch, Cast, Delivery, MatchOrder, WorkerAnswer, dump, load
from arena.cluster.scaling import scaled
from arena.event.slots.flag import Flag
from arena.event.slots.local_slots import Slot
from arena.machine.tier_choice import best_tier
from referee.job import SECOND_NS, Job, Player
from referee.records.match_end import MatchEnd
from referee.sandbox import TIERS, remove_leftovers, sweep
from referee.seats.deadline import MAX_EXTENSION
from referee.service.pipe import end_bytes

BATCH_S = 0.5
"""Limit in seconds for beginning another match of a batch."""
MARGIN_S = 60.0
"""Seconds added to the limit of a match, for everything beside the limits of bots."""


def longest_s(job: Job) -> float:
    """Return the limit in s of a match, above all of its calls: only a hung one exceeds it.

    All calls of a seat draw on its wall bank, which a busy machine extends, as it does the start.
    """
    if job.runner is not None:
        return job.runner.wall_ns / SECOND_NS + MARGIN_S
    times = map(job.time_of, job.seats())
    all_ns = (1 + MAX_EXTENSION) * sum(time.start_ns + time.wall_allowed_ns for time in times)
    return all_ns / SECOND_NS + MARGIN_S


_found_tier = cache(best_tier)
"""Returns the best tier of this machine: a probe takes as long as some matches."""


class WorkerSlots:
    """The slots and bots of one worker process."""

    def __init__(self, cores: Sequence[tuple[int, ...]], cache: Path, speed: float) -> None:
        """Start a referee for each set of cores; raises MachineError."""
        self._speed = speed
        remove_leftovers()
        self._kept = BotCache(cache)
        self._free: queue.SimpleQueue[Slot] = queue.SimpleQueue()
        self._slots: dict[Slot, tuple[int, ...]] = {}
        self._playing: dict[str, Slot] = {}
        self._stopped: set[str] = set()
        self._lock = threading.Lock()
        self._is_closed = False
        self._audience = Flag()
        self._asked_s = 0.0
        """Time of the last question for reports, on a monotonic clock."""
        self._has_kept_bots = False
        self._played_s = 0.0
        """Time of the end of the last match, on a monotonic clock."""
        # a referee ends with the thread that has started it, so one thread starts them all
        self._starter = ThreadPoolExecutor(1, "arena-starter")
        for own in cores:
            self._free.put(self._starter.submit(self._start, own).result())

    def play(self, key: str, text: bytes) -> bytes:
        """Play the matches of a batch; return their ends, or a `WorkerAnswer`.

        An answer is a line that begins with "!". Before the ends, which are those of the referee,
        unread, stands a line with the time of all matches in seconds.
        """
        orders = load(Batch, text).orders
        try:
            jobs = [self._ready(order) for order in orders]
        except Unable as error:
            return b"!" + dump(error.answer)
        slot = self._free.get()
        with self._lock:
            self._playing[key] = slot
            is_stopped = key in self._stopped
        began_s = time.monotonic()
        try:
            if is_stopped:
                ends = [end_bytes(MatchEnd(job, is_returned=True)) for job in jobs]
            else:
                ends = self._play_batch(slot, jobs)
        finally:
            self._has_kept_bots |= any(job.restart == "never" for job in jobs)
            self._played_s = time.monotonic()
            self._give_back(key, slot)
        return b"%.6f\n" % (self._played_s - began_s) + b"".join(ends)

    def deliver(self, text: bytes, data: bytes) -> bytes:
        """Build the bot of a bundle; return a `WorkerAnswer` with the reason of a failure."""
        delivery = load(Delivery, text)
        try:
            self._kept.build(delivery, data)
        except Unable as error:
            return dump(error.answer)
        return dump(WorkerAnswer())

    def stop(self, key: str) -> None:
        """End the match of a task with no waiting director."""
        with self._lock:
            self._stopped.add(key)
            if (slot := self._playing.get(key)) is not None:
                slot.end()

    def reports(self, audience: int) -> list[bytes]:
        """Return the new reports of the running matches to an audience; 0 is nobody."""
        self._asked_s = time.monotonic()
        self._audience.set(audience)
        with self._lock:
            slots = list(self._slots)
        return [report for slot in slots for report in slot.reports()]

    def end_idle(self, idle_s: float) -> None:
        """End the bots kept for a next match if none has been played for so long.

        Nothing is reported any more if nobody has asked for so long. The director of their event
        may be gone without a word.
        """
        if time.monotonic() > self._asked_s + idle_s:
            self._audience.set(0)
        if not self._has_kept_bots or time.monotonic() < self._played_s + idle_s:
            return
        self._has_kept_bots = False
        for _ in range(self._free.qsize()):
            with contextlib.suppress(queue.Empty):
                slot = self._free.get_nowait()
                self._free.put(self._starter.submit(self._replace, slot).result())

    def close(self) -> None:
        """End all referees and remove their leftovers."""
        with self._lock:
            self._is_closed = True
            slots = list(self._slots)
            for slot in slots:
                slot.end()
        for slot in slots:
            with contextlib.suppress(ValueError, OSError):
                slot.wait()
        self._starter.shutdown()
        self._audience.close()
        sweep(set())
        remove_leftovers()

    def _ready(self, order: MatchOrder) -> Job:
        """Return the job with the bots as they are here; raises Unable."""
        casts = [cast for cast in order.casts if cast]
        is_closed = TIERS[_found_tier(order.job.transport).tier].hides_files
        open_ones = {cast.bundle for cast in casts if cast.isolation == "none" or not is_closed}
        bundles = sorted({cast.bundle for cast in casts})
        kept = self._kept
        if missing := [each for each in bundles if not kept.has(each, is_open=each in open_ones)]:
            raise Unable(WorkerAnswer(missing=tuple(missing)))
        job = scaled(order.job, self._speed) if order.is_scaled else order.job
        here = tuple(
            player if cast is None else self._player(player, cast, order)
            for player, cast in zip(job.programs(), order.casts, strict=True)
        )
        # Written as JSON once more for the referee: folders, tiers and times are this machine's.
        if job.runner is None:
            return replace(job, players=here)
        return replace(job, players=here[:-1], runner=replace(job.runner, player=here[-1]))

    def _player(self, player: Player, cast: Cast, order: MatchOrder) -> Player:
        bot: PreparedBot = self._kept.bots[cast.bundle]
        tier = "none"
        if cast.isolation != "none":
            found = _found_tier(order.job.transport)
            tier = found.tier
            if cast.isolation == "require" and (not found.is_best or found.uncounted):
                why = found.explanation() or found.shortage()
                reason = f"isolation is required, and refused there: {why}"
                raise Unable(WorkerAnswer(unable={cast.bundle: reason}))
        scratch = self._kept.scratch_folder(order.event, player.name) if cast.is_lasting else None
        here = bot.player(player.name, cast.args)
        return replace(
            here,
            argv=set_command(here.argv, dict(player.settings)),
            settings=player.settings,
            source=player.source,
            content=player.content,
            tier=tier,
            scratch=scratch,
            installations=player.installations,
            processes=player.processes,
            time=player.time,
        )

    def _play_batch(self, slot: Slot, jobs: Sequence[Job]) -> list[bytes]:
        """Play matches on a slot, begin none after `BATCH_S`, and return their ends in order.

        After a fault or a void match it is the referee that returns the others.
        """
        for job in jobs:
            slot.submit(job)
        until_s = time.monotonic() + BATCH_S
        ends: list[bytes] = []
        while slot.jobs:
            ends += self._next(slot, until_s)
        return ends

    def _next(self, slot: Slot, until_s: float) -> list[bytes]:
        """Return the next ends of a slot; end its referee if none arrives in time."""
        limit_s = longest_s(slot.jobs[0])
        rest_s = until_s - time.monotonic()
        if rest_s <= 0 or not _wait_for_output(slot, min(rest_s, limit_s)):
            slot.take_back()
        if not _wait_for_output(slot, limit_s):
            lost = slot.lost(f"the match has not ended within its limit of {limit_s:.0f} s")
            return [end_bytes(end) for end in lost]
        return slot.unread()

    def _give_back(self, key: str, slot: Slot) -> None:
        """Make the slot free again, with a new referee if its own has ended."""
        with self._lock:
            del self._playing[key]
            is_stopped = key in self._stopped
            self._stopped.discard(key)
        if is_stopped or slot.has_ended:
            slot = self._starter.submit(self._replace, slot).result()
        self._free.put(slot)

    def _start(self, cores: tuple[int, ...]) -> Slot:
        slot = Slot(cores, audience=self._audience.descriptor)
        with self._lock:
            self._slots[slot] = cores
            if self._is_closed:
                slot.end()
        return slot

    def _replace(self, slot: Slot) -> Slot:
        slot.lost()
        with self._lock:
            cores = self._slots.pop(slot)
            alive = {other.pid for other in self._slots}
        if not self._kept.is_building():
            sweep(alive)
        remove_leftovers()
        return self._start(cores)


def _wait_for_output(slot: Slot, wait_s: float) -> bool:
    return bool(select.select([slot.fileno()], [], [], wait_s)[0])
