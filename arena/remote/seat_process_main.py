"""Runs the bot of one seat for `arena join`, one seat after another, in a process of its own.

It starts the bot like a referee, with the same sandbox and limits, and copies its messages to and
from the pipes of `arena join`. Without threads and libzmq, this process may fork.
"""

import os
import select
import signal
import sys
import time
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from arena.errors import cause
from arena.remote.wire import Head, PipeReader, pipe_bytes
from protocol.codec import MAX_CALL_BYTES, encode_fields
from protocol.errors import WireError
from protocol.link import ClosedError, Link
from referee.errors import NO_BLAME
from referee.job import MILLISECOND_NS, Job, Player
from referee.sandbox import ExhaustedError, Limits, NoStartError, end_with_parent, start_warden
from referee.seats.bot import Bot
from referee.seats.bot_seat import AFTER_CLOSE_NS
from referee.seats.clock import WallClock
from referee.seats.hellos import wait_for_hellos
from referee.seats.match_bots import reported_exhaustion
from referee.service.slot import Slot, open_slot

WAIT_NS = 60_000_000_000
"""Longest single wait for a message, in nanoseconds; the limits are the referee's."""
AGAIN_MS = 100
"""Milliseconds between two tries to start a bot while the machine lacks processes or memory."""
MAX_UNREAD = 4 * MAX_CALL_BYTES
"""Limit of bytes not read by the bot: a referee sends one call at a time."""
_CHUNK = 1 << 16
_PLAYERS = TypeAdapter(Player)
_LIMITS = TypeAdapter(Limits)


class _Stopped(Exception):  # noqa: N818 - no error: the seat is over
    """The referee has ended the seat."""


@dataclass
class Pipes:
    """The pipes to `arena join`: messages in, messages out."""

    source: int
    target: int

    def __post_init__(self) -> None:
        self._reader = PipeReader()
        self._waiting: list[tuple[Head, bytes]] = []

    def send(self, head: Head, payload: bytes = b"") -> None:
        """Send a message."""
        left = memoryview(pipe_bytes(head, payload))
        while left:
            left = left[os.write(self.target, left) :]

    def receive(self) -> tuple[Head, bytes]:
        """Wait for a message; raises EOFError when `arena join` has ended."""
        while not self._waiting:
            self.read()
        return self._waiting.pop(0)

    def read(self) -> None:
        """Read the arrived bytes."""
        data = os.read(self.source, _CHUNK)
        if not data:
            raise EOFError
        self._waiting += self._reader.feed(data)

    def taken(self) -> list[tuple[Head, bytes]]:
        """Return the messages that have been read."""
        found, self._waiting = self._waiting, []
        return found


def main() -> None:
    """Play seats until the pipe is closed."""
    end_with_parent(signal.SIGTERM)
    start_warden(signal.SIGTERM)
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # `arena join` handles Ctrl-C
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    pipes = Pipes(sys.stdin.fileno(), os.dup(sys.stdout.fileno()))
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # nothing else may write to the pipe
    with open_slot() as slot:
        try:
            while True:
                head, _ = pipes.receive()
                if head["do"] == "start":  # anything else belongs to a seat that has ended
                    play_seat(slot, pipes, head)
        except EOFError:
            return


def play_seat(slot: Slot, pipes: Pipes, order: Head) -> None:
    """Start the bot, copy its messages until one side has ended, and end it with its orphans."""
    player = _PLAYERS.validate_python(order["player"])
    job = Job(
        key="remote",
        game=order["game"],
        players=(player,),
        seed=0,
        board_seed=0,
        limits=_LIMITS.validate_python(order["limits"]),
    )
    how, tail = "stopped", ""
    bot: Bot | None = None
    start_ns = order["start_ms"] * MILLISECOND_NS
    until_ns = time.monotonic_ns() + start_ns
    try:
        while (bot := _start(slot, job, until_ns)) is None:
            _look(pipes, AGAIN_MS)
        how = _copy(bot, pipes, start_ns)
    except NoStartError as error:
        how = f"cannot be started: {error}"
    except (*NO_BLAME, OSError) as error:
        how = f"cannot be started on its owner's machine: {cause(error)}"
    except _Stopped:
        pass
    finally:
        if bot is not None:
            tail = bot.output_tail()
            bot.stop()
        slot.rest()  # unreaped processes of each bot would use up the limit of their group
    pipes.send({"do": "ended", "how": how, "tail": tail})


def _start(slot: Slot, job: Job, until_ns: int) -> Bot | None:
    """Start the bot; return None if the machine lacks resources for it and may be asked again."""
    bot: Bot | None = None
    try:
        with reported_exhaustion():
            bot = Bot(job.player(0), job, slot.groups, slot.users)
            bot.confirm()
    except BaseException as error:
        if bot is not None:
            bot.stop()
        if isinstance(error, ExhaustedError) and time.monotonic_ns() < until_ns:
            return None
        raise
    return bot


def _look(pipes: Pipes, wait_ms: int = 0) -> None:
    """Raise _Stopped if the seat has ended, maybe in the same read that brought its start.

    Calls before the hello are of a hostile host, and left out.
    """
    poll = select.poll()
    poll.register(pipes.source, select.POLLIN)
    if poll.poll(wait_ms):
        pipes.read()
    if any(head["do"] == "stop" for head, _ in pipes.taken()):
        raise _Stopped


def _copy(bot: Bot, pipes: Pipes, start_ns: int) -> str:
    """Copy messages until the bot ends; return how. Raises _Stopped."""
    for failure in wait_for_hellos({0: bot}, start_ns, WallClock(), lambda: _look(pipes)):
        return failure.detail
    link, hello = bot.link, bot.hello
    if link is None or hello is None:
        raise RuntimeError("an arrived bot has a link")
    pipes.send({"do": "hello"}, _without_token(hello.model_dump(exclude_none=True)))

    link.watch(pipes.source, lambda: _pass_on(pipes, link))
    try:
        while True:
            if (message := link.receive(time.monotonic_ns() + WAIT_NS)) is not None:
                pipes.send({"do": "reply"}, message)
    except ClosedError as error:
        return bot.process.wait_end(AFTER_CLOSE_NS) or str(error)
    except WireError as error:
        return f"sent invalid bytes: {error}"


def _pass_on(pipes: Pipes, link: Link) -> bool:
    """Send arrived messages to the bot; return False. Raises _Stopped, ClosedError."""
    pipes.read()
    for head, payload in pipes.taken():
        if head["do"] == "stop":
            raise _Stopped
        link.send(payload)
        if link.unsent > MAX_UNREAD:
            raise ClosedError("it does not read its calls")
    return False


def _without_token(fields: dict[str, Any]) -> bytes:
    del fields["token"]
    return encode_fields(fields)


if __name__ == "__main__":
    main()
