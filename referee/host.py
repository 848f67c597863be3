"""Hosts matches one after another: start the bots, seat them, keep or end them."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from types import MappingProxyType
from typing import TypeAlias

from protocol.vocabulary import Seat, Termination
from referee.ahead import Ahead
from referee.allowance import Allowance
from referee.bot import EXIT_NS, Bot
from referee.bot_seat import BotSeat
from referee.catalog import AnyGame
from referee.clock import WallClock
from referee.errors import BrokenMatchError, ExhaustedError, Forfeit, NoStartError
from referee.foreign import FOREIGN
from referee.foreign_run import run_foreign
from referee.hellos import wait_for_hellos
from referee.job import Absence, Job
from referee.match import Match
from referee.options import make_game
from referee.record import Record, SeatReport
from referee.recorder import Recorder
from referee.remote_process import RemoteProcess
from referee.reporter import UNWATCHED, Reporter
from referee.sandbox.cgroup import Groups
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.launcher import Launcher
from referee.sandbox.leftovers import remove_leftovers
from referee.sandbox.process import EXHAUSTED, become_subreaper, kill_strays, reap, sweep
from referee.sandbox.users import Users
from referee.seat import Seated
from referee.stopwatch import Stopwatch

MAX_KEPT = 12
"""Limit of bots kept for their next match; the longest idle bot is ended first."""


NOBODY: Mapping[Seat, Seated] = MappingProxyType({})
Following: TypeAlias = Callable[[], Job | None]
"""Returns the match after the running one, once it is known."""


@contextmanager
def hosting(
    reporter: Reporter = UNWATCHED,
    launcher: Launcher | None = None,
    idle_cores: tuple[int, ...] = (),
) -> Iterator["Host"]:
    """Yield a host in this process, cleaned up later; a `launcher` starts processes ahead.

    On `idle_cores`, which no match uses, sandboxes of the next match are made during a match.
    """
    become_subreaper()
    groups = Groups.probe()
    if groups is not None:
        groups.launcher = launcher
    elif launcher is not None:
        launcher.close()
    host = Host(groups, reporter, idle_cores)
    try:
        yield host
    finally:
        host.close()
        if groups is not None:
            groups.close()


class Host:
    """One slot: it starts the bots, plays one match at a time and ends them."""

    def __init__(
        self,
        groups: Groups | None,
        reporter: Reporter = UNWATCHED,
        idle_cores: tuple[int, ...] = (),
    ) -> None:
        self.groups = groups
        self._reporter = reporter
        self.users = Users.probe()
        self._directory: SandboxDirectory | None = None
        """Directory of this referee's sandboxes, from its first match on."""
        self._clock = WallClock()
        self._kept: list[Bot] = []
        self._idle_cores = idle_cores
        self._ahead = Ahead(self._start_ahead)
        self._ended: list[Bot] = []
        """Ended bots whose directories and groups remain until the next match has begun."""
        self._game = lru_cache(maxsize=8)(_game_of)
        self.suspect: Absence | None = None
        """The bot that probably made the last match void, with its fault if it does so again; or
        None.
        """

    def play(
        self,
        job: Job,
        people: Mapping[Seat, Seated] = NOBODY,
        following: Following = lambda: None,
    ) -> Record:
        """Play one match. Any exception makes it void and leaves none of its bots running.

        `people` are seats without a bot process; the bot of every other seat is started. If
        `following` names a next match, the remains of this one are removed while its bots start.
        """
        if job.runner is not None:
            return run_foreign(job, job.runner, self.groups, self.users)
        if job.game == FOREIGN:
            raise BrokenMatchError("a match of another program needs the runner of its event")
        game = self._game(job.game, json.dumps(job.options, sort_keys=True))
        strays = kill_strays(self._own_pids()) if self._ended else ()
        table = self._table(job)
        try:
            absent = [Forfeit(lost.seat, lost.termination, lost.detail) for lost in job.absences]
            without_bot = {*people, *(forfeit.seat for forfeit in absent)}
            bots = [seat for seat in job.seats() if seat not in without_bot]
            table.start(bots)
            self._clear_ended()
            reap(strays)
            look = self._stand_by(job, following, len(bots))
            absent += table.admit(self._clock)
            players = table.players(self._clock)
            seated: dict[Seat, Seated] = dict(sorted({**players, **people}.items()))
            match = Match(job, game, seated, table.dismiss, self._reporter)
            verdict = match.play(absent, look)
            reports = table.clear(match.recorder, players)
        finally:
            self.suspect = table.suspect()
            table.abandon()
            if not self._ended or following() is None:
                self._tidy()
        return Record(job=job, calls=match.recorder.calls, seats=reports, verdict=verdict)

    def _table(self, job: Job) -> "_MatchBots":
        if self._directory is None:
            with _exhaustion():  # a full disk must not end the referee
                self._directory = SandboxDirectory()
        return _MatchBots(
            job,
            self.groups,
            self.users,
            self._directory,
            kept=self._kept,
            ended=self._ended,
            waiting=self._ahead.take(job),
        )

    def rest(self) -> None:
        """Suspend the kept bots, since no match follows at once.

        Suspending and resuming takes longer than twenty moves, so bots with a next match stay
        running.
        """
        self._ahead.drop()
        self._tidy()
        for bot in self._kept:
            bot.process.suspend()

    def close(self) -> None:
        """End every kept bot."""
        self._ahead.drop()
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
        return own | self._ahead.pids() | {bot.process.pid for bot in self._kept}

    def _stand_by(self, job: Job, following: Following, count: int) -> Callable[[], None] | None:
        """Start processes ahead for new bots: those of the next match, and standby processes.

        Return what is to be called again during the match, as the next one may be known later.
        """
        if self.groups is None or job.restart != "match":
            return None
        look = partial(self._ahead.look, following) if self._idle_cores else None
        if look is not None:
            look()
        # for the next match and the one after it: joining a group takes time
        self.groups.stand_by(2 * count)
        return look

    def _start_ahead(self, job: Job, seat: Seat) -> Bot:
        return Bot(
            job.player(seat),
            job,
            self.groups,
            self.users,
            self._directory,
            idle_cores=self._idle_cores,
        )


def _game_of(name: str, options: str) -> AnyGame:
    return make_game(name, json.loads(options))


@contextmanager
def _exhaustion() -> Iterator[None]:
    """Report a machine without resources for another process as ExhaustedError."""
    try:
        yield
    except OSError as error:
        if error.errno not in EXHAUSTED:
            raise
        raise ExhaustedError(f"a bot cannot be started: {error.strerror}") from error


class _MatchBots:
    """The bots of one match, by seat."""

    def __init__(
        self,
        job: Job,
        groups: Groups | None,
        users: Users | None,
        directory: SandboxDirectory,
        *,
        kept: list[Bot],
        ended: list[Bot],
        waiting: dict[Seat, Bot],
    ) -> None:
        self.bots: dict[Seat, Bot] = {}
        self._job = job
        self._groups = groups
        self._users = users
        self._directory = directory
        self._kept = kept
        self._ended = ended
        self._waiting = waiting
        """Bots in their sandboxes that have not begun."""
        self._new: dict[Seat, Bot] = {}
        """Started bots without a hello."""
        self._absent: list[Forfeit] = []
        self._seated: dict[Seat, BotSeat] = {}
        self._reports = [
            SeatReport(name=player.name, content=player.content) for player in job.players
        ]

    def start(self, seats: Sequence[Seat]) -> None:
        """Start the missing bots; `admit` waits for them."""
        self.bots |= {seat: bot for seat in seats if (bot := self._take_kept(seat)) is not None}
        waiting = self.bots.values() if len(self.bots) < len(seats) else ()
        for bot in (*self._kept, *waiting):  # otherwise they would think during starts
            bot.process.suspend()
        new = self._new
        with _exhaustion():
            for seat in seats:
                if seat not in self.bots:
                    bot = self._waiting.pop(seat, None) or self._new_bot(seat)
                    self.bots[seat] = new[seat] = bot
            for seat, bot in list(new.items()):
                try:
                    bot.confirm()
                except NoStartError as error:
                    detail = f"cannot be started: {error}"
                    self._absent.append(Forfeit(seat, Termination.NO_SHOW, detail))
                    self.bots.pop(seat).stop()
                    del new[seat]
            for bot in new.values():
                bot.begin()

    def _new_bot(self, seat: Seat) -> Bot:
        player = self._job.player(seat)
        return Bot(player, self._job, self._groups, self._users, self._directory)

    def admit(self, clock: WallClock) -> list[Forfeit]:
        """Wait for the hellos of the started bots; return the failures."""
        return [*self._absent, *wait_for_hellos(self._new, self._job.time.start_ns, clock)]

    def players(self, clock: WallClock) -> dict[Seat, BotSeat]:
        """Seat every bot with a hello; the cost of a null call is measured once per process."""
        players = {}
        for seat, bot in self.bots.items():
            if bot.link is None or bot.hello is None:
                continue
            bot.process.resume()  # a kept bot only now, so that it does not think during starts
            line = bot.process if isinstance(bot.process, RemoteProcess) else None
            watch = Stopwatch(
                seat,
                bot.process,
                self._job.time,
                clock,
                allowance=None if line is None else Allowance(line),
                cpu_seen_ns=bot.cpu_seen_ns,
            )
            players[seat] = BotSeat(
                seat,
                bot.link,
                bot.process,
                watch,
                wants=bot.hello.wants or (),
                null=bot.null,
                last_id=bot.last_id,
                watch_others=partial(self._watch_others, seat),
            )
        self._seated = players
        return players

    def dismiss(self, seat: Seat) -> None:
        """End the bot of a seat and fill in its report."""
        if seat in self.bots:
            self._end(seat).clear()

    def _end(self, seat: Seat) -> Bot:
        bot = self.bots.pop(seat)
        bot.hang_up()
        self._report(seat, bot)
        self._reports[seat].exit = bot.end()
        self._reports[seat].warning = bot.warning
        return bot

    def clear(self, recorder: Recorder, players: dict[Seat, BotSeat]) -> list[SeatReport]:
        """End all bots, or keep them for the next match, and return the reports."""
        for seat, bot in list(self.bots.items()):
            if self._job.restart == "never":
                bot.null, bot.last_id = players[seat].null, players[seat].last_id
                bot.cpu_seen_ns = players[seat].watch.cpu_seen_ns
                self._report(seat, bot)
                self._kept.append(self.bots.pop(seat))
            else:
                bot.wait_exit()
                self._ended.append(self._end(seat))
        for seat, player in players.items():
            report = self._reports[seat]
            report.off_turn_ns = player.watch.off_turn_ns
            report.start_cpu_ns = player.watch.start_cpu_ns
            report.strays = player.strays
            report.near_limit = player.watch.near_limit
            report.null = player.null
            report.warning = recorder.warnings.get(seat, report.warning)
        for seat, report in enumerate(self._reports):
            report.add(recorder.calls.spent(seat))
        return self._reports

    def abandon(self) -> None:
        """End all bots of a void match; seated ones get a last Term and a moment to exit."""
        told = [bot for seat, bot in self.bots.items() if seat in self._seated]
        for seat in self.bots.keys() & self._seated.keys():
            self._seated[seat].tell_void(len(self._job.players))
        until_ns = time.monotonic_ns() + EXIT_NS
        for bot in told:
            bot.wait_exit(max(0, until_ns - time.monotonic_ns()))
        for bots in (self.bots, self._waiting):
            while bots:
                bots.popitem()[1].stop()

    def suspect(self) -> Absence | None:
        """Return the first remaining bot with a reason to void the match."""
        for seat, bot in self.bots.items():
            if (suspicion := bot.suspicion()) is not None:
                termination, detail = suspicion
                return Absence(seat=seat, termination=termination, detail=detail)
        return None

    def _report(self, seat: Seat, bot: Bot) -> None:
        report = self._reports[seat]
        if bot.hello:
            report.hello = bot.hello.model_dump(exclude={"token"}, exclude_none=True)
        report.is_clock_exact = bot.process.has_exact_clock
        report.in_force = dict(bot.process.in_force)
        report.output_tail = bot.output_tail()
        report.output_bytes = bot.process.dropped_bytes + len(report.output_tail.encode())

    def _take_kept(self, seat: Seat) -> Bot | None:
        player = self._job.player(seat)
        for place, bot in enumerate(self._kept):
            if bot.player == player:
                return self._kept.pop(place)
        return None

    def _watch_others(self, asked: Seat) -> None:
        for seat in self.bots.keys() & self._seated.keys() - {asked}:
            self._seated[seat].watch.suspend_if_thinking()
