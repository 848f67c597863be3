"""A machine with nothing left to start a bot with: the event waits for more, and goes on.

Descriptors, processes, memory and room on the disk come back when somebody else ends. Nothing is
void for want of them, and no bot loses by it; who waits too long is told instead.
"""

import time
from collections.abc import Callable

from arena.errors import HostError

FIRST_S = 1.0
LONGEST_S = 30.0
"""How long until the next try: at first, and at most, doubled each time in between."""
GIVE_UP_S = 600.0
"""How long an event waits in all before it ends with a sentence instead."""


class Recess:
    """When the next match may be begun."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._began_s: float | None = None
        self._until_s = 0.0
        self._wait_s = FIRST_S

    def is_on(self) -> bool:
        """Whether no match is to be begun for now."""
        return self._began_s is not None and self._now_s() < self._until_s

    def begin(self, why: str) -> str:
        """Wait for a while; return what is to be said of it, nothing if it has been said.

        Raises HostError when that has not helped for too long.
        """
        now_s = self._now_s()
        is_new = self._began_s is None
        self._began_s = now_s if self._began_s is None else self._began_s
        if now_s - self._began_s > GIVE_UP_S:
            raise HostError(
                f"{why}, and it has not become better for {GIVE_UP_S / 60:g} minutes; make room and"
                " run the same command again"
            )
        if now_s < self._until_s:
            return ""  # another slot of the same try
        self._until_s = now_s + self._wait_s
        self._wait_s = min(2 * self._wait_s, LONGEST_S)
        return f"{why}: waiting until this machine has more to give" if is_new else ""

    def end(self) -> str:
        """Take in that a match was played; return what is to be said if that ends a recess."""
        if self._began_s is None:
            return ""
        self._began_s, self._until_s, self._wait_s = None, 0.0, FIRST_S
        return "this machine has enough again: going on"
