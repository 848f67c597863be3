"""Guesses of passwords are slowed down for each account, wherever they come from.

There is no limit for an address: a whole class may share one.
"""

import time
from collections import OrderedDict
from collections.abc import Callable

FREE = 8
"""Wrong passwords of an account that cost nothing."""
WINDOW_S = 600.0
"""Time in s after which they are forgotten."""
MOST_ACCOUNTS = 2000


class Throttle:
    """Counts wrong passwords by account."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()

    def is_closed(self, account: str) -> bool:
        """Whether no more passwords are tried for this account now."""
        since_s = self._now_s() - WINDOW_S
        recent = [time_s for time_s in self._wrong.get(account, ()) if time_s > since_s]
        return len(recent) >= FREE

    def add(self, account: str) -> None:
        """Note a wrong password."""
        self._wrong.setdefault(account, []).append(self._now_s())
        self._wrong[account] = self._wrong[account][-FREE:]
        self._wrong.move_to_end(account)
        if len(self._wrong) > MOST_ACCOUNTS:
            self._wrong.popitem(last=False)

    def forget(self, account: str) -> None:
        """Forget the wrong passwords of an account after the right one."""
        self._wrong.pop(account, None)
