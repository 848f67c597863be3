"""Clocks, and the time that a seat may still use."""

import time
from typing import Protocol

from referee.job import MILLISECOND_NS, SECOND_NS, TimeControl


class Clock(Protocol):
    """A monotonic clock in nanoseconds."""

    def now_ns(self) -> int:
        """Return the time since some fixed moment."""
        ...


class WallClock:
    """The machine's monotonic clock; it cannot be set or stopped."""

    now_ns = staticmethod(time.monotonic_ns)


class Budget:
    """Time for the moves of one seat in one match, in nanoseconds of the charged clock."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self.bank_ns = control.bank_ns
        """Rest of the bank, never below 0; None without a bank."""

    def move_limit_ns(self) -> int:
        """Return the time limit of the next move."""
        if self.bank_ns is None:
            return self._control.per_move_ns
        return min(self._control.per_move_ns, self.bank_ns)

    def left_ms(self) -> int | None:
        """Return the rest of the bank in milliseconds, rounded down, as in a move call."""
        return None if self.bank_ns is None else self.bank_ns // MILLISECOND_NS

    def charge_move(self, spent_ns: int) -> None:
        """Charge a move to the bank."""
        if self.bank_ns is not None:
            self.bank_ns = max(0, self.bank_ns - spent_ns)


def wall_deadline_ns(control: TimeControl, limit_ns: int) -> int:
    """Return the wall-clock limit of a call in nanoseconds, on either charged clock.

    No call can hang: a sleeping bot uses no CPU time, so `clock: cpu` needs this limit too.
    """
    if control.clock == "wall":
        return limit_ns + control.grace_ns
    return 2 * limit_ns + SECOND_NS
