"""Reports of a match in progress, for people who watch it.

A referee reports to its director between two calls and only while somebody watches, so no charged
interval contains a report. A report is never waited for: what the director does not take now is
part of the next report.
"""

import json
import mmap
import os
import socket
import time
from collections.abc import Callable, Sequence

from referee.calls import Call, Calls

AUDIENCES = 255
"""Number of audiences; after the last comes the first again."""
BATCH_BYTES = 32_768
"""Size from which a report is complete; the rest is in the next one."""
_FACTS = ("move", "notation", "note", "value", "plan", "data", "resign", "done", "fault")
"""Facts of a call that are reported; those without a value are left out."""


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

    @classmethod
    def from_descriptors(cls, flag: int, door: int) -> "Reporter":
        """Use a shared flag and a socket that the director has passed on; no bot gets them."""
        for descriptor in (flag, door):
            os.set_inheritable(descriptor, False)  # noqa: FBT003 - no other form
        link = socket.socket(fileno=door)
        link.settimeout(0)
        return cls(memoryview(mmap.mmap(flag, 1, prot=mmap.PROT_READ)), link.send)

    def report(self, key: str, calls: Calls) -> None:
        """Report the calls since the last report; all calls to a new audience."""
        if calls is not self._calls:
            self._calls, self._run, self._reported = calls, time.monotonic_ns(), 0
        if self.flag[0] != self._audience:
            self._audience, self._reported = self.flag[0], 0
        try:
            while self._reported < len(calls):
                batch = _batch(calls, self._reported)
                self._send(_encoded(key, self._run, self._reported, batch))
                self._reported += len(batch)
        except OSError:
            return  # the director is busy, or gone


UNWATCHED = Reporter((0,), len)
"""The reporter of a match that nobody can watch."""


def _batch(calls: Calls, first: int) -> list[str]:
    """Return some calls as JSON, at least one."""
    batch: list[str] = []
    size = 0
    for number in range(first, len(calls)):
        batch.append(_row(calls[number]))
        size += len(batch[-1])
        if size >= BATCH_BYTES:
            break
    return batch


def _row(call: Call) -> str:
    facts = {name: getattr(call, name) for name in _FACTS}
    return json.dumps(
        {
            "seat": call.seat,
            "call": call.call,
            "ply": call.ply,
            "wall_ns": call.wall_ns,
            "charged_ns": call.charged_ns,
            **{name: value for name, value in facts.items() if value is not None},
        }
    )


def _encoded(key: str, run: int, first: int, batch: list[str]) -> bytes:
    head = f'"key": {json.dumps(key)}, "run": {run}, "first": {first}'
    return f'{{{head}, "calls": [{",".join(batch)}]}}'.encode()
