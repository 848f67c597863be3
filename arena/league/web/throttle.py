"""Guesses of passwords are slowed down, and whoever guesses closes no door but their own.

Wrong passwords are counted for an account and the place that they come from. A place is an address
or, behind it, a browser that has logged in to this account before: it carries a signed mark. So a
rival with the same address as half of the class closes the account for browsers that it never had.
An account also has a limit for all unknown places together. An address has none: a class shares it.
But few passwords are tried at the same time, and of one place still fewer: each takes long, and the
pages must still be answered.
"""

import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from threading import Lock
from typing import Any

from django.core import signing

from arena.league.hand_ins.reception import BusyError

FREE = 8
"""Wrong passwords of an account from one place that cost nothing."""
FREE_OF_ALL = 100
"""The same from all unknown places together."""
WINDOW_S = 600.0
"""Time in s after which they are forgotten."""
MOST_KEYS = 20_000
AT_ONCE = 60
"""Limit of the passwords that are tried or wait for that."""
AT_ONCE_OF_ONE = 30
"""The same from one place."""
YEAR_S = 365 * 24 * 3600
_SALT = "known browser"
_NET = 64
"""Bits of an IPv6 address that belong to one place: somebody has all addresses behind them."""


@dataclass(frozen=True)
class Place:
    """Where a password comes from."""

    name: str
    is_known: bool = False
    """Whether it is a browser that has logged in to this account before."""


class Throttle:
    """Counts wrong passwords by account and place."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s = now_s
        self._wrong: OrderedDict[tuple[str, str], list[float]] = OrderedDict()
        self._lock = Lock()

    def begin(self, account: str, place: Place) -> bool:
        """Count a password as wrong until it is known; False if none is tried from there now.

        So guesses that come together count like those that come one after the other.
        """
        with self._lock:
            if self._is_closed(account, place):
                return False
            self._note(account, place.name, FREE)
            if not place.is_known:
                self._note(account, "", FREE_OF_ALL)
            return True

    def right(self, account: str, place: Place) -> None:
        """Forget the wrong passwords from a place, where the right one came from."""
        with self._lock:
            self._wrong.pop((account, place.name), None)
            if not place.is_known and (of_all := self._wrong.get((account, ""))):
                of_all.pop()

    def forget(self, account: str) -> None:
        """Forget the wrong passwords of an account, which has a new one."""
        with self._lock:
            for key in [key for key in self._wrong if key[0] == account]:
                del self._wrong[key]

    def _is_closed(self, account: str, place: Place) -> bool:
        if self._recent(account, place.name) >= FREE:
            return True
        return not place.is_known and self._recent(account, "") >= FREE_OF_ALL

    def _recent(self, account: str, name: str) -> int:
        since_s = self._now_s() - WINDOW_S
        return sum(time_s > since_s for time_s in self._wrong.get((account, name), ()))

    def _note(self, account: str, name: str, most: int) -> None:
        times = [*self._wrong.get((account, name), ()), self._now_s()]
        self._wrong[account, name] = times[-most:]
        self._wrong.move_to_end((account, name))
        if len(self._wrong) > MOST_KEYS:
            self._wrong.popitem(last=False)


class Trials:
    """The passwords that are tried at this moment, by place."""

    def __init__(self) -> None:
        self._running: Counter[str] = Counter()
        self._lock = Lock()

    @contextmanager
    def one(self, place: Place) -> Iterator[None]:
        """Hold a place for a password; raises BusyError if there are too many."""
        with self._lock:
            of_one = self._running[place.name]
            if of_one >= AT_ONCE_OF_ONE or self._running.total() >= AT_ONCE:
                raise BusyError("too many passwords arrive at this moment; try again")
            self._running[place.name] += 1
        try:
            yield
        finally:
            with self._lock:
                self._running[place.name] -= 1
                self._running += Counter()  # without those that have none


def place_of(address: str, account: str, mark: str) -> Place:
    """Return the place of a request by its address and the browser's mark."""
    try:
        known, name = signing.loads(mark, salt=_SALT, max_age=YEAR_S) if mark else ("", "")
    except (signing.BadSignature, ValueError, TypeError):
        known, name = "", ""
    if known == account and name:
        return Place(f"browser {name}", is_known=True)
    return Place(_net(address))


def new_mark(account: str) -> str:
    """Return the mark of a browser that has logged in."""
    mark: str = signing.dumps([account, secrets.token_urlsafe(8)], salt=_SALT)
    return mark


def _net(address: str) -> str:
    try:
        found: Any = ip_address(address.partition("%")[0])
    except ValueError:
        return "nowhere"
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(IPv6Address(int(found) >> (128 - _NET) << (128 - _NET)))
    return str(found)
