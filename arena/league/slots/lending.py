"""The slots of this machine, of which some are lent to examinations while hand-ins wait."""

import time
from collections.abc import Callable, Sequence

from arena.event.slots.local_slots import LocalSlots, Slot
from arena.league.slots.crowding import Crowding
from referee.records.match_end import MatchEnd
from referee.sandbox import sweep

LONGEST_LOAN_S = 60.0
"""Longest loan in seconds; the slots then play for as long as they were lent."""
LENT_PART = 2
"""At most one slot of every two is lent, or the only one: matches are played however many
hand-ins wait."""


class LendingSlots(LocalSlots):
    """Slots that lend half of theirs, and these for half of the time if hand-ins come for ever."""

    def __init__(
        self,
        cores: Sequence[tuple[int, ...]],
        spared: Callable[[], set[int]],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start the slots like `LocalSlots`."""
        self._now_s = now_s
        self._most = max(1, len(cores) // LENT_PART)
        """Limit of the slots that are lent at a time."""
        self._lent: list[int] = []
        """Numbers of the slots that are lent."""
        self._crowding = Crowding(len(cores), now_s)
        self.is_examining: Callable[[], bool] = lambda: False
        """Whether a hand-in is being examined, beside the matches."""
        self._credit_s, self._since_s = LONGEST_LOAN_S * self._most, now_s()
        """Time for which one slot may still be lent, and when it was counted last."""
        super().__init__(cores, spared)

    def free(self) -> list[Slot]:
        """Return the slots without a match that are not lent; after a shortage fewer of them.

        There is none while a match that is to run alone waits for the end of an examination.
        """
        if self._crowding.wants_quiet and self.is_examining():
            return []
        free = [slot for slot in super().free() if self._slots[slot] not in self._lent]
        return free[: max(0, self._crowding.most - len(self.running()) - len(self._lent))]

    def wait(self, seconds: float) -> list[MatchEnd]:
        """Return the complete ends; wait at most `seconds` for output of a referee."""
        running = (job.key for job in self.running())
        self._crowding.look(running, is_examining=self.is_examining())
        return [self._crowding.after(end) for end in super().wait(seconds)]

    def borrow(self) -> tuple[int, ...] | None:
        """Return the cores of a slot, which plays nothing from now on; None if none is free."""
        self._pass_time()
        free = self.free()
        if not free or len(self._lent) >= self._most or self._credit_s <= 0:
            return None
        number = self._slots[free[0]]
        self._lent.append(number)
        return self._cores[number]

    @property
    def wants_quiet(self) -> bool:
        """Whether no examination may begin, as a match is to run alone."""
        return self._crowding.wants_quiet

    def is_due(self) -> bool:
        """Whether all slots should be given back."""
        self._pass_time()
        return self._credit_s <= 0

    def give_back(self, cores: tuple[int, ...]) -> None:
        """Have the slot with these cores play again."""
        self._pass_time()
        self._lent.remove(next(each for each in self._lent if self._cores[each] == cores))

    def sweep(self) -> None:
        """End and reap the processes that neither a slot nor a spared process has started."""
        sweep({slot.pid for slot in self._slots} | self._spared())

    def _pass_time(self) -> None:
        """Count the time since the last look: loans use it up, and idle lenders restore it."""
        now_s = self._now_s()
        passed_s, self._since_s = now_s - self._since_s, now_s
        change_s = -passed_s * len(self._lent) if self._lent else passed_s * self._most
        self._credit_s = min(self._credit_s + change_s, LONGEST_LOAN_S * self._most)
