"""Reports of a match in progress, for spectators.

A referee reports to its director between two calls and only while somebody watches, so no charged
interval contains a report. A report is never waited for: anything left by the director is part of
the next report.
"""

import mmap
import os
import socket
import time
from collections.abc import Callable, Sequence
from typing import Any

from pydantic_core import to_json

from referee.records.calls import Call, Calls

AUDIENCES = 255
"""Number of audiences; after the last comes the first again."""
BATCH_BYTES = 32_768
"""Least size of a complete report; the rest is in the next one."""
_FACTS = ("move", "notation", "note", "value", "plan", "data", "resign", "done", "fault")
"""Reported facts of a call; facts without a value are left out."""


class Reporter:
    """Reports the calls of the running match."""

    def __init__(self, flag: Sequence[int], send: Callable[[bytes], object]) -> None:
        """`send` sends one report, or raises BlockingIOError if it would wait."""
        self.flag = flag
        """One number: of the audience, 0 if nobody watches. It is checked at every ply."""
        self._send = send
        self._audience = 0
        self._calls: Calls | None = None
        self._run = 0
        """A number that differs for each match, and for each attempt at it."""
        self._reported = 0
        self._unsent = b""
        """A report that the director has not taken yet."""

    @classmethod
    def from_descriptors(cls, flag: int, end: int) -> "Reporter":
        """Use a shared flag and a socket that the director has passed on; no bot gets them."""
        for descriptor in (flag, end):
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - no other form
        link = socket.socket(fileno=end)
        link.settimeout(0)
        return cls(memoryview(mmap.mmap(flag, 1, prot=mmap.PROT_READ)), link.send)

    def report(self, key: str, calls: Calls) -> None:
        """Report the calls since the last report; all calls to a new audience."""
        if calls is not self._calls:
            self._calls, self._run = calls, time.monotonic_ns()
            self._reported, self._unsent = 0, b""
        if self.flag[0] != self._audience:
            self._audience = self.flag[0]
            self._reported, self._unsent = 0, b""
        try:
            while self._unsent or self._reported < len(calls):
                if not self._unsent:
                    self._unsent = self._next(key, calls)
                self._send(self._unsent)
                self._unsent = b""
        except OSError:
            return  # the director is busy, or gone

    def _next(self, key: str, calls: Calls) -> bytes:
        """Encode the next calls, at least one."""
        first, rows, size = self._reported, list[bytes](), 0
        while self._reported < len(calls) and size < BATCH_BYTES:
            rows.append(_row(calls[self._reported]))
            size += len(rows[-1])
            self._reported += 1
        head = b'"key":%s,"run":%d,"first":%d' % (to_json(key), self._run, first)
        return b'{%s,"calls":[%s]}' % (head, b",".join(rows))


UNWATCHED = Reporter((0,), len)
"""The reporter of a match without spectators."""


def _row(call: Call) -> bytes:
    row: dict[str, Any] = {
        "seat": call.seat,
        "call": call.call,
        "ply": call.ply,
        "wall_ns": call.wall_ns,
        "charged_ns": call.charged_ns,
    }
    for name in _FACTS:
        if (value := getattr(call, name)) is not None:
            row[name] = value
    return to_json(row)
