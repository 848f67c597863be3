"""The director: plays the missing matches of an event, stores their results, and stops.

The loop is `Director.play`: fill the free slots, wait for results, store them. The first
interruption ends the event after the running matches, the second at once. Finished matches are
always kept, and the same command resumes after them.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import islice

from arena.errors import MachineError
from arena.event.plan import Plan
from arena.event.play.agenda import Agenda
from arena.event.play.attendance import Attendance
from arena.event.play.interruptions import Interruptions
from arena.event.play.lineup import Lineup
from arena.event.play.locks import patient_transaction
from arena.event.play.pause import Pause
from arena.event.play.shortages import Shortages
from arena.event.play.voids import Voids
from arena.event.play.withdrawal import Withdrawals, withdrawal_text
from arena.event.slots.contract import Slots
from arena.event.watch.progress import Progress
from arena.event.watch.watchers import Watchers
from arena.formats.event_results import results_of
from arena.results.standings import Table
from arena.results.store import MatchRow, Store
from arena.results.voids import VoidRow, add_void
from arena.results.workers import add_worker
from arena.schedule.pairing import Pairing
from referee.job import Job
from referee.records.match_end import MatchEnd, Worker
from referee.records.result import Finished

LONGEST_WAIT_S = 0.25
BRIEF_NS = 1_000_000_000
"""A match whose calls take longer than this, in ns, is not followed by a queued one."""


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The state of an event at the end of a run."""

    missing: int
    """Number of unfinished matches."""
    undecided: tuple[str, ...] = ()
    """Keys of the matches given up as void."""
    is_interrupted: bool = False
    is_halted: bool = False
    """Whether the event was halted because of a problem of the machine or an internal error."""


class Director:
    """Runs one event on its slots.

    Normal use, as `playing.play_event` has it:

        director = Director(plan, store, event.id, table)
        director.store_total()
        slots = plan.open_slots(director.agenda.missing)
        ending = director.play(slots, follow)  # closes the slots
        if ending.missing:
            ...  # interrupted, halted or undecided: the same event can be played on
    """

    def __init__(
        self,
        plan: Plan,
        store: Store,
        event: int,
        table: Table,
        *,
        pause: Pause | None = None,
        attendance: Attendance | None = None,
        remark: Callable[[MatchRow], str] | None = None,
    ) -> None:
        """Load the state of an event; `table`, kept up to date, has the matches finished before.

        `remark` returns a notice about a finished match, or an empty text.
        """
        self._plan = plan
        self._store = store
        self._event = event
        self._table = table
        self._shortages = Shortages(pause or Pause(), plan.slots)
        self._remark = remark or (lambda _: "")
        self._voids = Voids(store.voids(event), store.begun(event), plan.slots)
        results = results_of(store, event, plan.format)
        self.agenda = Agenda(plan.format, results, store.keys(event))
        """The remaining matches."""
        table.ranking = self.agenda.ranking
        self._expected = self.agenda.known
        self._withdrawals = Withdrawals(
            self._expected, plan.withdraw_after, store.withdrawals(event)
        )
        self._lineup = Lineup(
            self._voids,
            self._withdrawals,
            attendance or Attendance(plan.players, plan.absence_ns),
        )
        for match in store.faulty_matches(event):
            for player, reason in self._withdrawals.add(match).items():
                store.add_withdrawal(event, player, reason)
        self._interruptions = Interruptions()
        self._is_interruption_told = False
        self._later: list[Callable[[], None]] = []
        """Actions to take once the open transaction is on disk."""
        self._to_play_again: list[str] = []
        """Keys of the matches to put back, in order."""
        self._is_next_known = plan.format.is_fixed and plan.withdraw_after != 1
        """Whether the next match is known before the running one ends."""
        self._is_calm = False
        """Whether the last match was brief and without a fault."""
        self._progress: Progress
        """Shows the event while it is played."""

    def play(self, slots: Slots, follow: Callable[[], Progress]) -> Ending:
        """Play until the end or a stop, and close the slots; `follow` returns the progress."""
        with (
            closing(slots),
            closing(Watchers(self._store.path, self._event)) as watchers,
            self._interruptions,
            follow() as self._progress,
        ):
            ends: Sequence[MatchEnd] = ()
            while True:
                self._tell_interruption()
                for line in (*slots.notices(), *self._lineup.attendance.look()):
                    self._progress.say(line)
                if ends or self._has_place(slots):
                    self._turn_over(ends, slots)
                if not self._wants_more(slots):
                    break
                self._take_back(slots)
                ends = ()
                if running := slots.running():
                    self._progress.running(running)
                left, total = self.agenda.missing, self.agenda.total
                watchers.step(slots, running, self._coming(slots), left=left, total=total)
                has_place = self._has_place(slots)
                if running or not has_place:
                    ends = slots.wait(0 if has_place else min(LONGEST_WAIT_S, watchers.step_s))
        if not self._plan.format.is_fixed:
            self.store_total()
        return self.ending()

    def _coming(self, slots: Slots) -> Iterator[Job | Pairing]:
        """Yield the known matches that have not begun, the next one first."""
        for queue in slots.queues():
            yield from islice(queue.jobs, 1, None)
        yield from self.agenda.pending

    def withdraw(self, player: str, reason: str) -> None:
        """Withdraw a player before the event begins or resumes."""
        self._store.add_withdrawal(self._event, player, reason)
        self._withdrawals.reasons.setdefault(player, reason)

    def store_total(self) -> None:
        """Store the number of matches, without those that stay undecided."""
        lost = 0 if self._plan.format.is_fixed else len(self.agenda.undecided)
        self._store.set_total(self._event, self.agenda.total - lost)

    def ending(self) -> Ending:
        """Return the state of the event."""
        return Ending(
            missing=self.agenda.missing,
            undecided=tuple(self.agenda.undecided),
            is_interrupted=self._interruptions.count > 0,
            is_halted=self._voids.is_alarming,
        )

    def _wants_more(self, slots: Slots) -> bool:
        if self._interruptions.count > 1:
            return False
        return bool(slots.running()) or (bool(self.agenda.pending) and not self._is_stopping())

    def _has_place(self, slots: Slots) -> bool:
        is_full = self._shortages.places(len(slots.running())) == 0
        return not is_full and bool(slots.free()) and self._may_begin()

    def _may_begin(self) -> bool:
        is_held = self._is_stopping() or self._shortages.is_pausing()
        return not is_held and self.agenda.has_next(self._lineup.is_awaited)

    def _is_stopping(self) -> bool:
        return self._interruptions.count > 0 or self._voids.is_alarming

    def _tell_interruption(self) -> None:
        if self._interruptions.count and not self._is_interruption_told:
            self._is_interruption_told = True
            self._progress.say("stopping after the running matches; once more to stop at once")

    def _turn_over(self, ends: Sequence[MatchEnd], slots: Slots) -> None:
        """Store ends and next matches in one transaction.

        They are shown and sent afterwards, so that a kill cannot lose what was shown.
        """
        if ends and (changed := self._plan.outside.changed()):
            raise MachineError(f"{', '.join(changed)} changed while bots ran it; stopped")
        with patient_transaction(self._store, self._interruptions, self._progress.say):
            for end in ends:
                self._keep(end)
            while self._to_play_again:
                self.agenda.put_back(self._to_play_again.pop())
            self._fill(slots)
        later, self._later = self._later, []
        for act in later:
            act()

    def _fill(self, slots: Slots) -> None:
        """Give every slot a match, and its next ones after a brief match without faults.

        Where matches are short, a referee would spend much of its time waiting for the next. Where
        they are long, a match would wait for its slot while another slot is free, if there is one.
        A fault may withdraw players: after one, a slot returns its waiting matches.
        """
        places = self._shortages.places(len(slots.running()))
        has_ahead = self._is_next_known and self._is_calm and places is None
        ahead = slots.ahead() if has_ahead else []
        for slot in islice((*slots.free(), *ahead), places):
            if not self._may_begin():
                return
            if (job := self._next_job()) is None:
                return
            self._store.begin_match(self._event, job.key, self._voids.begin(job.key))
            self._shortages.begin(job.key)
            self._later += [partial(self._plan.folders.restore, job), partial(slot.submit, job)]

    def _take_back(self, slots: Slots) -> None:
        """Take back the matches that must not begin, or not with all their players."""
        is_waiting = self._shortages.is_pausing() or self._shortages.is_reduced
        for queue in slots.queues():
            if is_waiting or self._is_stopping() or any(map(self._is_outdated, queue.jobs)):
                queue.take_back()

    def _is_outdated(self, job: Job) -> bool:
        pairing = self.agenda.running(job.key)
        absent = tuple(self._lineup.absences(pairing))
        return absent != job.absences or self._lineup.is_awaited(pairing)

    def _next_job(self) -> Job | None:
        """Return the next match to play; store at once any before it decided by absences."""
        while self._may_begin():
            pairing = self.agenda.begin(self._lineup.is_awaited)
            suspicions = self._voids.suspicions(pairing.key)
            job = self._plan.job_of(pairing, self._lineup.absences(pairing), suspicions)
            if not job.absences:
                return job
            from referee.play.unplayed import unplayed  # slow: it loads the whole referee

            if (record := unplayed(job)) is None:
                return job
            self._finish(record.finished())
        return None

    def _keep(self, end: MatchEnd) -> None:
        self._is_calm = end.is_played and _is_brief(end.match)
        if end.is_returned:
            self._to_play_again.append(end.job.key)
        elif end.is_exhausted and not self._shortages.has_culprit(end):
            self._to_play_again.append(end.job.key)
            self._say(self._shortages.add(end))
        elif end.is_absent and not self._lineup.attendance.miss_start(end.job.key):
            self._to_play_again.append(end.job.key)
            self._miss(end)
        elif end.match is None:
            self._void(end)
            self._miss(end)
        else:
            self._say(self._shortages.end())
            self._voids.finished()
            self._finish(end.match, end.worker)

    def _miss(self, end: MatchEnd) -> None:
        """Have the next matches of a remote player wait whose line has ended a match."""
        if end.suspect is not None:
            self._say(self._lineup.attendance.miss(end.job.player(end.suspect.seat).name))

    def _finish(self, finished: Finished, worker: Worker | None = None) -> None:
        pairing = self.agenda.running(finished.key)
        added = self._store.add_match(
            self._event,
            board=pairing.board,
            variant=pairing.variant,
            attempt=self._voids.attempt(finished.key),
            match=finished,
        )
        if added is not None and worker is not None:
            add_worker(self._store, added.id, worker)
        match = added or self._kept(finished.key)
        self.agenda.finish(finished.key, match.seats)
        self._follow_format()
        if added is None:
            return
        self._later.append(partial(self._table.add, match.seats, match.board, match.termination))
        self._later.append(partial(self._progress.finished, match))
        self._say(self._remark(match))
        for player, reason in self._withdrawals.add(match).items():
            self._store.add_withdrawal(self._event, player, reason)
            self._say(withdrawal_text(player, reason))

    def _kept(self, key: str) -> MatchRow:
        number = self._store.match_number(self._event, key)
        match = None if number is None else self._store.match(number)
        if match is None:
            raise RuntimeError(f"match {key} was kept and is gone")
        return match

    def _void(self, end: MatchEnd) -> None:
        job, suspect = end.job, end.suspect
        player = job.player(suspect.seat).name if suspect else None
        void = VoidRow(job.key, self._voids.attempt(job.key), end.void or "", player)
        void = add_void(self._store.database, self._event, void, end.void_record)
        whose = f"probably by {player}" if suspect else "no bot suspected"
        if suspect and suspect.detail.rpartition(": ")[2] not in void.reason:
            whose += f", {suspect.detail}"
        why = f"{void.reason} (attempt {void.attempt}){void.onward(self._store.path)}"
        self._say(f"match {job.key} is void, {whose}: {why}")
        if self._voids.add(end) != "given up":
            self._to_play_again.append(job.key)
        else:
            self._withdrawals.skip(self.agenda.running(job.key))
            self.agenda.give_up(job.key)
            self._follow_format()

    def _follow_format(self) -> None:
        """Update the known matches, their total and the places after a match has ended."""
        if self._plan.format.is_fixed:
            return
        if self.agenda.known is not self._expected:
            self._expected = self.agenda.known
            self._withdrawals.expect(self._expected)
        self._table.ranking = self.agenda.ranking
        self._later.append(partial(self._progress.expect, self.agenda.total))

    def _say(self, line: str) -> None:
        if line:
            self._later.append(partial(self._progress.say, line))


def _is_brief(match: Finished | None) -> bool:
    return match is not None and sum(seat.wall_ns for seat in match.seats) < BRIEF_NS
