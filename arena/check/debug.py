"""`arena match ... --debug BOT`: one bot without limits and with the terminal, for a debugger.

The matches are played one after another in this process. All other bots keep the rules and limits;
the debugged bot keeps only the rules. It runs without a sandbox in the command's terminal, and its
PID is printed at its start. The bridge of an engine shows every line to and from it (ARENA_DEBUG).
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from arena.config.event import Config
from arena.errors import HostError, UsageError
from arena.event.held_event import held_event
from arena.event.plan import make_plan
from arena.event.players import prepare_players
from arena.formats.event_results import table_of
from arena.results.store import Store
from arena.terminal.output import tell
from arena.terminal.show import event_text
from arena.terminal.tables import outcome_line
from protocol.messages import Message
from protocol.wording import did_you_mean, quoted
from referee.bot import Bot
from referee.bot_seat import BotSeat
from referee.clock import WallClock
from referee.errors import BrokenMatchError, NoStartError
from referee.hellos import wait_for_hellos
from referee.host import Host, hosting
from referee.job import Job, Limits, Player
from referee.record import Record
from referee.sandbox.cgroup import Groups
from referee.seat import Answer, OpenCall, Participant
from referee.stopwatch import Stopwatch

FOREVER_NS = 10**15
"""A time in nanoseconds as good as unlimited: eleven days. The kernel waits 24 at most."""
_LIMITS = Limits(memory_bytes=None, processes=4096, files=1024)
_WITH_OUR_STDIO = 'ARENA_DEBUG=1 exec "$@" </proc/{pid}/fd/0 >>/proc/{pid}/fd/1 2>>/proc/{pid}/fd/2'

R = TypeVar("R", bound=Message)


class Patient(BotSeat):
    """The seat of a bot without time limits."""

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Make a call and wait for its reply without a limit."""
        return super().ask(replace(call, limit_ns=FOREVER_NS))


def debug_match(config: Config, reference: str, db: Path) -> None:
    """Play the matches of a config with one bot, named as there, under debug; print standings."""
    name = _player(config, reference)
    players, _ = prepare_players(config, skip_missing=False)
    for number in (1, 2):  # the bot opens a file anew: without this, both would write over lines
        fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_APPEND)
    with (
        closing(Store(db, is_new_allowed=True)) as store,
        hosting() as host,
        held_event(store, config, players, is_new=True) as event,
    ):
        plan = make_plan(config, players, event.seed)
        for pairing in plan.pairings:
            match = store.add_match(
                event.id,
                board=pairing.board,
                variant=pairing.variant,
                attempt=1,
                match=_played(host, plan.job_of(pairing), name).finished(),
            )
            if match is not None:
                tell(outcome_line(match))
        print(event_text(store, event, table_of(store, event)))


def _player(config: Config, reference: str) -> str:
    names = [entrant.name for entrant in config.bots]
    if reference in names:
        return reference
    for entrant in config.bots:
        if reference.rstrip("/") == entrant.bot.rstrip("/"):
            return entrant.name
    raise UsageError(
        f"--debug {quoted(reference)}: no such player; {did_you_mean(reference, names)}"
    )


def with_stdio(entry: Player) -> Player:
    """Return the bot with stdin, stdout and stderr of this process, under its own pid."""
    script = _WITH_OUR_STDIO.format(pid=os.getpid())
    return replace(entry, argv=("/bin/sh", "-c", script, "sh", *entry.argv), tier="none")


def _played(host: Host, job: Job, name: str) -> Record:
    try:
        if name not in job.names():
            return host.play(job)
        seat = job.names().index(name)
        with _patient(job, seat, host.groups) as person:
            return host.play(job, {seat: person})
    except BrokenMatchError as error:
        raise HostError(f"match {job.key} is void: {error}") from None


@contextmanager
def _patient(job: Job, seat: int, groups: Groups | None) -> Iterator[Participant]:
    """Start the bot, print its pid and wait for its hello; end it afterwards."""
    entry = job.player(seat)
    bot = Bot(with_stdio(entry), replace(job, limits=_LIMITS), groups)
    try:
        try:
            bot.confirm()
        except NoStartError as error:
            raise UsageError(f"--debug {entry.name}: cannot be started: {error}") from None
        tell(f"debug: {entry.name} is process {bot.process.pid}, its limits are suspended")
        clock = WallClock()
        for forfeit in wait_for_hellos({seat: bot}, FOREVER_NS, clock):
            raise UsageError(f"--debug {entry.name}: {forfeit.detail}")
        if bot.link is None or bot.hello is None:
            raise RuntimeError("an arrived bot has a link")
        control = replace(job.time, wall_bank_ns=FOREVER_NS)
        watch = Stopwatch(seat, bot.process, control, clock)
        yield Patient(seat, bot.link, bot.process, watch, wants=bot.hello.wants or ())
        bot.hang_up()
    finally:
        bot.stop()
