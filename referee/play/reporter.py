"""Reports of a match in progress, for spectators.

A referee reports to its director between two calls and only while somebody watches, so no charged
interval contains a report. A report is never waited for: anything left by the director is part of
the next report.
"""

import mmap
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic_core import to_json

from referee.records.calls import Call, Calls

AUDIENCES = 255
"""Number of audiences; after the last comes the first again."""
BATCH_BYTES = 32_768
"""Least size of a complete report; the rest is in the next one."""
_FACTS = ("move", "notation", "note", "value", "plan", "data", "resign", "done", "fault")
"""Reported facts of a call; facts without a value are left out."""


@dataclass
class _Told:
    """What an audience has received of a match."""

    calls: Calls
    audience: int
    run: int
    """A number that differs for each match, and for each attempt at it."""
    reported: int = 0
    """Number of calls in the reports so far."""
    unsent: bytes = b""
    """A report that the director has not taken yet."""


class Reporter:
    """Reports the calls of the running match."""

    def __init__(self, flag: Sequence[int], send: Callable[[bytes], object]) -> None:
        """`send` sends one report, or raises BlockingIOError if it would wait."""
        self.flag = flag
        """One number: of the audience, 0 if nobody watches. It is checked at every ply."""
        self._send = send
        self._told: _Told | None = None

    @classmethod
    def from_descriptors(cls, flag: int, end: int) -> "Reporter":
        """Use a shared flag and a socket that the director has passed on; no bot gets them."""
        for descriptor in (flag, end):
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - no other form
        os.set_blocking(end, False)
        return cls(memoryview(mmap.mmap(flag, 1, prot=mmap.PROT_READ)), partial(os.write, end))

    def report(self, key: str, calls: Calls) -> None:
        """Report the calls since the last report; all calls to a new audience."""
        told, audience = self._told, self.flag[0]
        if told is None or told.calls is not calls:
            told = self._told = _Told(calls, audience, time.monotonic_ns())
        elif told.audience != audience:
            told = self._told = _Told(calls, audience, told.run)
        try:
            while told.unsent or told.reported < len(calls):
                told.unsent = told.unsent or _next(key, told)
                self._send(told.unsent)
                told.unsent = b""
        except OSError:
            return  # the director is busy, or gone


UNWATCHED = Reporter((0,), len)
"""The reporter of a match without spectators."""


def _next(key: str, told: _Told) -> bytes:
    """Encode the next calls, at least one."""
    first, rows, size = told.reported, list[bytes](), 0
    while told.reported < len(told.calls) and size < BATCH_BYTES:
        rows.append(_row(told.calls[told.reported]))
        size += len(rows[-1])
        told.reported += 1
    head = b'"key":%s,"run":%d,"first":%d' % (to_json(key), told.run, first)
    return b'{%s,"calls":[%s]}' % (head, b",".join(rows))


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
