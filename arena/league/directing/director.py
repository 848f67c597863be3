"""The director of a league: plays pairs for ever, examines hand-ins, publishes ratings.

It is the only writer of arena.db and the only queue. The two matches of a pair are recorded as
begun in one transaction before the first is played: whatever ends the director, the next one plays
what is missing of them, and nothing twice.
"""

import random
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from django.utils import timezone

from arena.event.play.interruptions import Interruptions
from arena.event.slots.contract import Slots
from arena.event.watch.watchers import Watchers
from arena.league.directing.choosing import Chooser, Chosen
from arena.league.directing.counts import counted, index_players, last_unit
from arena.league.directing.due import Due
from arena.league.directing.idle import Idle
from arena.league.directing.lost_lines import LeagueVoids
from arena.league.directing.roster import Roster
from arena.league.directing.standing import SECOND_NS
from arena.league.files import sweep_parts
from arena.league.folder import League
from arena.league.hand_ins.checks import Checks
from arena.league.ladder.lanes import Lane
from arena.league.seasons.grades import Needed
from arena.league.seasons.season import Season, begun_season, lanes_of, season_of, unrated_event
from arena.league.site.models import Bot, Challenge, Notice
from arena.league.slots.canaries import Canaries
from arena.league.slots.lending import LendingSlots
from arena.league.slots.machines import opened, workers_of
from arena.results.store import EventRow, MatchRow, Store
from arena.results.voids import VoidRow, add_void
from arena.results.workers import add_worker
from referee.job import Job
from referee.play.unplayed import unplayed
from referee.records.match_end import MatchEnd
from referee.sandbox import become_subreaper

LONGEST_WAIT_S = 0.25
REFIT_S = 10.0
FIT_PART = 0.05
"""Largest part of the director's time for fits of the ratings."""
LOOK_S = 2.0
"""Time in seconds between two looks for versions that staff has changed."""


@dataclass
class Clock:
    """When the director last did what it does now and then."""

    refit_s: float = 0.0
    """Time of the next fit."""
    look_s: float = 0.0
    is_changed: bool = field(default=True)


class LeagueDirector:
    """Runs the season of a league on this machine."""

    def __init__(
        self,
        league: League,
        store: Store,
        season: Season,
        event: EventRow,
        *,
        now_s: Callable[[], float] = time.monotonic,
        time_s: Callable[[], float] = time.time,
    ) -> None:
        """Load the season: its counts, and the matches that were begun and not finished."""
        self._league = league
        self._store = store
        self._season = season
        self._event = event
        self._unrated = unrated_event(store, season.config, event)
        self._now_s, self._time_s = now_s, time_s
        self._clock = Clock()
        self._lanes = lanes_of(season)
        self._idle = Idle(league.folder, now_s)
        index_players(store)
        anchors = {name: float(elo) for name, elo in season.config.anchor.items()}
        self._counts = counted(league.counts, store, event, anchors)
        self.standing = self._counts.standing
        self.roster = Roster(league, season)
        self.checks = Checks(league, season.seed, self._lanes.checks)
        self.pending = deque(self._unfinished())
        """Matches that are begun in the database and not running."""
        self._running: dict[str, Due] = {}
        slots = len(self._lanes.matches)
        events = (event.id, self._unrated)
        voids = [void for each in events for void in store.voids(each)]
        begun = {key: number for each in events for key, number in store.begun(each).items()}
        self._voids = LeagueVoids(voids, begun, slots, now_s)
        self._unit = 1 + max(self.standing.unit, last_unit(store, event.id, self._unrated))
        chance = random.Random(season.seed ^ self._unit)  # noqa: S311 - only who plays next
        self.chooser = Chooser(self._counts, self.roster, slots, chance)
        self.chooser.ungraded = Needed(league.site.grades, store, event.id, now_s).pairs

    def _unfinished(self) -> list[Due]:
        """Return the matches that a former director has begun."""
        parse = self._season.pairing_of
        units = set(Challenge.objects.filter(ended=None).values_list("unit", flat=True))
        rated = [Due(parse(key)) for key in sorted(self._store.begun(self._event.id))]
        others = map(parse, sorted(self._store.begun(self._unrated)))
        return rated + [
            Due(each, Lane.CHALLENGE if each.board in units else Lane.TEST) for each in others
        ]

    def run(self, interruptions: Interruptions) -> None:
        """Play until an interruption."""
        become_subreaper()
        workers = workers_of(self._league, self._season.config)
        self.roster.pack = None if workers is None else workers.pack
        self.roster.open()
        self.roster.include({name for due in self.pending for name in due.pairing.players})
        with ExitStack() as stack:
            stack.callback(self.checks.close)
            self.checks.lender = here = LendingSlots(self._lanes.matches, lambda: self.checks.pids)
            here.is_examining = self.checks.is_busy
            machines = opened(stack, here, workers, Canaries(self._canary, self._now_s))
            watchers = stack.enter_context(closing(Watchers(self._store.path, self._event.id)))
            while not interruptions.count:
                self.chooser.slots = machines.slots
                self.step(machines)
                watchers.step(machines, machines.running(), (), left=0, total=0)
                Notice.objects.bulk_create(Notice(text=each[:1000]) for each in machines.notices())
        self.save()

    def _canary(self) -> Job | None:
        """Return a match of house bots, which is never stored."""
        house = [name for name in self.roster.active if self.standing.is_house(name)][:2]
        if len(house) < 2:
            return None
        pairing, _ = self._season.pair(house[0], house[1], 0)
        return self._season.job(pairing, self.roster.players)

    def step(self, slots: Slots) -> None:
        """Keep what has ended, fill the free slots, and look after everything else."""
        ends = slots.wait(LONGEST_WAIT_S)
        is_new = self.checks.step()  # first: it may borrow a slot that has become free
        self._turn_over(ends, slots)
        now_s = self._now_s()
        if is_new or now_s >= self._clock.look_s + LOOK_S:
            self._clock.look_s = now_s
            self.roster.refresh()
            if self.standing.void_machines(self._store, self._event.id):
                self._counts.is_wanted = self._clock.is_changed = True
        if self._clock.is_changed and now_s >= self._clock.refit_s:
            self._publish()
        if self._counts.is_due:
            self.save()

    def save(self) -> None:
        """Keep the counts for the next start."""
        self.chooser.keep_in(self._counts)
        self._counts.save(self._league.counts, self._store, self._event)

    def _publish(self) -> None:
        begun_s = self._now_s()
        self.standing.publish(self.roster.ranked, timezone.now())
        ended_s = self._now_s()
        self._clock.refit_s = ended_s + max(REFIT_S, (ended_s - begun_s) / FIT_PART)
        self._clock.is_changed = False

    def _turn_over(self, ends: Sequence[MatchEnd], slots: Slots) -> None:
        """Store ends and the next matches in one transaction, and only then send them."""
        self._idle.look()
        places = [] if self._league.has_final or self._idle.is_on else slots.free()
        if not ends and not places:
            return
        with self._store.database.transaction(lambda _: True):
            for end in ends:
                self._keep(end)
            sent = [(slot, job) for slot in places if (job := self._next_job()) is not None]
        for slot, job in sent:
            slot.submit(job)

    def _next_job(self) -> Job | None:
        """Return the next match, begun in the database; None if nobody can play."""
        while (due := self._next_due()) is not None:
            job = self._begun(due)
            record = unplayed(job) if job.absences else None
            if record is None:
                return job
            self._keep(MatchEnd(job, record.finished()))
        return None

    def _next_due(self) -> Due | None:
        """Return the next match of a begun pair or of a new one."""
        if (due := self._next_pending()) is not None:
            return due
        chosen = self.chooser.next(self._begun_dues(), self._time_s())
        if chosen is None:
            return None
        self._begin_unit(chosen)
        return self._next_pending()

    def _begin_unit(self, chosen: Chosen) -> None:
        """Begin both matches of a unit."""
        for pairing in self._season.pair(*chosen.players, self._unit):
            due = Due(pairing, chosen.lane, chosen.reason)
            self._store.begin_match(self._event_of(due), pairing.key, 1)
            self.pending.append(due)
        if chosen.challenge is not None:
            Challenge.objects.filter(pk=chosen.challenge).update(unit=self._unit)
        self._unit += 1

    def _event_of(self, due: Due) -> int:
        return self._event.id if due.is_rated else self._unrated

    def _begun_dues(self) -> Iterable[Due]:
        return [*self.pending, *self._running.values()]

    def _begun(self, due: Due) -> Job:
        key = due.pairing.key
        self._store.begin_match(self._event_of(due), key, self._voids.begin(key))
        self._running[key] = due
        absences, suspicions = self._voids.absences(key), self._voids.suspicions(key)
        return self._season.job(due.pairing, self.roster.players, absences, suspicions)

    def _next_pending(self) -> Due | None:
        """Return the next begun match that can be played; drop those of players that are gone."""
        busy = Counter(name for due in self._running.values() for name in due.pairing.players)
        for due in list(self.pending):
            players = due.pairing.players
            if not set(players) <= set(self.roster.players):
                self.pending.remove(due)
                self._close_challenge(due)
            elif self.roster.is_free(players, busy) or self._voids.absences(due.pairing.key):
                self.pending.remove(due)
                return due
        return None

    def _keep(self, end: MatchEnd) -> None:
        due = self._running.pop(end.job.key)
        if end.is_returned:
            self.pending.appendleft(due)
        elif (end.is_exhausted or end.is_short) and not end.is_alone:
            if end.worker is None:  # a worker that is short plays less by itself
                self._idle.wait_for_resources(end.void or "")
            self.pending.appendleft(due)
        elif end.is_absent and not self.roster.presence.miss_start(end.job.key):
            self.pending.appendleft(due)
            self._miss(end)
        elif end.match is None:
            self._void(end, due)
            self._miss(end)
        elif all(seat.is_at_fault for seat in end.match.seats):
            self._fail_all(end, due)
        else:
            self._finish(end, due)

    def _miss(self, end: MatchEnd) -> None:
        """Have the matches of a remote bot wait whose line has ended one."""
        if end.suspect is not None:
            self.roster.presence.miss(end.job.player(end.suspect.seat).name)

    def _finish(self, end: MatchEnd, due: Due) -> None:
        assert end.match is not None  # noqa: S101 - for mypy
        self._idle.end_wait()
        self._voids.finished()
        pairing = due.pairing
        added = self._store.add_match(
            self._event_of(due),
            board=pairing.board,
            variant=pairing.variant,
            attempt=self._voids.attempt(pairing.key),
            match=end.match,
        )
        self._voids.forget(pairing.key)
        if added is None:
            return
        if end.worker is not None:
            add_worker(self._store, added.id, end.worker)
        seconds = {seat.player: seat.wall_ns / SECOND_NS for seat in added.seats}
        self.chooser.charge(due, seconds, self._begun_dues())
        if due.is_rated:
            self._count(added)
        elif due.lane is Lane.TEST:
            self._tested(added, due)
        self._close_challenge(due)

    def _count(self, match: MatchRow) -> None:
        """Count a rated match, and park those who made too many faults."""
        self.standing.add(match, self._time_s())
        self._clock.is_changed = True
        self.roster.park(match.seats, self.standing.breakers)

    def _fail_all(self, end: MatchEnd, due: Due) -> None:
        """Play a match again that counts for nobody, as every seat was at fault.

        A house bot fails on a bad machine alone. Without one the faults are the bots' own: no other
        match waits, or a few bots that fail against each other could stop the league.
        """
        names = end.job.names()
        is_own = not any(map(self.standing.is_house, names))
        if is_own:
            self._voids.finished()
        reason = "" if end.match is None else end.match.reason
        self._void(MatchEnd(end.job, void=f"every seat was at fault: {reason}"[:400]), due)
        if is_own:
            self._voids.finished()
        if is_own and due.is_rated and end.match is not None:
            self.standing.fault_all(names, self._time_s())
            self.roster.park(end.match.seats, self.standing.breakers)

    def _tested(self, match: MatchRow, due: Due) -> None:
        """Have a parked version play again after a test without a fault in both matches."""
        now_s = self._time_s()
        for seat in match.seats:
            breaker = self.standing.breakers[seat.player]
            if not breaker.is_test_due(now_s):
                continue  # a house bot, or the other match has failed
            if seat.is_at_fault:
                self._drop_rest(due)
            elif self._is_last(due):
                Bot.objects.filter(active__player=seat.player).update(parked="")
                self.roster.refresh()
            else:
                continue
            after = breaker.after_test(is_fault=seat.is_at_fault, now=now_s)
            self.standing.breakers[seat.player] = after
            self._counts.is_wanted = True

    def _is_last(self, due: Due) -> bool:
        """Whether no other match of its unit is begun."""
        return all(each.pairing.board != due.pairing.board for each in self._begun_dues())

    def _drop_rest(self, due: Due) -> None:
        """Play nothing more of a unit; what runs is kept."""
        for each in [each for each in self.pending if each.pairing.board == due.pairing.board]:
            self._store.end_begun(self._event_of(each), each.pairing.key)
            self.pending.remove(each)

    def _close_challenge(self, due: Due) -> None:
        if due.lane is Lane.CHALLENGE and self._is_last(due):
            for challenge in Challenge.objects.filter(unit=due.pairing.board, ended=None):
                challenge.end()

    def _void(self, end: MatchEnd, due: Due) -> None:
        key = due.pairing.key
        suspect = end.job.player(end.suspect.seat).name if end.suspect else None
        row = VoidRow(key, self._voids.attempt(key), end.void or "", suspect)
        add_void(self._store.database, self._event_of(due), row, end.void_record)
        sequel = self._voids.add(end)
        if self._voids.is_alarming:
            self._voids.is_alarming = False
            self._idle.begin(f"matches of different players were void: {row.reason}")
        if sequel == "given up":
            self._store.end_begun(self._event_of(due), key)
            self._voids.forget(key)
            if due.is_rated:
                self.standing.forget_half(due.pairing.board)
            self._close_challenge(due)
        else:
            self.pending.appendleft(due)


def direct(league: League) -> None:
    """Run the director of a league until an interruption; raises ArenaError."""
    from arena.event.play.locks import beginning, lock_event, lock_file

    sweep_parts(league.files)
    config = league.season()
    with (
        league.lock("director"),
        closing(league.store(is_new_allowed=True)) as store,
        lock_file(store) as descriptor,
        Interruptions() as interruptions,
    ):
        with beginning(descriptor):
            event = begun_season(store, config, {bot.name: "" for bot in config.bots})
            lock_event(store, descriptor, event.id)
        season = season_of(config, event.seed)
        LeagueDirector(league, store, season, event).run(interruptions)
