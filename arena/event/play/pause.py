"""Pauses of an event while the machine lacks the resources to start a bot.

File descriptors, processes, memory and disk space become free again when other programs end. A lack
of them makes no match void, and no bot loses by it; after too long a wait the event ends with an
error instead.
"""

import errno
import os
import time
from collections.abc import Callable

from arena.errors import MachineError

FIRST_S = 1.0
LONGEST_S = 30.0
"""Longest wait in s before the next try; the first is FIRST_S, and each wait doubles."""
GIVE_UP_S = 600.0
"""Limit of the total wait in s before the event ends with an error."""


class Pause:
    """Decides when the next match may begin."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._began_s: float | None = None
        self._until_s = 0.0
        self._wait_s = FIRST_S

    def is_on(self) -> bool:
        """Whether no match may begin now."""
        return self._began_s is not None and self._now_s() < self._until_s

    def begin(self, why: str, wait_s: float = FIRST_S) -> str:
        """Begin or extend a pause; return a notice of a new one, empty otherwise.

        The first wait is at least `wait_s`. Raises MachineError if all pauses together have lasted
        longer than GIVE_UP_S, or at once for what belongs to this process alone.
        """
        if why.endswith(os.strerror(errno.EMFILE)):  # further ahead it may be the name of a bot
            raise MachineError(f"{why}, which no waiting frees: raise `ulimit -n` to 1024 or more")
        now_s = self._now_s()
        is_new = self._began_s is None
        self._began_s = now_s if self._began_s is None else self._began_s
        if now_s - self._began_s > GIVE_UP_S:
            raise MachineError(
                f"{why}, for more than {GIVE_UP_S / 60:g} minutes; free memory, processes or"
                " disk space"
            )
        if now_s < self._until_s:
            return ""  # another slot of the same try
        self._wait_s = max(self._wait_s, wait_s)
        self._until_s = now_s + self._wait_s
        self._wait_s = min(2 * self._wait_s, LONGEST_S)
        return f"{why}: waiting for free resources" if is_new else ""

    def end(self) -> str:
        """End the pause after a played match; return a notice, empty without a pause."""
        if self._began_s is None:
            return ""
        self._began_s, self._until_s, self._wait_s = None, 0.0, FIRST_S
        return "resources are free again, resuming"
