"""Hosts matches one after another: start the bots, seat them, keep or end them."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from protocol.vocabulary import Seat
from referee.catalog import AnyGame
from referee.errors import BrokenMatchError, Forfeit
from referee.foreign import FOREIGN
from referee.job import Absence, Job
from referee.options import make_game
from referee.play.match import Match
from referee.play.reporter import UNWATCHED, Reporter
from referee.records.calls import Calls
from referee.records.record import Record
from referee.records.void_record import is_of_rules, void_bytes
from referee.sandbox.cgroup import Groups
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.launcher import Launcher
from referee.sandbox.leftovers import remove_leftovers
from referee.sandbox.orphans import become_subreaper, kill_strays, reap, sweep
from referee.sandbox.users import Users
from referee.seats.bot import Bot
from referee.seats.clock import WallClock
from referee.seats.match_bots import MatchBots, reported_exhaustion
from referee.seats.seat import Participant
from referee.service.foreign_run import run_foreign

MAX_KEPT = 12
"""Limit of bots kept for their next match; the longest idle bot is ended first."""


NO_PEOPLE: Mapping[Seat, Participant] = MappingProxyType({})
Following: TypeAlias = Callable[[], Job | None]
"""Returns the match after the running one, once it is known."""


@contextmanager
def open_slot(
    reporter: Reporter = UNWATCHED,
    launcher: Launcher | None = None,
) -> Iterator["Slot"]:
    """Yield a slot in this process, cleaned up later; a `launcher` starts processes ahead."""
    become_subreaper()
    groups = Groups.probe()
    if groups is not None:
        groups.launcher = launcher
    elif launcher is not None:
        launcher.close()
    slot = Slot(groups, reporter)
    try:
        yield slot
    finally:
        slot.close()
        if groups is not None:
            groups.close()


class Slot:
    """One slot: it starts the bots, plays one match at a time and ends them.

    Normal use:

        with open_slot(reporter) as slot:
            for job in jobs:
                record = slot.play(job)  # or an exception: the match is void
                slot.rest()              # before a wait for the next job

    Bots of a job with `restart: never` are kept for the next one.
    """

    def __init__(self, groups: Groups | None, reporter: Reporter = UNWATCHED) -> None:
        self.groups = groups
        self._reporter = reporter
        self.users = Users.probe()
        self._directory: SandboxDirectory | None = None
        """Directory of this referee's sandboxes, from its first match on."""
        self._clock = WallClock()
        self._kept: list[Bot] = []
        self._ended: list[Bot] = []
        """Ended bots whose directories and groups remain until the next match has begun."""
        self._game = lru_cache(maxsize=8)(_game_of)
        self.suspect: Absence | None = None
        """The bot that probably made the last match void, with its fault if it does so again; or
        None.
        """
        self._match: Match | None = None
        """The running match, or the one that an error has made void."""

    def play(
        self,
        job: Job,
        people: Mapping[Seat, Participant] = NO_PEOPLE,
        following: Following = lambda: None,
    ) -> Record:
        """Play one match. Any exception makes it void and leaves none of its bots running.

        `people` are seats without a bot process; the bot of every other seat is started. If
        `following` names a next match, the remains of this one are removed while its bots start.
        """
        self._match = None
        if job.runner is not None:
            return run_foreign(job, job.runner, self.groups, self.users)
        if job.game == FOREIGN:
            raise BrokenMatchError("a match of another program needs the runner of its event")
        game = self._game(job.game, json.dumps(job.options, sort_keys=True))
        strays = kill_strays(self._own_pids()) if self._ended else ()
        bots = self._match_bots(job)
        try:
            absent = [Forfeit(lost.seat, lost.termination, lost.detail) for lost in job.absences]
            without_bot = {*people, *(forfeit.seat for forfeit in absent)}
            seats = [seat for seat in job.seats() if seat not in without_bot]
            bots.start(seats)
            self._clear_ended()
            reap(strays)
            if self.groups is not None and job.restart == "match":
                # for the next match and the one after it: joining a group takes time
                self.groups.stand_by(2 * len(seats))
            absent += bots.admit(self._clock)
            players = bots.players(self._clock)
            seated: dict[Seat, Participant] = dict(sorted({**players, **people}.items()))
            self._match = match = Match(
                job, game, seated, bots.dismiss, self._reporter, confirm=bots.refuse_shortage
            )
            verdict = match.play(absent)
            reports = bots.clear(match.recorder, players)
        finally:
            self.suspect = bots.suspect()
            bots.abandon()
            if not self._ended or following() is None:
                self._tidy()
        self._match = None
        return Record(job=job, calls=match.recorder.calls, seats=reports, verdict=verdict)

    def void_bytes(self, job: Job, error: Exception) -> bytes:
        """Return the packed record of a match that an error of its rules made void, or nothing."""
        if not is_of_rules(error) or job.game == FOREIGN or job.runner is not None:
            return b""
        if self._match is not None:
            return self._match.void_bytes(error)
        return b"" if isinstance(error, BrokenMatchError) else void_bytes(job, Calls(), None, error)

    def _match_bots(self, job: Job) -> MatchBots:
        if self._directory is None:
            with reported_exhaustion():  # a full disk must not end the referee
                self._directory = SandboxDirectory()
        return MatchBots(
            job,
            self.groups,
            self.users,
            self._directory,
            kept=self._kept,
            ended=self._ended,
        )

    def rest(self) -> None:
        """Suspend the kept bots, since no match follows at once.

        Suspending and resuming takes longer than twenty moves, so bots with a next match stay
        running.
        """
        self._tidy()
        for bot in self._kept:
            bot.process.suspend()

    def close(self) -> None:
        """End every kept bot."""
        while self._kept:
            self._kept.pop().stop()
        self._tidy()
        if self._directory is not None:
            self._directory.remove()
        remove_leftovers()
        if self.users is not None:
            self.users.close()

    def _tidy(self) -> None:
        """Remove what remains of ended bots, and kill the orphans: children of this process."""
        while len(self._kept) > MAX_KEPT:
            self._kept.pop(0).stop()
        self._clear_ended()
        sweep(self._own_pids())

    def _clear_ended(self) -> None:
        while self._ended:
            self._ended.pop().clear()

    def _own_pids(self) -> set[int]:
        """Return the PIDs of its processes that play no match now."""
        own = self.groups.own_pids() if self.groups is not None else set[int]()
        return own | {bot.process.pid for bot in self._kept}


def _game_of(name: str, options: str) -> AnyGame:
    return make_game(name, json.loads(options))
