"""Clocks, and the remaining time of a seat."""

import time
from typing import Protocol

from referee.job import MILLISECOND_NS, SECOND_NS, TimeControl


class Clock(Protocol):
    """A monotonic clock in nanoseconds."""

    def now_ns(self) -> int:
        """Return the time since some fixed moment."""


class WallClock:
    """The machine's monotonic clock, never set or stopped."""

    now_ns = staticmethod(time.monotonic_ns)


class Budget:
    """Time for the moves of one seat in one match, in nanoseconds of the charged clock."""

    def __init__(self, control: TimeControl) -> None:
        self.bank_ns = control.bank_ns
        """Rest of the bank, never below 0; None without a bank."""
        self.left_ms: int | None = None
        """Rest of the bank in milliseconds, rounded down, as in a move call; None without one."""
        self.move_limit_ns = self._per_move_ns = control.per_move_ns
        """Time limit of the next move."""
        self._increment_ns = control.increment_ns or 0
        self._bank_moves, self._whole_bank_ns = control.bank_moves, control.bank_ns or 0
        self._moves = 0
        if control.bank_ns is not None:
            self.left_ms = control.bank_ns // MILLISECOND_NS
            self.move_limit_ns = min(control.per_move_ns, control.bank_ns)

    @property
    def increment_ms(self) -> int:
        """Time in milliseconds that is added to the bank after each move; 0 is none."""
        return self._increment_ns // MILLISECOND_NS

    def charge_move(self, spent_ns: int) -> None:
        """Charge a move to the bank, then add the increment of the time control.

        A move in grace exceeds the bank: the excess is taken off the addition.
        """
        if self.bank_ns is None:
            return
        left_ns = self.bank_ns - spent_ns + self._increment_ns
        if self._bank_moves:
            self._moves += 1
            if self._moves % self._bank_moves == 0:
                left_ns += self._whole_bank_ns
        self.bank_ns = left_ns = max(0, left_ns)
        self.left_ms = left_ns // MILLISECOND_NS
        self.move_limit_ns = min(self._per_move_ns, left_ns)


def wall_deadline_ns(control: TimeControl, limit_ns: int, grace_ns: int) -> int:
    """Return the wall-clock limit of a call in nanoseconds, on either charged clock.

    `grace_ns` is the rest of the grace.
    No call can hang: a sleeping bot uses no CPU time, so `clock: cpu` needs this limit too.
    """
    if control.clock == "wall":
        return limit_ns + grace_ns
    return 2 * limit_ns + SECOND_NS
