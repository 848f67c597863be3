"""Time: what tells it, and what a seat may still spend of it."""

import time
from typing import Protocol

from referee.job import MILLISECOND_NS, SECOND_NS, TimeControl


class Clock(Protocol):
    """Tells the monotonic time in nanoseconds."""

    def now_ns(self) -> int:
        """Return the time since some fixed moment."""
        ...


class WallClock:
    """The monotonic clock of the machine: neither set nor stopped by anyone."""

    def now_ns(self) -> int:
        """Return the monotonic time."""
        return time.monotonic_ns()


class Budget:
    """What one seat may spend in one match, in nanoseconds of the charged clock."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.bank_ns = control.bank_ns
        self.wall_ns = control.wall_allowed_ns
        """Wall time left for calls."""
        self.charged_ns = 0
        """Everything charged so far, calls beyond the bank included."""

    def move_limit_ns(self) -> int:
        """Return how much the next move may be charged."""
        if self.bank_ns is None:
            return self._control.per_move_ns
        return min(self._control.per_move_ns, self.bank_ns)

    def left_ms(self) -> int | None:
        """Return what is left of the bank, rounded down, as the bot is told it."""
        return None if self.bank_ns is None else self.bank_ns // MILLISECOND_NS

    def charge_wall(self, spent_ns: int) -> None:
        """Draw on the wall bank, which never falls below 0."""
        self.wall_ns = max(0, self.wall_ns - spent_ns)

    def charge(self, spent_ns: int) -> None:
        """Charge a call other than a move."""
        self.charged_ns += spent_ns

    def charge_move(self, spent_ns: int) -> None:
        """Charge a move; it also draws on the bank, which never falls below 0."""
        self.charged_ns += spent_ns
        if self.bank_ns is not None:
            self.bank_ns = max(0, self.bank_ns - spent_ns)


def wall_deadline_ns(control: TimeControl, limit_ns: int) -> int:
    """Return how long a call may take by the wall, whatever clock is charged.

    Nothing can hang: a bot that sleeps burns no CPU, so that `clock: cpu` needs this too.
    """
    if control.clock == "wall":
        return limit_ns + control.grace_ns
    return 2 * limit_ns + SECOND_NS
