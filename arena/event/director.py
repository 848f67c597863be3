"""The director: plays what is missing of an event, keeps every match, and knows when to stop.

The loop is `Director.play`: fill the free slots, wait for results, keep them. The first
interruption ends the event after the running matches, the second at once. Whatever happens, what
was finished is kept, and the same command goes on from there.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from arena.errors import LockedError
from arena.event.agenda import Agenda
from arena.event.interruptions import Interruptions
from arena.event.recess import Recess
from arena.event.slots import Result, Slots
from arena.event.voids import Voids
from arena.event.withdrawal import Withdrawals
from arena.formats.ended import results_of
from arena.formats.format import Format
from arena.results.standings import Table
from arena.results.store import MatchRow, Store
from arena.schedule.openings import NoOpenings, Openings
from arena.schedule.pairing import Pairing
from arena.terminal.tables import Progress
from protocol.vocabulary import Termination
from referee.job import Absence, Job, Player
from referee.record import Record
from referee.seeds import derive_seed
from referee.unplayed import unplayed

TICK_S = 0.25

R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """An event as it is to be played: who, what, in which order, on what."""

    name: str
    seed: int
    config: Mapping[str, Any]
    """The canonical config: what is stored, and compared when the event goes on."""
    players: Mapping[str, Player]
    format: Format
    """Which matches there are, as the results come in."""
    job: Job
    """What all matches have in common; key, players, seeds and variant are filled in."""
    variants: Mapping[str, Mapping[str, Any]]
    """The game's options for each label of a variant."""
    cores: tuple[tuple[int, ...], ...]
    """The cores of each slot."""
    withdraw_after: int
    """How many faults in a row end a player's part in the event; 0: none do."""
    openings: Openings = field(default_factory=NoOpenings)
    """What is played of each match before the bots begin."""

    @property
    def pairings(self) -> Sequence[Pairing]:
        """The matches that are known before the first is played, in order of play."""
        return self.format.known({})

    def job_of(self, pairing: Pairing, absences: Sequence[Absence] = ()) -> Job:
        """Return the match that a pairing asks for."""
        return Job(
            **{
                **vars(self.job),
                "key": pairing.key,
                "options": dict(self.variants[pairing.variant]),
                "players": tuple(self.players[name] for name in pairing.players),
                "seed": derive_seed(self.seed, "match", pairing.key),
                "board_seed": derive_seed(self.seed, "board", pairing.board),
                "history": self.openings.of(pairing),
                "absences": tuple(absences),
            }
        )


@dataclass(frozen=True, kw_only=True)
class Ending:
    """How a run of an event ended."""

    missing: int
    """Matches of the schedule that are not finished."""
    undecided: tuple[str, ...] = ()
    """Keys of matches that stayed void."""
    is_interrupted: bool = False
    is_halted: bool = False
    """Whether the event was halted, since something is wrong with the machine or with us."""


class Director:
    """Runs one event on its slots."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        event: int,
        table: Table,
        open_slots: Callable[[Sequence[tuple[int, ...]]], Slots] = Slots,
        *,
        recess: Recess | None = None,
    ) -> None:
        """Take over an event; `table` already holds what was finished before."""
        self._plan = plan
        self._store = store
        self._event = event
        self._table = table
        self._open_slots = open_slots
        self._recess = recess or Recess()
        self._voids = Voids(store.voids(event), store.begun(event))
        results = results_of(store, event, plan.format)
        self._agenda = Agenda(plan.format, results, store.keys(event))
        self._expected = self._agenda.known
        self._withdrawals = Withdrawals(
            self._expected, plan.withdraw_after, store.withdrawals(event)
        )
        for match in store.matches(event):
            for player, reason in self._withdrawals.add(match).items():
                store.add_withdrawal(event, player, reason)
        self._interruptions = Interruptions()
        self._is_interruption_told = False

    @property
    def missing(self) -> int:
        """How many matches are not finished: at most, while that is not known."""
        return self._agenda.missing

    def play(self, progress: Progress) -> Ending:
        """Play until everything is finished or the event is stopped."""
        if self._agenda.pending:
            with self._interruptions, progress:
                self._play_on(progress)
        return Ending(
            missing=self._agenda.missing,
            undecided=tuple(self._agenda.undecided),
            is_interrupted=self._interruptions.count > 0,
            is_halted=self._voids.is_alarming,
        )

    def _play_on(self, progress: Progress) -> None:
        slots = self._open_slots(self._plan.cores[: self._agenda.missing])
        try:
            while self._wants_more(slots):
                self._tell_interruption(progress)
                self._fill(slots, progress)
                if running := slots.running():
                    progress.running(running)
                if running or self._recess.is_on():
                    for result in slots.wait(TICK_S):
                        self._keep(result, progress)
        finally:
            slots.close()

    def _wants_more(self, slots: Slots) -> bool:
        if self._interruptions.count > 1:
            return False
        return bool(slots.running()) or (bool(self._agenda.pending) and not self._is_stopping())

    def _is_stopping(self) -> bool:
        return self._interruptions.count > 0 or self._voids.is_alarming

    def _tell_interruption(self, progress: Progress) -> None:
        if self._interruptions.count and not self._is_interruption_told:
            self._is_interruption_told = True
            progress.say("stopping after the running matches; once more to stop at once")

    def _fill(self, slots: Slots, progress: Progress) -> None:
        for slot in slots.free():
            if not self._recess.is_on() and (job := self._next_job(progress)) is not None:
                attempt = self._voids.attempt(job.key)
                note = partial(self._store.begin_match, self._event, job.key, attempt)
                self._written(note, progress)
                slot.submit(job)

    def _next_job(self, progress: Progress) -> Job | None:
        """Return the next match to play; those before it that absences decide are kept at once."""
        while self._agenda.pending and not self._is_stopping():
            pairing = self._agenda.begin()
            job = self._plan.job_of(pairing, self._absences(pairing))
            record = unplayed(job) if job.absences else None
            if record is None:
                return job
            self._finish(record, progress)
        return None

    def _absences(self, pairing: Pairing) -> list[Absence]:
        lost = {absence.seat: absence for absence in self._voids.absences(pairing.key)}
        for seat, player in enumerate(pairing.players):
            if (reason := self._withdrawals.reasons.get(player)) is not None:
                detail = f"withdrawn after {reason}"
                lost[seat] = Absence(seat=seat, termination=Termination.NO_SHOW, detail=detail)
        return [lost[seat] for seat in sorted(lost)]

    def _keep(self, result: Result, progress: Progress) -> None:
        if result.is_exhausted:
            self._agenda.put_back(result.job.key)
            _say(progress, self._recess.begin(result.void or ""))
        elif result.record is None:
            self._void(result, progress)
        else:
            _say(progress, self._recess.end())
            self._voids.finished()
            self._finish(result.record, progress)

    def _finish(self, record: Record, progress: Progress) -> None:
        pairing = self._agenda.running(record.job.key)
        add = partial(
            self._store.add_match,
            self._event,
            board=pairing.board,
            variant=pairing.variant,
            attempt=self._voids.attempt(pairing.key),
            record=record,
        )
        added = self._written(add, progress)
        match = added or self._kept(pairing.key)
        self._agenda.finish(pairing.key, match.seats)
        self._look_ahead(progress)
        if added is None:
            return
        self._table.add(match.seats)
        progress.finished(match)
        for player, reason in self._withdrawals.add(match).items():
            self._written(
                partial(self._store.add_withdrawal, self._event, player, reason), progress
            )
            progress.say(f"{player} is withdrawn after {reason}; its other matches are forfeited")

    def _kept(self, key: str) -> MatchRow:
        number = self._store.match_number(self._event, key)
        match = None if number is None else self._store.match(number)
        if match is None:
            raise RuntimeError(f"match {key} was kept and is gone")
        return match

    def _void(self, result: Result, progress: Progress) -> None:
        job, suspect = result.job, result.suspect
        player = job.player(suspect.seat).name if suspect else None
        attempt = self._voids.attempt(job.key)
        reason = result.void or ""
        self._written(
            partial(self._store.add_void, self._event, job.key, attempt, reason, player), progress
        )
        whose = f"{player} seems to be why, {suspect.detail}" if suspect else "nobody's fault"
        progress.say(f"match {job.key} is void, {whose}: {reason} (attempt {attempt})")
        if self._voids.add(job, suspect):
            self._agenda.put_back(job.key)
        else:
            self._withdrawals.skip(self._agenda.running(job.key))
            self._agenda.give_up(job.key)
            self._look_ahead(progress)

    def _look_ahead(self, progress: Progress) -> None:
        """Take in which matches are known now that one has ended."""
        if self._plan.format.is_fixed:
            return
        if self._agenda.known is not self._expected:
            self._expected = self._agenda.known
            self._withdrawals.expect(self._expected)
        progress.expect(self._agenda.total)

    def _written(self, write: Callable[[], R], progress: Progress) -> R:
        """Write to the database, for as long as it takes: a lock of others passes, a match not."""
        is_told = False
        while True:
            try:
                return write()
            except LockedError:
                if self._interruptions.count > 1:
                    raise
            if not is_told:
                progress.say(f"{self._store.path} is locked by another program; waiting for that")
            is_told = True


def _say(progress: Progress, line: str) -> None:
    if line:
        progress.say(line)
