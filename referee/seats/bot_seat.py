"""The seat of a bot: make a call over its link, measure the call, name the fault."""

import os
import statistics
from collections.abc import Callable, Collection, Iterator
from itertools import chain, repeat
from typing import Protocol, TypeVar

from protocol.codec import decode, encode, encode_call
from protocol.errors import MalformedError, OversizeError, WireError
from protocol.link import ClosedError
from protocol.messages import Error, Fields, Message, Pong, parse
from protocol.vocabulary import Seat, Termination
from protocol.wording import shown
from referee.errors import UNMATCHED, BrokenMatchError, Forfeit, ShortageError
from referee.records.record import NullCost
from referee.seats.seat import FREE, Answer, OpenCall
from referee.seats.stopwatch import Stopwatch, TimedProcess

PINGS = 9
PINGS_NS = 1_000_000_000
"""Time limit of one ping and of all pings together, in nanoseconds."""
MAX_STRAYS = 16
"""Unasked messages of a bot in a match, at most; one more is a fault."""
AFTER_CLOSE_NS = 250_000_000
"""Time in nanoseconds for a bot to exit after closing its connection, to learn its exit code."""

R = TypeVar("R", bound=Message)


class BotLink(Protocol):
    """A player's link to its bot."""

    def send(self, payload: bytes) -> None:
        """Send one message, without blocking."""

    def receive(self, until_ns: int) -> bytes | None:
        """Return the next message, None at `until_ns`; raises ClosedError."""


class BotProcess(TimedProcess, Protocol):
    """A player's process of its bot."""

    @property
    def has_hit_memory_limit(self) -> bool:
        """Whether the bot or one of its children was killed for lack of memory."""

    @property
    def shortage(self) -> str | None:
        """How the machine denied the bot memory, processes or disk below the bot's own limits."""

    def wait_end(self, wait_ns: int) -> str | None:
        """Return the way the bot ended; None while it runs."""


class BotSeat:
    """A bot in its seat, for one match.

    Normal use, for each call of the match:

        reply, spent = seat.ask(call)   # sends it, waits, judges the time, checks the reply
        if isinstance(reply, Forfeit):  # the bot's fault
            seat.tell_fault(reply)
    """

    def __init__(
        self,
        seat: Seat,
        link: BotLink,
        process: BotProcess,
        watch: Stopwatch,
        *,
        wants: Collection[str] = (),
        null: NullCost | None = None,
        last_id: int = 0,
        watch_others: Callable[[], None] = lambda: None,
    ) -> None:
        """Take the seat; `null` is the cost of a null call, or None: measured before init.

        `last_id` is the id of the last call to this process: a kept bot must not know the next.
        `watch_others` is called between the waits for this seat, to suspend other thinking bots.
        """
        self.wants = wants
        self.null = null
        self.watch = watch
        self.strays = 0
        """Unasked messages so far."""
        self.require_line: Callable[[int], None] = lambda _: None
        """Called before a timeout of a remote bot, with the time of the call in ns; raises
        BrokenMatchError if its line may be the cause.
        """
        self.begin_output: Callable[[], None] = lambda: None
        """Called when a charged call has been sent: what is printed from now on belongs to it."""
        self._stray = (last_id, "")
        """The last of them in words, and the id of the call at that time."""
        self._watch_others = watch_others
        self._seat = seat
        self._link = link
        self._process = process
        self.last_id = last_id
        """Id of the last call."""
        self._steps = _steps(last_id)
        """From each call's id to the next."""

    def ask(self, call: OpenCall[R]) -> Answer[R]:
        """Make a call, wait for its reply and measure it; the answer has the bot's fault.

        The fields are sent unchecked: the tests check every call against its model. Raises
        BrokenMatchError when the referee itself was stopped, or if the machine was short of memory,
        processes or disk: a bot without them may fail in any way.
        """
        if call.name == "init" and self.null is None:
            try:
                self.measure_null()
            except Forfeit as forfeit:
                return forfeit, FREE
        try:
            until_ns = self._send(call)
            reply = self._exchange(call, until_ns)
            answer: R | Forfeit = self._judge(call, reply)
        except Forfeit as forfeit:
            answer = self._blame(call, forfeit)
        return answer, self.watch.spent

    def measure_null(self) -> None:
        """Ping the bot to measure the line; no charge depends on it. Raises Forfeit.

        The pings' total time is bounded. Their CPU time belongs to the start of the process, so no
        bot can hide work in pings.
        """
        walls: list[int] = []
        cpus: list[int] = []
        ping = OpenCall(name="ping", fields={}, model=Pong, limit_ns=PINGS_NS)
        while len(walls) < PINGS and sum(walls) < PINGS_NS:
            reply, spent = self.ask(ping)
            if isinstance(reply, Forfeit):
                raise reply
            walls.append(spent.wall_ns)
            cpus.append(spent.cpu_ns)
        wall_ns, cpu_ns = statistics.median(walls), statistics.median(cpus)
        self.null = NullCost(wall_ns=round(wall_ns), cpu_ns=round(cpu_ns))
        self.watch.end_start()

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Send the bot an error notice, unless the link is closed."""
        self._link.send(encode(Error(code=forfeit.termination, detail=forfeit.detail[:1000])))

    def tell_void(self, seats: int) -> None:
        """Send a last Term for a void match, whatever call is open."""
        self._process.resume()
        fields: Fields = {
            "opponent_moves": [],
            "termination": Termination.VOID.value,
            "scores": ["0"] * seats,
            "reason": "the match is void",
            "offenders": [],
            "last": True,
        }
        self._link.send(encode_call("term", self.last_id + next(self._steps), fields))

    def _send(self, call: OpenCall[R]) -> int:
        """Send a call, and return the end of the first wait for its reply."""
        self.last_id += next(self._steps)
        payload = encode_call(call.name, self.last_id, call.fields)
        until_ns = self.watch.start(call.name, call.limit_ns)
        self._link.send(payload)  # reads what was printed before
        if call.name != "ping":
            self.begin_output()
        return until_ns

    def _exchange(self, call: OpenCall[R], until_ns: int) -> R | Fields:
        """Wait for the reply, by slices of time, and measure the call; raises Forfeit."""
        try:
            while True:
                message = self._receive(call.name, until_ns)
                if message is None:
                    self._watch_others()
                    self.watch.check()
                elif (reply := self._reply_in(message, call)) is not None:
                    return reply
                until_ns = self.watch.begin_wait()
        finally:
            self.watch.stop()

    def _judge(self, call: OpenCall[R], reply: R | Fields) -> R:
        """Return the reply if it came in time and is valid; raises Forfeit."""
        self.watch.judge()
        if not isinstance(reply, dict):
            return reply
        try:
            return parse(call.model, reply)
        except MalformedError as error:
            detail = f"reply to {call.name}: {error}"
            raise self._forfeit(Termination.MALFORMED, detail) from None

    def _blame(self, call: OpenCall[R], forfeit: Forfeit) -> Forfeit:
        """Return the fault of a bot; raises BrokenMatchError if machine or line may be the cause.

        In term that changes no result.
        """
        if call.name != "term" and (shortage := self._process.shortage) is not None:
            raise ShortageError(shortage) from None
        if forfeit.termination is Termination.TIMEOUT and call.name != "term":
            self.require_line(self.watch.sent_ns)
        return self._with_stray(forfeit)

    def _reply_in(self, message: bytes, call: OpenCall[R]) -> R | Fields | None:
        """Return the reply to the open call, perhaps read already; None for a stray message."""
        if call.read is not None and (reply := call.read(message, self.last_id)) is not None:
            return reply
        try:
            fields = decode(message)
        except WireError as error:
            raise self._wire_fault(call.name, error) from None
        if fields.get("id") == self.last_id and type(fields["id"]) is int:
            return fields
        self._count_stray(fields, call.name)
        return None

    def _receive(self, name: str, until_ns: int) -> bytes | None:
        """Wait for a slice of time, and return a message if one arrives."""
        try:
            return self._link.receive(until_ns)
        except ClosedError as error:
            raise self._gone(name, str(error)) from None
        except WireError as error:
            raise self._wire_fault(name, error) from None
        finally:
            self.watch.end_wait(until_ns)

    def _wire_fault(self, name: str, error: WireError) -> Forfeit:
        is_oversize = isinstance(error, OversizeError)
        termination = Termination.OVERSIZE if is_oversize else Termination.MALFORMED
        return self._forfeit(termination, f"reply to {name}: {error}")

    def _gone(self, name: str, how: str) -> Forfeit:
        ended = self._end(name)
        during = f"during the {name} call"
        if ended is None:
            return self._forfeit(Termination.CRASH, f"{how} {during}, while its process still runs")
        is_memory = self._process.has_hit_memory_limit
        termination = Termination.MEMORY if is_memory else Termination.CRASH
        return self._forfeit(termination, f"ended {during}: {ended}")

    def _end(self, name: str) -> str | None:
        """Return how its process ended; after the verdict, a lost line makes no match void."""
        try:
            return self._process.wait_end(AFTER_CLOSE_NS)
        except BrokenMatchError:
            if name == "term":
                return None
            raise

    def _count_stray(self, fields: Fields, name: str) -> None:
        self.strays += 1
        number = "no id" if fields.get("id") is None else f"id {shown(fields['id'])}"
        stray = f"{shown(fields.get('type'))} with {number}"
        self._stray = (self.last_id, stray)
        if self.strays > MAX_STRAYS:
            raise self._forfeit(
                Termination.MALFORMED,
                f"{self.strays} unrequested messages, the last {stray} during {name}",
            )

    def _with_stray(self, forfeit: Forfeit) -> Forfeit:
        """Return a timeout with the message that the bot has sent instead of the reply, if any."""
        number, stray = self._stray
        if not stray or number != self.last_id or forfeit.termination is not Termination.TIMEOUT:
            return forfeit
        hint = f"it sent {stray}, {UNMATCHED}, {number}"
        return self._forfeit(Termination.TIMEOUT, f"{forfeit.detail}; {hint}")

    def _forfeit(self, termination: Termination, detail: str) -> Forfeit:
        return Forfeit(self._seat, termination, detail)


def _steps(last_id: int) -> Iterator[int]:
    """Yield 1, the step from 0 to the first id of a process, then random steps.

    Otherwise a bot could send replies ahead of their calls, and a late reply could pass for the
    reply to a later call. The kernel's random source is read for many steps at a time.
    """
    later = chain.from_iterable(map(_random_steps, repeat(128)))
    return later if last_id else chain((1,), later)


def _random_steps(count: int) -> Iterator[int]:
    return map((1).__add__, memoryview(os.urandom(2 * count)).cast("H"))
