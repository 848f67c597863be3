"""Namespaces kept for later bots, since no bot can change their content.

The future process of bubblewrap makes one before its exec and stays inside, with the sandbox in
namespaces below. So the referee can open this namespace, for the processes of later bots to enter.

Without it each bot has a new one: matches of instant C bots then take 13 % more CPU time, see
docs/decisions/speed-ups-that-stay.md.
"""

import contextlib
import os
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import Literal

from referee.sandbox.new_process import FIRST
from referee.sandbox.steps import Step

MINUTE_NS = 60_000_000_000
MOST = 32
"""Limit of kept namespaces of a kind."""


class Kept:
    """Open namespaces of one kind.

    Each minute all are closed: they hold on to deleted files, and do not have later mounts.
    """

    def __init__(self, kind: Literal["mnt", "net"]) -> None:
        self._kind = kind
        self._open: OrderedDict[Hashable, int] = OrderedDict()
        self._minute = 0

    def step(self, key: Hashable, make: Step, descriptors: list[int]) -> Step:
        """Return the step to enter the namespace with this key, or `make` without one.

        The step has a descriptor of its own: the kept one may be closed before.
        """
        minute = time.monotonic_ns() // MINUTE_NS
        if minute != self._minute:
            self._minute = minute
            self._close_but(0)
        if (kept := self._open.get(key)) is None:
            return make
        self._open.move_to_end(key)
        descriptors.append(os.dup(kept))
        return ("enter", FIRST + len(descriptors) - 1, self._kind, make)

    def keep(self, key: Hashable, pid: int) -> None:
        """Keep the namespace of this process; do nothing if its key is known or it has ended."""
        if key in self._open:
            return
        with contextlib.suppress(OSError):
            self._open[key] = os.open(f"/proc/{pid}/ns/{self._kind}", os.O_RDONLY | os.O_CLOEXEC)
        self._close_but(MOST)

    def _close_but(self, most: int) -> None:
        """Close the longest unused ones, but for this many."""
        while len(self._open) > most:
            os.close(self._open.popitem(last=False)[1])


ROOTS = Kept("mnt")
"""Root directories, by the control group and their mounts."""
NETWORKS = Kept("net")
"""Networks without an interface, by the control group of one bot at a time."""
