"""`--debug` of `arena match` and `arena replay`: a bot without limits, for a debugger.

It runs without a sandbox in the command's terminal, and its PID is printed at its start. The
bridge of an engine shows every line to and from it (ARENA_DEBUG).
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TypeVar

from arena.check.own_files import with_own_files
from arena.errors import UsageError
from arena.terminal.output import tell
from protocol.messages import Message
from referee.job import Job, Player
from referee.sandbox import Groups, Limits, NoStartError
from referee.seats.bot import Bot
from referee.seats.bot_seat import BotSeat
from referee.seats.clock import WallClock
from referee.seats.hellos import wait_for_hellos
from referee.seats.seat import Answer, OpenCall
from referee.seats.stopwatch import Stopwatch

FOREVER_NS = 10**15
"""A time in nanoseconds as good as unlimited: eleven days. The kernel waits 24 at most."""
OUTSIDE = "runs a bot outside every sandbox, with your files; for one that you trust, say so"
_LIMITS = Limits(memory_bytes=None, processes=4096, files=1024)
_WITH_OUR_STDIO = (
    'exec env ARENA_DEBUG=1 {variables} "$@"'
    " </proc/{pid}/fd/0 >>/proc/{pid}/fd/1 2>>/proc/{pid}/fd/2"
)

R = TypeVar("R", bound=Message)


class Patient(BotSeat):
    """The seat of a bot without time limits."""

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Make a call and wait for its reply without a limit."""
        return super().ask(replace(call, limit_ns=FOREVER_NS))


@contextmanager
def patient(job: Job, seat: int, groups: Groups | None, name: str) -> Iterator[Patient]:
    """Start the bot, print its name and pid and wait for its hello; end it afterwards."""
    for number in (1, 2):  # the bot opens a file anew: without this, both would write over lines
        fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_APPEND)
    entry = job.player(seat)
    bot = Bot(with_stdio(entry), replace(job, limits=_LIMITS), groups)
    try:
        try:
            bot.confirm()
        except NoStartError as error:
            raise UsageError(f"--debug {name}: cannot be started: {error}") from None
        tell(f"debug: {name} is process {bot.process.pid}, its limits are suspended")
        clock = WallClock()
        for forfeit in wait_for_hellos({seat: bot}, FOREVER_NS, clock):
            raise UsageError(f"--debug {name}: {forfeit.detail}")
        if bot.link is None or bot.hello is None:
            raise RuntimeError("an arrived bot has a link")
        control = replace(job.time, wall_bank_ns=FOREVER_NS)
        watch = Stopwatch(seat, bot.process, control, clock)
        yield Patient(seat, bot.link, bot.process, watch, wants=bot.hello.wants or ())
        bot.hang_up()
    finally:
        bot.stop()


def with_stdio(entry: Player) -> Player:
    """Return the bot with its author's files and the stdin, stdout and stderr of this process.

    It has the pid that it is started with.
    """
    entry, variables = with_own_files(entry)
    script = _WITH_OUR_STDIO.format(pid=os.getpid(), variables=variables)
    return replace(entry, argv=("/bin/sh", "-c", script, "sh", *entry.argv), tier="none")
