"""The bots of one match: started, admitted, seated, dismissed and ended, each with its report."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from protocol.vocabulary import Seat, Termination
from referee.errors import AbsentError, Forfeit, LineLostError
from referee.job import Absence, Job
from referee.records.record import SeatReport
from referee.records.recorder import Recorder
from referee.sandbox.cgroup import Groups
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.errors import EXHAUSTED, ExhaustedError, NoStartError
from referee.sandbox.shortage import Lack, filler
from referee.sandbox.users import Users
from referee.seats.allowance import Allowance
from referee.seats.bot import EXIT_NS, Bot
from referee.seats.bot_seat import BotSeat
from referee.seats.clock import WallClock
from referee.seats.hellos import wait_for_hellos
from referee.seats.remote_process import RemoteProcess
from referee.seats.stopwatch import Stopwatch


@contextmanager
def reported_exhaustion() -> Iterator[None]:
    """Report a machine without resources for another process as ExhaustedError."""
    try:
        yield
    except OSError as error:
        if error.errno not in EXHAUSTED:
            raise
        raise ExhaustedError(f"a bot cannot be started: {error.strerror}") from error


class MatchBots:
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
    ) -> None:
        self.bots: dict[Seat, Bot] = {}
        self._job = job
        self._groups = groups
        self._users = users
        self._directory = directory
        self._kept = kept
        self._ended = ended
        self._new: dict[Seat, Bot] = {}
        """Started bots without a hello."""
        self._absent: list[Forfeit] = []
        self._seated: dict[Seat, BotSeat] = {}
        self._reports = [
            SeatReport(name=player.name, content=player.content) for player in job.players
        ]

    def start(self, seats: Sequence[Seat]) -> None:
        """Start the missing bots; `admit` waits for them."""
        self.bots = {seat: bot for seat in seats if (bot := self._take_kept(seat)) is not None}
        for seat, bot in self.bots.items():
            bot.begin_log(self._job, seat)
        waiting = self.bots.values() if len(self.bots) < len(seats) else ()
        for bot in (*self._kept, *waiting):  # otherwise they would think during starts
            bot.process.suspend()
        new = self._new
        with reported_exhaustion():
            for seat in seats:
                if seat not in self.bots:
                    self.bots[seat] = new[seat] = self._new_bot(seat)
            for seat, bot in list(new.items()):
                try:
                    bot.confirm()
                except NoStartError as error:
                    detail = f"cannot be started: {error}"
                    self._absent.append(Forfeit(seat, Termination.NO_SHOW, detail))
                    self.bots.pop(seat).stop()
                    del new[seat]

    def _new_bot(self, seat: Seat) -> Bot:
        player = self._job.player(seat)
        bot = Bot(player, self._job, self._groups, self._users, self._directory)
        bot.begin_log(self._job, seat)
        return bot

    def admit(self, clock: WallClock) -> list[Forfeit]:
        """Wait for the hellos of the started bots; return the failures. Raises AbsentError."""
        try:
            return [*self._absent, *wait_for_hellos(self._new, self._job.time.start_ns, clock)]
        except LineLostError as error:
            raise AbsentError(str(error)) from None

    def players(self, clock: WallClock) -> dict[Seat, BotSeat]:
        """Seat every bot with a hello; the cost of a null call is measured once per process."""
        players = {}
        shares = shares_of_cores(len(self._job.players)) if self._job.time.ponder else []
        for seat, bot in self.bots.items():
            if bot.link is None or bot.hello is None:
                continue
            if shares and not isinstance(bot.process, RemoteProcess):
                bot.process.pin(shares[seat])
            bot.process.resume()  # a kept bot only now, so that it does not think during starts
            line = bot.process if isinstance(bot.process, RemoteProcess) else None
            watch = Stopwatch(
                seat,
                bot.process,
                self._job.time_of(seat),
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
            if line is None:
                players[seat].begin_output = bot.process.kept.next_part
            else:
                players[seat].require_line = line.require_line
        self._seated = players
        return players

    def dismiss(self, seat: Seat) -> None:
        """End the bot of a seat and fill in its report."""
        if seat in self.bots:
            self._end(seat).clear()

    def refuse_shortage(self) -> None:
        """Raise ShortageError if the machine denied a bot something below its own limits."""
        for bot in self.bots.values():
            bot.refuse_shortage()

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
                bot.process.kept.clear()
                bot.end_log()
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
        while self.bots:
            self.bots.popitem()[1].stop()

    def suspect(self) -> Absence | None:
        """Return the first remaining bot with a reason to void the match."""
        filled = self._filled()
        for seat, bot in self.bots.items():
            if (suspicion := bot.suspicion(filled.get(seat))) is not None:
                termination, detail = suspicion
                return Absence(seat=seat, termination=termination, detail=detail)
        return None

    def _filled(self) -> dict[Seat, Lack]:
        """Return what the machine had too little of, by the bot that has probably filled it."""
        here = {seat: bot.process for seat, bot in self.bots.items()}
        filled: dict[Seat, Lack] = {}
        lacks = {lack for process in here.values() if (lack := process.lack) is not None}
        for lack in sorted(lacks):
            uses = {seat: process.use(lack) for seat, process in here.items()}
            seat = filler({seat: use for seat, use in uses.items() if use is not None})
            if seat is not None:
                filled[seat] = lack
        return filled

    def _report(self, seat: Seat, bot: Bot) -> None:
        report = self._reports[seat]
        if bot.hello:
            report.hello = bot.hello.model_dump(exclude={"token"}, exclude_none=True)
        report.is_clock_exact = bot.process.has_exact_clock
        report.in_force = dict(bot.process.in_force)
        report.output_tail = bot.output_tail()
        report.printed = bot.printed()
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


def shares_of_cores(seats: int) -> list[set[int]]:
    """Return equal shares of the cores of this process, one a seat; none if there are too few.

    Where bots may think during calls of others, one with many busy processes would otherwise take
    the time of a rival.
    """
    cores = sorted(os.sched_getaffinity(0))
    size = len(cores) // seats
    return [set(cores[seat * size :][:size]) for seat in range(seats)] if size else []
