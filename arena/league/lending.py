"""The slots of this machine, of which one is lent to a second examination while hand-ins wait."""

import time
from collections.abc import Callable, Sequence

from arena.event.slots.local_slots import LocalSlots, Slot

LONGEST_LOAN_S = 60.0
"""Longest loan in seconds; the slot then plays for as long as it was lent."""


class LendingSlots(LocalSlots):
    """Slots that lend one of theirs, for half of the time if hand-ins come for ever."""

    def __init__(
        self,
        cores: Sequence[tuple[int, ...]],
        spared: Callable[[], set[int]],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the slots like `LocalSlots`."""
        self._now_s = now_s
        self._lent: int | None = None
        """Number of the slot that is lent."""
        self._credit_s, self._since_s = LONGEST_LOAN_S, now_s()
        super().__init__(cores, spared)

    def free(self) -> list[Slot]:
        """Return the slots without a match that are not lent."""
        return [slot for slot in super().free() if self._slots[slot] != self._lent]

    def borrow(self) -> tuple[int, ...] | None:
        """Return the cores of a slot, which plays nothing from now on; None if none is free."""
        self._pass_time()
        free = self.free()
        if not free or self._lent is not None or self._credit_s <= 0:
            return None
        self._lent = self._slots[free[0]]
        return self._cores[self._lent]

    def is_due(self) -> bool:
        """Whether the slot should be given back."""
        self._pass_time()
        return self._credit_s <= 0

    def give_back(self) -> None:
        """Have the slot play again."""
        self._pass_time()
        self._lent = None

    def _pass_time(self) -> None:
        """Count the time since the last look, in which a loan uses up what other time restores."""
        now_s = self._now_s()
        passed_s, self._since_s = now_s - self._since_s, now_s
        change_s = passed_s if self._lent is None else -passed_s
        self._credit_s = min(self._credit_s + change_s, LONGEST_LOAN_S)
