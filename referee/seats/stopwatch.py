"""Time of one seat's calls: their cost, their limits, and CPU time between them."""

from typing import Protocol

from protocol.vocabulary import Seat, Termination
from referee.errors import IDLE, BrokenMatchError, Forfeit
from referee.job import TimeControl
from referee.records.calls import Spent
from referee.seats.allowance import Allowance
from referee.seats.clock import Clock, wall_deadline_ns
from referee.seats.deadline import Deadline, RunTimes

SLICE_NS = 50_000_000
"""Longest single wait, in nanoseconds; the CPU clock is read after each."""
STALL_NS = 250_000_000
"""Delay of the end of a wait, in nanoseconds, as proof of a stop of the referee itself."""
MOST_STALL_NS = 10_000_000_000
"""Time of stalls in a call, in nanoseconds, that is not charged. With more, by `clock: wall`, the
match is void: in a weak tier a bot could stop the referee and think for free."""
NEAR = 0.9
"""Part of a limit from which a reply is near the limit."""
IDLE_PART = 0.1
"""Part of a limit below which the CPU time of a late call shows that the bot only waited."""
PONDER_NS = 5_000_000
"""CPU time between two calls, in nanoseconds, above which a bot is thinking."""

MOST_OFF_TURN_NS = 4 * PONDER_NS
"""CPU time off turn in a match, in nanoseconds, after which a bot is suspended off turn. Ending a
reply takes an honest bot some of it; to be suspended costs nothing."""


class TimedProcess(RunTimes, Protocol):
    """A process with readable CPU time, and a way to suspend it."""

    def suspend(self) -> None:
        """Stop it until `resume`."""

    def resume(self) -> None:
        """Let it run again."""


class Stopwatch:
    """Measures and judges the calls of one seat in one match.

    Use per call: `start`; `end_wait` for each wait, `check` and `begin_wait` between two waits;
    `stop`; `judge` for a call with a reply.
    """

    def __init__(
        self,
        seat: Seat,
        process: TimedProcess,
        control: TimeControl,
        clock: Clock,
        *,
        allowance: Allowance | None = None,
        cpu_seen_ns: int | None = None,
    ) -> None:
        """Begin a match.

        `allowance` is the time of the line to take off the calls; None for a bot of this machine.
        `cpu_seen_ns` is the CPU time of a kept process at the end of its last match.
        """
        self.spent = Spent()
        """Cost of the last call."""
        self.wall_left_ns = control.wall_allowed_ns
        """Rest of the wall bank; never below 0."""
        self.off_turn_ns = 0
        """CPU time during the calls of other seats."""
        self.start_cpu_ns: int | None = None
        """CPU time from exec to the end of the pings; None for a kept process."""
        self.near_limit = 0
        """Replies that used more than NEAR of their limit, grace included."""
        self._strikes, self._grace_left_ns = 0, control.grace_ns
        """Replies that used grace, and the rest of the grace."""
        self._seat = seat
        self._process = process
        self._allowance = allowance
        self._control = control
        self._is_by_wall = control.clock == "wall"
        self._now_ns = clock.now_ns
        self._cpu_ns = process.cpu_ns
        self._name, self._limit_ns, self._sent_ns = "", 0, 0
        self.cpu_seen_ns = process.cpu_ns() if cpu_seen_ns is None else cpu_seen_ns
        """CPU time of the process that is charged already, or free."""
        self._received_ns = self._until_ns = clock.now_ns()
        self._stalled_ns = 0
        self._is_suspended_off_turn = False
        self._deadline: Deadline | None = None
        """The deadline of a call that has taken a slice of time; few do."""

    def start(self, name: str, limit_ns: int) -> int:
        """Start before a call is sent, resume the process, and return the end of the first wait."""
        if self._is_suspended_off_turn:
            self._process.resume()
        self._name, self._limit_ns = name, limit_ns
        self._sent_ns = sent_ns = self._now_ns()
        if self._is_by_wall or sent_ns - self._received_ns > PONDER_NS:
            self._look_off_turn()  # less is too short for thinking; the CPU clock charges it
        self._received_ns = sent_ns
        self._stalled_ns = 0
        self._deadline = None
        wall_ns = wall_deadline_ns(self._control, limit_ns, self._grace_left_ns)
        return sent_ns + min(wall_ns, self.wall_left_ns, SLICE_NS)

    @property
    def sent_ns(self) -> int:
        """Time at which the last call was sent, in ns of the clock."""
        return self._sent_ns

    def begin_wait(self) -> int:
        """Return the end of the next wait: a slice from now, or the deadline."""
        began_ns = self._now_ns()
        deadline = self._deadline = self._deadline or self._make_deadline()
        return max(began_ns, min(deadline.at_ns + self._stalled_ns, began_ns + SLICE_NS))

    def end_wait(self, until_ns: int) -> None:
        """Note the end of a wait, and a stall of the referee itself, which is not charged.

        A stall voids no match: otherwise a losing bot could hope for one on a busy machine.
        Time between two waits is no stall, however long: reading the clocks of a bot with
        thousands of processes is slow.
        """
        self._until_ns = until_ns
        self._received_ns = now_ns = self._now_ns()
        if now_ns - until_ns > STALL_NS:
            self._stalled_ns += now_ns - until_ns

    def check(self) -> None:
        """Raise Forfeit for a call without a reply in time."""
        self._refuse_long_stalls()
        if self._deadline is None:
            self._deadline = self._make_deadline()
        self._deadline.look(self._received_ns)
        idle = ""
        cpu_ns = self._cpu_ns()  # also looks at what else the bot holds
        if self._control.clock == "cpu":
            burnt_ns = cpu_ns - self.cpu_seen_ns + self._start_excess_ns()
            if burnt_ns < IDLE_PART * self._limit_ns:
                idle = f", {IDLE} {burnt_ns / 1e6:.1f} ms"
            if burnt_ns > self._limit_ns + self._grace_left_ns:
                raise self._timeout(burnt_ns)
        if self._received_ns < self._deadline.at_ns + self._stalled_ns:
            return
        if self._deadline.is_of_bank:
            allowed_s = self._control.wall_allowed_ns / 1e9
            raise self._forfeit(
                f"no reply to {self._name} before the wall time of all calls reached"
                f" {allowed_s:g} s, the limit of wall_bank{self._deadline}"
            )
        wall_ns = self._received_ns - self._sent_ns
        raise self._forfeit(
            f"no reply to {self._name} after {wall_ns / 1e6:.1f} ms of wall time{idle};"
            f" the limit by the {self._control.clock} clock is {self._allowed()}{self._deadline}"
        )

    def stop(self) -> None:
        """Measure the call to the end of its last wait."""
        wall_ns = self._received_ns - self._sent_ns
        cpu_seen_ns = self._cpu_ns()
        excess_ns = self._start_excess_ns()
        cpu_ns = cpu_seen_ns - self.cpu_seen_ns + excess_ns
        self.cpu_seen_ns = cpu_seen_ns
        line_ns = 0
        if self._allowance is not None and self._name != "ping":
            line_ns = self._allowance.take(wall_ns, self._late_ns())
        drawn_ns = wall_ns - line_ns - self._stalled_ns
        charged_ns = self._wall_charge_ns(drawn_ns + excess_ns) if self._is_by_wall else cpu_ns
        if self._deadline is not None:
            drawn_ns -= self._deadline.free_ns(self._received_ns)
        self.wall_left_ns = max(0, self.wall_left_ns - drawn_ns)
        grace_ns = max(0, charged_ns - self._limit_ns)
        self.spent = Spent(wall_ns, cpu_ns, charged_ns, grace_ns)

    def judge(self) -> None:
        """Raise Forfeit for a late reply; draw on the grace, count a reply near the limit.

        A process found thinking off turn is suspended; after Term it may exit.
        """
        self._refuse_long_stalls()
        if self._is_suspended_off_turn and self._name != "term":
            self._process.suspend()
        charged_ns = self.spent.charged_ns
        if charged_ns <= NEAR * self._limit_ns:
            return
        is_counted = self._name != "ping"
        self.near_limit += is_counted
        if charged_ns <= self._limit_ns:
            return
        self._strikes += is_counted
        is_struck_out = self._control.strikes is not None and self._strikes > self._control.strikes
        if charged_ns > self._limit_ns + self._grace_left_ns or is_struck_out:
            raise self._timeout(charged_ns)
        if is_counted:
            self._grace_left_ns -= self.spent.grace_ns

    def end_start(self) -> None:
        """End the start of the process: later CPU time is charged."""
        self.start_cpu_ns = self.cpu_seen_ns

    def suspend_if_thinking(self) -> None:
        """Suspend a process thinking during the call of another seat.

        Otherwise many spinning processes take nearly all of the core of a timed rival.
        """
        if self._control.ponder or self._is_suspended_off_turn:
            return
        if self._cpu_ns() - self.cpu_seen_ns > PONDER_NS:
            self._is_suspended_off_turn = True
            self._process.suspend()

    def _make_deadline(self) -> Deadline:
        line_ns = 0 if self._allowance is None else self._allowance.offer_ns()
        return Deadline(
            self._process,
            self._control,
            sent_ns=self._sent_ns + line_ns,
            limit_ns=self._limit_ns,
            grace_ns=self._grace_left_ns,
            most_ns=self.wall_left_ns,
        )

    def _late_ns(self) -> int:
        """Return the delay of the end of the last wait, unless it is a stall, in ns."""
        late_ns = self._received_ns - self._until_ns
        return late_ns if 0 < late_ns <= STALL_NS else 0

    def _look_off_turn(self) -> None:
        """Read the CPU time since the last reply; more than PONDER_NS is thinking.

        The wall clock charges none of it, so less counts there as well, up to MOST_OFF_TURN_NS.
        """
        cpu_ns = self._cpu_ns()
        burnt_ns = cpu_ns - self.cpu_seen_ns
        if self._is_by_wall or burnt_ns > PONDER_NS:
            self.off_turn_ns += burnt_ns
        if burnt_ns > PONDER_NS or self.off_turn_ns > MOST_OFF_TURN_NS:
            self._is_suspended_off_turn = not self._control.ponder
        if self._control.ponder:
            self.cpu_seen_ns = cpu_ns

    def _start_excess_ns(self) -> int:
        """Return the CPU time of the start to charge with this call, on either clock.

        Bots start at the same time on one core: wall-clock time would include the others' starts.
        """
        if self.start_cpu_ns is None or self._name != "init":
            return 0
        return max(0, self.start_cpu_ns - self._control.start_free_ns)

    def _refuse_long_stalls(self) -> None:
        if self._is_by_wall and self._stalled_ns > MOST_STALL_NS:
            raise BrokenMatchError(
                f"the referee was suspended for {self._stalled_ns / 1e6:.0f} ms during a call"
                f" of seat {self._seat}"
            )

    def _wall_charge_ns(self, drawn_ns: int) -> int:
        """Return the charge of wall time; after a stall, a reply within the grace is in time.

        It may have arrived before the stall, at the begin of the wait.
        """
        if self._stalled_ns and drawn_ns <= self._limit_ns + self._grace_left_ns:
            return min(drawn_ns, self._limit_ns)
        return drawn_ns

    def _timeout(self, charged_ns: int) -> Forfeit:
        detail = (
            f"{self._name} took {charged_ns / 1e6:.3f} ms by the {self._control.clock} clock; the"
            f" limit is {self._allowed()}"
        )
        if excess_ns := self._start_excess_ns():
            detail += (
                f"; {excess_ns / 1e6:.3f} ms of it is CPU time before init, of which"
                f" {_shown_ms(self._control.start_free_ns)} ms are free"
            )
        return self._forfeit(detail)

    def _allowed(self) -> str:
        left, grace = (
            f"{_shown_ms(ns)} ms" for ns in (self._grace_left_ns, self._control.grace_ns)
        )
        rest = f"{grace} grace" if left == grace else f"the {left} left of {grace} grace a match"
        allowed = f"{_shown_ms(self._limit_ns)} ms + {rest}"
        if self._control.strikes is None:
            return allowed
        return f"{allowed}, {self._control.strikes} times a match"

    def _forfeit(self, detail: str) -> Forfeit:
        return Forfeit(self._seat, Termination.TIMEOUT, detail)


def _shown_ms(ns: int) -> str:
    """Return a time in ms with up to three decimals."""
    return f"{ns / 1e6:.3f}".rstrip("0").rstrip(".")
