"""The test bench of a bot: its process, a seat in real matches, random partners."""

import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from arena.check.outcomes import SessionOverError, StepFailed, StepSkipped
from arena.check.own_time import COUNTED_LOOK_NS, OwnTime, is_working
from arena.check.partners import Partner, history
from protocol.codec import decode, encode_fields
from protocol.errors import WireError
from protocol.link import ClosedError, Link
from protocol.messages import Fields, Hello
from protocol.vocabulary import Seat
from protocol.wording import shown
from referee.catalog import AnyGame
from referee.job import ClaimPolicy, Job, Player, TimeControl
from referee.options import game_options
from referee.play.match import Match
from referee.records.calls import Call
from referee.records.record import NullCost, Verdict
from referee.sandbox import Groups, NoStartError, Users, descendants, live_children, parent_of
from referee.seats.bot import Bot
from referee.seats.bot_seat import BotSeat
from referee.seats.clock import WallClock
from referee.seats.hellos import wait_for_hellos
from referee.seats.seat import Participant
from referee.seats.stopwatch import Stopwatch

PATIENCE_NS = 3_000_000_000
"""Limit in nanoseconds of the bot's own time for all events without a limit in the protocol."""

_TIME = TimeControl()
Alter = Callable[[Link, bytes], None]
"""Sends a call in an unusual form."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A match on the bench."""

    seat: Seat = 0
    seats: int | None = None
    """Number of seats; None is the game's fewest."""
    game: AnyGame | None = None
    """The game; None is the bench's."""
    history: int = 0
    """Number of random moves before the match."""
    turns: int = 2
    """Number of the bot's turns."""
    claims: ClaimPolicy = "checked"
    time: TimeControl | None = None
    """The limits; None is those of the bench."""
    seed: int = 1
    is_last: bool = True
    """Whether the bot must exit afterwards."""
    alter: Alter | None = None
    """Changes calls on their way to the bot; None leaves them as they are."""


@dataclass(frozen=True, kw_only=True)
class BenchMatch:
    """A finished match on the bench."""

    verdict: Verdict
    calls: list[Call]
    """Calls to the bot."""
    line: list[Call]
    """Calls to all seats."""
    strays: int
    """Number of the bot's unasked messages."""
    warning: str | None
    """A defect at the end without a penalty."""

    @property
    def moves(self) -> list[Call]:
        """Calls with a move in the reply."""
        return [call for call in self.calls if call.move is not None]


class Bench:
    """A bot and its game."""

    def __init__(
        self,
        entry: Player,
        game: AnyGame,
        groups: Groups | None,
        users: Users | None = None,
        *,
        time: TimeControl = _TIME,
        with_tcp: Player | None = None,
    ) -> None:
        """Set up; `with_tcp` is the bot in a sandbox with a port, None where it gets none."""
        self.entry = entry
        self.game = game
        self.output_bytes = 0
        """Output of all its processes together, in bytes."""
        self.output_tail = ""
        """Last output of the process that ended last."""
        self._groups, self._users, self._time = groups, users, time
        self._with_tcp = with_tcp
        self._kept: BotSession | None = None
        self._may_keep = True

    def play(self, setting: Setting) -> BenchMatch:
        """Play a match in the process of the match before; if it fails, play it in a new one."""
        if self._may_keep:
            try:
                self._kept = self._kept or self.start()
                return self._kept.play(replace(setting, is_last=False))
            except StepFailed:
                self._may_keep = False
        with self.start() as session:
            return session.play(setting)

    def close(self) -> None:
        """End the process that `play` has kept, if any."""
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.stop()

    def start(self, transport: str = "ipc") -> "BotSession":
        """Start the bot and wait for its hello; end the process that `play` has kept."""
        self.close()
        entry = self.entry if transport == "ipc" else self._with_tcp
        if entry is None:
            raise StepSkipped("with a port, a sandboxed bot could connect to other machines")
        job = self.job(Setting(), transport=transport)
        bot = Bot(entry, job, self._groups, self._users)
        try:
            bot.confirm()
        except NoStartError as error:
            bot.stop()
            raise StepFailed(f"it cannot be started: {error}") from None
        session = BotSession(self, bot)
        try:
            session.wait_hello(job.time.start_ns)
        except StepFailed:
            session.stop()
            raise
        return session

    def job(self, setting: Setting, **changes: Any) -> Job:
        """Return the match for a setting."""
        game = setting.game or self.game
        seats = setting.seats or min(game.seats)
        players = [
            Player(name=f"partner-{seat}", argv=(), folder="", content="partner")
            for seat in range(seats)
        ]
        players[setting.seat] = self.entry
        return Job(
            **{
                "key": "check",
                "game": game.name,
                "options": game_options(game),
                "players": tuple(players),
                "seed": setting.seed,
                "board_seed": setting.seed,
                "history": history(game, seats, setting.history, setting.seed),
                "claims": setting.claims,
                "max_plies": setting.turns * seats,
                "time": setting.time or self._time,
                "restart": "match" if setting.is_last else "never",
                **changes,
            }
        )


class BotSession:
    """One process of the bot, from its hello to its end."""

    def __init__(self, bench: Bench, bot: Bot) -> None:
        self.bench = bench
        self.process = bot.process
        self.start_ns = 0
        """Time from the start to the hello, in nanoseconds."""
        self._bot = bot
        self._clock = WallClock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait_hello(self, start_ns: int) -> None:
        """Wait for the hello, at most this long."""
        for forfeit in wait_for_hellos({0: self._bot}, start_ns, self._clock):
            raise StepFailed(forfeit.detail)
        self.start_ns = self._clock.now_ns() - self.process.started_ns

    @property
    def hello(self) -> Hello:
        """The bot's hello."""
        if self._bot.hello is None:
            raise StepFailed("it has sent no hello")
        return self._bot.hello

    @property
    def link(self) -> Link:
        """The link to the bot."""
        if self._bot.link is None:
            raise StepFailed("it has sent no hello")
        return self._bot.link

    def play(self, setting: Setting) -> BenchMatch:
        """Play a match; raises StepFailed for any fault of the bot."""
        game = setting.game or self.bench.game
        return self.play_faultless(self.bench.job(setting), game, setting.seat, setting.alter)

    def play_faultless(
        self, job: Job, game: AnyGame, seat: Seat, alter: Alter | None = None
    ) -> BenchMatch:
        """Play a match with partners in all other seats; raises StepFailed for any fault."""
        played = self.play_job(job, game, seat, alter)
        for fault in played.verdict.faults:
            raise StepFailed(str(fault), fault)
        if played.warning is not None:
            raise StepFailed(played.warning)
        if played.strays:
            raise StepFailed(f"unrequested messages: {played.strays}")
        return played

    def play_job(
        self, job: Job, game: AnyGame, seat: Seat, alter: Alter | None = None
    ) -> BenchMatch:
        """Play a match with partners in all other seats; faults do not raise."""
        link = Altered(self.link, alter) if alter else self.link
        player = BotSeat(
            seat,
            link,
            self.process,
            Stopwatch(seat, self.process, job.time, self._clock),
            wants=self.hello.wants or (),
            null=NullCost(wall_ns=0, cpu_ns=0),
        )
        return play_with_partners(job, game, seat, player)

    def ask(self, fields: Fields) -> Fields:
        """Send a call and return the reply; raises StepFailed for another id."""
        self.link.send(encode_fields(fields))
        return self.reply_to(fields)

    def reply_to(self, fields: Fields) -> Fields:
        """Wait for the reply to a sent call."""
        reply = self.receive(PATIENCE_NS)
        if reply is None:
            raise StepFailed(f"no reply to {fields['type']} within {PATIENCE_NS / 1e9:g} s")
        if reply.get("id") != fields["id"]:
            raise StepFailed(
                f"the reply to {fields['type']} has the id {shown(reply.get('id'))},"
                f" the call had {fields['id']}"
            )
        return reply

    def ping(self, number: int = 1) -> None:
        """Ping the bot; raises StepFailed unless it replies pong."""
        reply = self.ask({"type": "ping", "id": number})
        if reply != {"type": "pong", "id": number}:
            raise StepFailed(f"the reply to ping is {shown(reply)}")

    def receive(self, wait_ns: int) -> Fields | None:
        """Return the next message; None after `wait_ns` of the bot's own time."""
        own = self._own_time()
        try:
            while (payload := self.link.receive(time.monotonic_ns() + COUNTED_LOOK_NS)) is None:
                if own.look(wait_ns):
                    return None
            return decode(payload)
        except ClosedError as error:
            ended = self.process.wait_end(PATIENCE_NS // 10)
            raise SessionOverError(f"its process has ended: {ended or error}") from None
        except WireError as error:
            raise StepFailed(str(error)) from None

    def hang_up(self) -> None:
        """Close the connection, like an ending referee."""
        self.link.close()

    def wait_end(self, wait_ns: int) -> str | None:
        """Return the way the bot ended, None if it still runs after `wait_ns` of its own time.

        Its output is read meanwhile.
        """
        own = self._own_time()
        while (ended := self.process.wait_end(COUNTED_LOOK_NS // 2)) is None:
            self._bot.drain()
            if own.look(wait_ns):
                return self.process.wait_end(0)
        return ended

    def rest(self, wait_ns: int) -> int:
        """Leave the bot alone for this much of its own time, and return its CPU time in ns."""
        own, before_ns = self._own_time(), self.process.cpu_ns()
        while not own.look(wait_ns):
            time.sleep(COUNTED_LOOK_NS / 2e9)
        return self.process.cpu_ns() - before_ns

    def _own_time(self) -> OwnTime:
        return OwnTime(self.process, partial(is_working, self.process.pid))

    def watch_orphans(self) -> Callable[[int], int]:
        """Return a function to call after the bot's last match, with a time in ns for its exit.

        It returns the number of the bot's processes that still run. A sandbox with processes of
        its own ends them with the bot, by a process outside: that one is suspended meanwhile.
        """
        before, bot = set(live_children(os.getpid())), self.process.bot_pid
        if bot == self.process.pid:
            return partial(self._orphans_here, before)
        try:
            init, ended = parent_of(bot), os.pidfd_open(bot)
        except OSError:
            raise SessionOverError("its process has ended") from None
        os.kill(self.process.pid, signal.SIGSTOP)
        return partial(self._orphans_inside, ended, {bot}, init)

    def _orphans_here(self, before: set[int], wait_ns: int) -> int:
        self.wait_end(wait_ns)
        return len(set(live_children(os.getpid())) - before - {self.process.pid})

    def _orphans_inside(self, ended: int, bot: set[int], init: int, wait_ns: int) -> int:
        own = self._own_time()
        try:
            while not select.select([ended], [], [], COUNTED_LOOK_NS / 2e9)[0] and not own.look(
                wait_ns
            ):
                self._bot.drain()
            return len(set(live_children(init)) - bot)
        finally:
            os.close(ended)
            os.kill(self.process.pid, signal.SIGCONT)

    def output(self) -> str:
        """Return the end of its output so far."""
        return self._bot.output_tail()

    def memory_bytes(self) -> int:
        """Return the resident memory of its whole process tree."""
        pages = 0
        for pid in (self.process.pid, *descendants(self.process.pid)):
            try:
                with open(f"/proc/{pid}/statm", encoding="ascii") as statm:  # noqa: PTH123 - procfs
                    pages += int(statm.read().split()[1])
            except OSError:
                continue  # the process has ended
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        """End the bot."""
        self.bench.output_tail = self.output()
        self.bench.output_bytes += self.process.output_bytes
        self._bot.stop()


def unresigned(played: BenchMatch) -> None:
    """Raise StepSkipped if the bot has resigned: it need not play every option or position."""
    if (resigned := next((call for call in played.calls if call.resign), None)) is not None:
        raise StepSkipped(resigned.note or "it resigns")


def play_with_partners(job: Job, game: AnyGame, seat: Seat, player: BotSeat) -> BenchMatch:
    """Play a match with partners in all other seats; faults do not raise."""
    partners = {other: Partner(game, job) for other in job.seats() if other != seat}
    seated: dict[Seat, Participant] = {**partners, seat: player}
    match = Match(job, game, dict(sorted(seated.items())), lambda _: None)
    verdict = match.play([])
    calls = match.recorder.calls
    return BenchMatch(
        verdict=verdict,
        calls=[call for call in calls if call.seat == seat],
        line=list(calls),
        strays=player.strays,
        warning=match.recorder.warnings.get(seat),
    )


class Altered:
    """A link that changes its calls."""

    def __init__(self, link: Link, alter: Alter) -> None:
        self._link = link
        self._alter = alter

    def send(self, payload: bytes) -> None:
        """Send an altered call."""
        self._alter(self._link, payload)

    def receive(self, until_ns: int) -> bytes | None:
        """Return the next message."""
        return self._link.receive(until_ns)
