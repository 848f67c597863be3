"""The director of a league: plays pairs for ever, examines hand-ins, publishes ratings.

It is the only writer of arena.db and the only queue. The two matches of a pair are recorded as
begun in one transaction before the first is played: whatever ends the director, the next one plays
what is missing of them, and nothing twice.
"""

import random
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from django.utils import timezone

from arena.errors import HostError
from arena.event.play.interruptions import Interruptions
from arena.event.play.pause import Pause
from arena.event.play.voids import Voids
from arena.event.slots.contract import Slots
from arena.event.slots.local_slots import LocalSlots
from arena.league.checks import Checks
from arena.league.files import require_room, sweep_parts
from arena.league.folder import League
from arena.league.ladder.breaker import FAULTS, WINDOW
from arena.league.ladder.field import Version
from arena.league.ladder.meetings import Ladder, Meeting
from arena.league.roster import Roster
from arena.league.season import PAIR, Season, begun_season, lanes_of, season_of
from arena.league.site.models import Bot, Notice
from arena.league.standing import SECOND_NS, Standing
from arena.results.store import Store
from arena.results.voids import VoidRow, add_void
from arena.schedule.pairing import Pairing
from referee.job import Job
from referee.play.unplayed import unplayed
from referee.records.match_end import MatchEnd
from referee.sandbox import become_subreaper

LONGEST_WAIT_S = 0.25
REFIT_S = 10.0
LOOK_S = 2.0
"""Time in seconds between two looks for versions that staff has changed."""
ALARM_S = 60.0
"""Pause in seconds after two different matches in a row were void without a suspect."""


@dataclass
class Clock:
    """When the director last did what it does now and then."""

    refit_s: float = 0.0
    look_s: float = 0.0
    quiet_until_s: float = 0.0
    is_changed: bool = field(default=True)


class LeagueDirector:
    """Runs the season of a league on this machine."""

    def __init__(
        self,
        league: League,
        store: Store,
        season: Season,
        event: int,
        *,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Load the season: its results, and the matches that were begun and not finished."""
        self._league = league
        self._store = store
        self._season = season
        self._event = event
        self._now_s = now_s
        self._clock = Clock()
        self._lanes = lanes_of(season.config)
        self._pause = Pause(now_s)
        self._voids = Voids(store.voids(event), store.begun(event), len(self._lanes.matches))
        self.standing = Standing({n: float(elo) for n, elo in season.config.anchor.items()})
        for match in store.matches(event):
            self.standing.add(match)
        self._ladder = Ladder(seats=PAIR)
        self.roster = Roster(league, season)
        self.checks = Checks(league, season.seed, self._lanes.checks)
        begun = [season.pairing_of(key) for key in sorted(store.begun(event))]
        self.pending = deque(begun)
        """Matches that are begun in the database and not running."""
        self._running: dict[str, Pairing] = {}
        self._unit = next_unit(store, event, begun)
        self._chance = random.Random(season.seed ^ self._unit)  # noqa: S311 - only who plays next

    def run(self, interruptions: Interruptions) -> None:
        """Play until an interruption."""
        become_subreaper()
        self.roster.open()
        self.roster.include({name for pairing in self.pending for name in pairing.players})
        slots = LocalSlots(self._lanes.matches, self._spared)
        with closing(self.checks), closing(slots):
            while not interruptions.count:
                self.step(slots)

    def step(self, slots: Slots) -> None:
        """Keep what has ended, fill the free slots, and look after everything else."""
        self._turn_over(slots.wait(LONGEST_WAIT_S), slots)
        now_s = self._now_s()
        is_new = self.checks.step()
        if is_new or now_s >= self._clock.look_s + LOOK_S:
            self._clock.look_s = now_s
            self.roster.refresh()
        if self._clock.is_changed and now_s >= self._clock.refit_s + REFIT_S:
            self.standing.publish(self.roster.active, timezone.now())
            self._clock.refit_s, self._clock.is_changed = self._now_s(), False

    def _spared(self) -> set[int]:
        return set() if self.checks.pid is None else {self.checks.pid}

    def _turn_over(self, ends: Sequence[MatchEnd], slots: Slots) -> None:
        """Store ends and the next matches in one transaction, and only then send them."""
        places = [] if self._is_quiet() else slots.free()
        if not ends and not places:
            return
        with self._store.database.transaction(lambda _: True):
            for end in ends:
                self._keep(end)
            sent = [(slot, job) for slot in places if (job := self._next_job()) is not None]
        for slot, job in sent:
            slot.submit(job)

    def _is_quiet(self) -> bool:
        """Whether no match may begin now."""
        if self._pause.is_on() or self._now_s() < self._clock.quiet_until_s:
            return True
        try:
            require_room(self._league.folder)
        except HostError as error:
            self._be_quiet(str(error))
            return True
        return False

    def _be_quiet(self, why: str) -> None:
        self._clock.quiet_until_s = self._now_s() + ALARM_S
        Notice.objects.create(text=f"no match begins for {ALARM_S:g} s: {why}"[:1000])

    def _next_job(self) -> Job | None:
        """Return the next match, begun in the database; None if nobody can play."""
        while (pairing := self._next_pairing()) is not None:
            job = self._begun(pairing)
            record = unplayed(job) if job.absences else None
            if record is None:
                return job
            self._keep(MatchEnd(job, record.finished()))
        return None

    def _next_pairing(self) -> Pairing | None:
        """Return the next match of a begun pair or of a new one."""
        if not self._drop_unplayable():
            if (pair := self._next_pair()) is None:
                return None
            for pairing in self._season.pair(*pair, self._unit):
                self._store.begin_match(self._event, pairing.key, 1)
                self.pending.append(pairing)
            self._unit += 1
        return self.pending.popleft()

    def _begun(self, pairing: Pairing) -> Job:
        self._store.begin_match(self._event, pairing.key, self._voids.begin(pairing.key))
        self._running[pairing.key] = pairing
        absences = self._voids.absences(pairing.key)
        suspicions = self._voids.suspicions(pairing.key)
        return self._season.job(pairing, self.roster.players, absences, suspicions)

    def _drop_unplayable(self) -> bool:
        """Drop matches of players that are gone; return whether others wait."""
        while self.pending and not set(self.pending[0].players) <= set(self.roster.players):
            self.pending.popleft()
        return bool(self.pending)

    def _next_pair(self) -> tuple[str, str] | None:
        """Return the players of a new pair, as the ladder chooses them."""
        meeting = self._ladder.next_meeting(
            self._field(), slots=len(self._lanes.matches), dice=self._chance
        )
        if meeting is None:
            return None
        one, other = meeting.seats
        return one, other

    def _field(self) -> list[Version]:
        """Return the versions for new pairs, with the number of their running ones."""
        units = {pairing.board: pairing.players for pairing in self.pending}
        units |= {pairing.board: pairing.players for pairing in self._running.values()}
        busy = Counter(name for players in units.values() for name in players)
        return self.standing.field(self.roster.active, busy)

    def _keep(self, end: MatchEnd) -> None:
        pairing = self._running.pop(end.job.key)
        if end.is_returned:
            self.pending.appendleft(pairing)
        elif end.is_exhausted or end.is_short:
            self._pause.begin(end.void or "")
            self.pending.appendleft(pairing)
        elif end.match is None:
            self._void(end, pairing)
        elif all(seat.is_at_fault for seat in end.match.seats):
            why = f"every seat was at fault: {end.match.reason}"
            self._void(MatchEnd(end.job, void=why[:400]), pairing)
        else:
            self._finish(end, pairing)

    def _finish(self, end: MatchEnd, pairing: Pairing) -> None:
        assert end.match is not None  # noqa: S101 - for mypy
        self._pause.end()
        self._voids.finished()
        attempt = self._voids.attempt(pairing.key)
        added = self._store.add_match(
            self._event,
            board=pairing.board,
            variant=pairing.variant,
            attempt=attempt,
            match=end.match,
        )
        self._voids.forget(pairing.key)
        if added is None:
            return
        self.standing.add(added, self._now_s())
        self._clock.is_changed = True
        seconds = {seat.player: seat.wall_ns / SECOND_NS for seat in added.seats}
        self._ladder.charge(self._field(), Meeting(pairing.players), seconds)
        for seat in added.seats:
            if seat.is_at_fault and self.standing.breakers[seat.player].is_parked:
                self._park(seat.player, f"{FAULTS} faults in {WINDOW} matches; {seat.fault}")

    def _park(self, player: str, why: str) -> None:
        """Have a version play no more; the next hand-in of its bot takes its place."""
        Bot.objects.filter(active__player=player, parked="").update(parked=why)
        self.roster.refresh()

    def _void(self, end: MatchEnd, pairing: Pairing) -> None:
        key = pairing.key
        suspect = end.job.player(end.suspect.seat).name if end.suspect else None
        row = VoidRow(key, self._voids.attempt(key), end.void or "", suspect)
        add_void(self._store.database, self._event, row, end.void_record)
        sequel = self._voids.add(end)
        if self._voids.is_alarming:
            self._voids.is_alarming = False
            self._be_quiet(f"matches of different players were void: {row.reason}")
        if sequel == "given up":
            self._store.end_begun(self._event, key)
            self.standing.forget_half(pairing.board)
            self._voids.forget(key)
        else:
            self.pending.appendleft(pairing)


def next_unit(store: Store, event: int, begun: Sequence[Pairing]) -> int:
    """Return the first unit that no match has had."""
    row = store.database.row("SELECT max(board) FROM match WHERE event = ?", (event,))
    last = -1 if row is None or row[0] is None else int(row[0])
    voids = (int(void.key.split("/")[1][1:]) for void in store.voids(event))
    return 1 + max((last, *(pairing.board for pairing in begun), *voids))


def direct(league: League) -> None:
    """Run the director of a league until an interruption; raises ArenaError."""
    from arena.event.play.locks import beginning, lock_event, lock_file

    sweep_parts(league.files)
    config = league.season()
    with (
        league.lock("director"),
        closing(Store(league.arena_db, is_new_allowed=True)) as store,
        lock_file(store) as descriptor,
        Interruptions() as interruptions,
    ):
        with beginning(descriptor):
            event = begun_season(store, config, {bot.name: "" for bot in config.bots})
            lock_event(store, descriptor, event.id)
        season = season_of(config, event.seed)
        LeagueDirector(league, store, season, event.id).run(interruptions)
