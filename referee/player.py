"""One bot in its seat: ask it, charge the time, name the fault."""

import os
import statistics
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeVar

from protocol.codec import decode, encode, encode_fields
from protocol.errors import MalformedError, OversizeError, WireError, shown
from protocol.link import ClosedError
from protocol.messages import Error, Fields, Message, Pong, parse
from protocol.vocabulary import Seat, Termination
from referee.clock import Budget, Clock
from referee.deadline import Deadline
from referee.errors import BrokenMatchError, Forfeit
from referee.job import TimeControl
from referee.record import NullCost, Spent

PINGS = 20
PINGS_NS = 1_000_000_000
"""How long one ping may take, and after how long together no more are sent."""
MAX_STRAYS = 16
"""Messages nobody asked for that a bot may send in a match before they are a fault."""
EXIT_NS = 250_000_000
"""How long a bot that has closed its connection may take to exit, so as to say with which code."""
SLICE_NS = 50_000_000
"""How long one wait may last before the CPU clock is looked at again."""
STALL_NS = 250_000_000
"""A wait that ends this much later than asked means that the referee itself was stopped."""
NEAR = 0.9
"""The part of a limit from which on a reply is near it."""
PONDER_NS = 5_000_000
"""CPU time between two calls from which on a bot is thinking, not tidying up."""

R = TypeVar("R", bound=Message)


class Link(Protocol):
    """What a player needs of its link."""

    def send(self, payload: bytes) -> None:
        """Send one message, without blocking."""
        ...

    def receive(self, until_ns: int) -> bytes | None:
        """Return the next message, None at `until_ns`; raises ClosedError."""
        ...


class Process(Protocol):
    """What a player needs of its process."""

    @property
    def has_hit_memory_limit(self) -> bool:
        """Whether it was ended, or a child of it, since it had too much memory."""
        ...

    def cpu_ns(self) -> int:
        """Return the CPU time spent so far."""
        ...

    def queued_ns(self) -> Mapping[int, int]:
        """Return for how long each thread has stood ready to run and did not."""
        ...

    def wait_end(self, wait_ns: int) -> str | None:
        """Return how it ended, or None."""
        ...

    def suspend(self) -> None:
        """Stop it until `resume`."""
        ...

    def resume(self) -> None:
        """Let it go on."""
        ...


class Seated(Protocol):
    """Whoever sits in a seat: what a match needs of a player."""

    budget: Budget
    null: NullCost | None
    told: int
    spent: Spent

    def ask(self, name: str, fields: Fields, model: type[R], limit_ns: int) -> R:
        """Make a call and return its reply; `spent` then says what it cost."""
        ...

    def measure_null(self) -> None:
        """Measure what a null call costs, and what the start of the process has used."""
        ...

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Tell the author what was wrong."""
        ...


class Player:
    """A seat that can be asked. Every fault of the bot leaves here as a Forfeit."""

    def __init__(
        self, seat: Seat, link: Link, process: Process, control: TimeControl, clock: Clock
    ) -> None:
        self.seat = seat
        self.budget = Budget(control)
        self.strays = 0
        self.off_turn_ns = 0
        """CPU time spent while others were called."""
        self.start_cpu_ns: int | None = None
        """CPU time from exec to the last ping; None where the process was there before."""
        self.null: NullCost | None = None
        self.told = 0
        """How many of the match's moves the bot has been told or has made."""
        self.spent = Spent()
        """What the last call cost."""
        self.near_limit = 0
        """Replies that used more than NEAR of their limit, grace included."""
        self.look_around: Callable[[], None] = lambda: None
        """Called now and then while this seat is waited for: to look at the others."""
        self._strikes = 0
        """Replies that used grace."""
        self._link = link
        self._process = process
        self._control = control
        self._clock = clock
        self._call_id = 0
        self._steps = _random_steps()
        self._cpu_seen_ns = process.cpu_ns()
        self._received_ns = clock.now_ns()
        self._is_suspended_off_turn = False
        self._stalled_ns = 0

    def ask(self, name: str, fields: Fields, model: type[R], limit_ns: int) -> R:
        """Make a call, wait for its reply and charge it; `spent` then says what it cost.

        `fields` are those of the call's model but type and id. They are sent unchecked, since they
        are ours: the tests check every call against its model. Raises Forfeit for a bot's fault,
        which is charged as well, and BrokenMatchError when the referee itself was stopped.
        """
        self._call_id = self._new_id()
        payload = encode_fields({"type": name, "id": self._call_id, **fields})
        if self._is_suspended_off_turn:
            self._process.resume()
        sent_ns = self._clock.now_ns()
        self._look_off_turn(sent_ns)
        self._link.send(payload)
        deadline = Deadline(
            self._process,
            self._control,
            sent_ns=sent_ns,
            limit_ns=limit_ns,
            most_ns=self.budget.wall_ns,
        )
        try:
            reply = self._wait(name, sent_ns, limit_ns, deadline)
        finally:
            self._measure(name, sent_ns, limit_ns, deadline)
            self._charge(name)
        if self._is_suspended_off_turn and name != "term":
            self._process.suspend()  # after Term it may end, or wait for its next match
        self._judge(name, limit_ns)
        try:
            return parse(model, reply)
        except MalformedError as error:
            raise self._forfeit(Termination.MALFORMED, f"reply to {name}: {error}") from None

    def look_idle(self) -> None:
        """Suspend it if it thinks while another is called, so that the other can think, too.

        Many processes that spin would else take nearly all of the core that a rival is timed on.
        """
        if self._control.ponder or self._is_suspended_off_turn:
            return
        if self._process.cpu_ns() - self._cpu_seen_ns > PONDER_NS:
            self._is_suspended_off_turn = True
            self._process.suspend()

    def measure_null(self) -> None:
        """Ping the bot to measure the line; nothing is taken off a charge by it.

        The time that the pings may take together is bounded. What they burn belongs to the start,
        so that nobody can prepare on pings what would be charged before them or after them.
        """
        walls: list[int] = []
        cpus: list[int] = []
        while len(walls) < PINGS and sum(walls) < PINGS_NS:
            self.ask("ping", {}, Pong, PINGS_NS)
            walls.append(self.spent.wall_ns)
            cpus.append(self.spent.cpu_ns)
        wall_ns, cpu_ns = statistics.median(walls), statistics.median(cpus)
        self.null = NullCost(wall_ns=round(wall_ns), cpu_ns=round(cpu_ns))
        self.start_cpu_ns = self._cpu_seen_ns

    def tell_fault(self, forfeit: Forfeit) -> None:
        """Tell the author what was wrong, if there is still somebody to tell."""
        self._link.send(encode(Error(code=forfeit.termination, detail=forfeit.detail[:1000])))

    def tell_void(self, seats: int) -> None:
        """Say that the match is over and counts for nobody, whatever was asked last."""
        self._process.resume()
        fields: Fields = {
            "opponent_moves": [],
            "termination": Termination.VOID.value,
            "scores": ["0"] * seats,
            "reason": "the match counts for nobody",
            "offenders": [],
            "last": True,
        }
        self._link.send(encode_fields({"type": "term", "id": self._new_id(), **fields}))

    def _new_id(self) -> int:
        """Return an id above the last, from the second on by a step that nobody can guess.

        Otherwise a bot could send replies ahead of their calls, and one that is late could pass
        for the reply to a later call.
        """
        return self._call_id + 1 + (next(self._steps) if self._call_id else 0)

    def _start_excess_ns(self, name: str) -> int:
        """Return the CPU time of the start that is charged with this call, whatever the clock.

        Bots start at the same time on one core, so that wall time would be that of the others too.
        """
        if name != "init" or self.start_cpu_ns is None:
            return 0
        return max(0, self.start_cpu_ns - self._control.start_free_ns)

    def _measure(self, name: str, sent_ns: int, limit_ns: int, deadline: Deadline) -> None:
        wall_ns = self._received_ns - sent_ns
        cpu_seen_ns = self._process.cpu_ns()
        excess_ns = self._start_excess_ns(name)
        cpu_ns = cpu_seen_ns - self._cpu_seen_ns + excess_ns
        self._cpu_seen_ns = cpu_seen_ns
        charged_ns = wall_ns + excess_ns if self._control.clock == "wall" else cpu_ns
        self.budget.charge_wall(wall_ns - deadline.free_ns(self._received_ns))
        self.spent = Spent(wall_ns, cpu_ns, charged_ns, max(0, charged_ns - limit_ns))

    def _charge(self, name: str) -> None:
        if name == "move":
            self.budget.charge_move(self.spent.charged_ns)
        elif name != "ping":
            self.budget.charge(self.spent.charged_ns)

    def _judge(self, name: str, limit_ns: int) -> None:
        """Judge how long a reply has taken: in time, forgiven as noise of the host, or too late."""
        charged_ns = self.spent.charged_ns
        is_counted = name != "ping"
        self.near_limit += is_counted and charged_ns > NEAR * limit_ns
        if charged_ns <= limit_ns:
            return
        self._strikes += is_counted
        is_struck_out = self._control.strikes is not None and self._strikes > self._control.strikes
        if charged_ns <= limit_ns + self._control.grace_ns and not is_struck_out:
            return
        if self._control.clock == "wall":
            self._refuse_to_judge_if_stalled()
        raise self._timeout(name, charged_ns, limit_ns)

    def _look_off_turn(self, now_ns: int) -> None:
        """Read what was burnt since the last reply; more than tidying up is thinking."""
        if now_ns - self._received_ns <= PONDER_NS:
            return  # too short for thinking; it is charged with the next call all the same
        cpu_ns = self._process.cpu_ns()
        if (burnt_ns := cpu_ns - self._cpu_seen_ns) > PONDER_NS:
            self.off_turn_ns += burnt_ns
            self._is_suspended_off_turn = not self._control.ponder
        if self._control.ponder:
            self._cpu_seen_ns = cpu_ns

    def _wait(self, name: str, sent_ns: int, limit_ns: int, deadline: Deadline) -> Fields:
        """Return the fields of the reply to this call; whatever else comes is a stray."""
        self._received_ns = sent_ns
        self._stalled_ns = 0
        while True:
            payload = self._receive(name, deadline.at_ns)
            if payload is None:
                self.look_around()
                deadline.look(self._received_ns)
                self._check_time(name, sent_ns, limit_ns, deadline)
                continue
            try:
                fields = decode(payload)
            except WireError as error:
                raise self._wire_fault(name, error) from None
            if fields.get("id") == self._call_id and type(fields["id"]) is int:
                return fields
            self._count_stray(fields, name)

    def _receive(self, name: str, deadline_ns: int) -> bytes | None:
        """Wait for a slice of time; note it when the wait itself was held up.

        What was done since the last wait is no stall, however long it took: a bot of thousands of
        processes makes it long to look at them.
        """
        began_ns = self._clock.now_ns()
        until_ns = max(began_ns, min(deadline_ns, began_ns + SLICE_NS))
        try:
            return self._link.receive(until_ns)
        except ClosedError as error:
            raise self._gone(name, str(error)) from None
        except WireError as error:
            raise self._wire_fault(name, error) from None
        finally:
            self._received_ns = self._clock.now_ns()
            if self._received_ns - until_ns > STALL_NS:
                self._stalled_ns += self._received_ns - until_ns

    def _wire_fault(self, name: str, error: WireError) -> Forfeit:
        is_oversize = isinstance(error, OversizeError)
        termination = Termination.OVERSIZE if is_oversize else Termination.MALFORMED
        return self._forfeit(termination, f"reply to {name}: {error}")

    def _gone(self, name: str, how: str) -> Forfeit:
        ended = self._process.wait_end(EXIT_NS)
        during = f"during the {name} call"
        if ended is None:
            return self._forfeit(Termination.CRASH, f"{how} {during}, while its process runs on")
        is_memory = self._process.has_hit_memory_limit
        termination = Termination.MEMORY if is_memory else Termination.CRASH
        return self._forfeit(termination, f"ended {during}: {ended}")

    def _check_time(self, name: str, sent_ns: int, limit_ns: int, deadline: Deadline) -> None:
        """Judge a call that is still unanswered: out of time, or not yet."""
        if self._control.clock == "cpu":
            burnt_ns = self._process.cpu_ns() - self._cpu_seen_ns + self._start_excess_ns(name)
            if burnt_ns > limit_ns + self._control.grace_ns:
                raise self._timeout(name, burnt_ns, limit_ns)
        now_ns = self._received_ns
        if now_ns < deadline.at_ns:
            return
        self._refuse_to_judge_if_stalled()
        if deadline.is_of_bank:
            allowed_s = self._control.wall_allowed_ns / 1e9
            raise self._forfeit(
                Termination.TIMEOUT,
                f"no reply to {name} when the wall time of all its calls was {allowed_s:g} s;"
                f" wall_bank allows no more in a match{deadline}",
            )
        raise self._forfeit(
            Termination.TIMEOUT,
            f"no reply to {name} after {(now_ns - sent_ns) / 1e6:.1f} ms of wall time; the limit"
            f" by the {self._control.clock} clock is {self._allowed(limit_ns)}{deadline}",
        )

    def _refuse_to_judge_if_stalled(self) -> None:
        if self._stalled_ns:
            raise BrokenMatchError(
                f"the referee was stopped for {self._stalled_ns / 1e6:.0f} ms while seat"
                f" {self.seat} was called"
            )

    def _timeout(self, name: str, charged_ns: int, limit_ns: int) -> Forfeit:
        detail = (
            f"{name} took {charged_ns / 1e6:.3f} ms by the {self._control.clock} clock; the limit"
            f" is {self._allowed(limit_ns)}"
        )
        if excess_ns := self._start_excess_ns(name):
            free_ms = self._control.start_free_ns / 1e6
            detail += (
                f"; {excess_ns / 1e6:.3f} ms of it is CPU time before init, of which"
                f" {free_ms:g} ms are free"
            )
        return self._forfeit(Termination.TIMEOUT, detail)

    def _allowed(self, limit_ns: int) -> str:
        allowed = f"{limit_ns / 1e6:g} ms + {self._control.grace_ns / 1e6:g} ms grace"
        if self._control.strikes is None:
            return allowed
        return f"{allowed}, {self._control.strikes} times a match"

    def _count_stray(self, fields: Fields, name: str) -> None:
        self.strays += 1
        if self.strays > MAX_STRAYS:
            what = f"{shown(fields.get('type'))} with id {shown(fields.get('id'))}"
            raise self._forfeit(
                Termination.MALFORMED,
                f"{self.strays} messages that nobody asked for, the last {what} during {name}",
            )

    def _forfeit(self, termination: Termination, detail: str) -> Forfeit:
        return Forfeit(self.seat, termination, detail)


def _random_steps() -> Iterator[int]:
    """Yield numbers of 16 bits that nobody can foresee, drawn from the kernel many at a time."""
    while True:
        yield from memoryview(os.urandom(512)).cast("H")
