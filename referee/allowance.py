"""Time of the line taken off the calls of a remote seat, within a quota that no client can raise.

A call to a remote bot includes the way there and back. The time taken off is the shortest round
trip that the kernel of this machine has measured, plus a margin for the relays. It never depends on
the client's own words, and a late reply raises the kernel's average, not its shortest measurement.
An owner can raise that one, too, by delaying every packet, so a quota limits the sum, as in
lichess: it begins with the time of some calls and gains a little with each call.
"""

from typing import Protocol

MARGIN_NS = 5_000_000
"""Time in ns added to the shortest round trip, for the programs that relay the messages."""
GAIN_NS = 100_000_000
"""Time in ns that the quota gains with each call."""
MOST_NS = 300_000_000
"""The quota at the start, and its limit, in ns."""


class TimedLine(Protocol):
    """A line with a known time."""

    @property
    def line_ns(self) -> int:
        """Time of the line to take off a call, before any quota, in nanoseconds."""


class Allowance:
    """The quota of one seat in one match."""

    def __init__(self, line: TimedLine) -> None:
        self._line = line
        self._left_ns = MOST_NS

    def offer_ns(self) -> int:
        """Return the time that may be taken off the open call, in nanoseconds."""
        return min(self._line.line_ns, self._left_ns)

    def take(self, wall_ns: int) -> int:
        """Return the deduction from a call of this wall time, and charge the quota."""
        taken_ns = min(self.offer_ns(), wall_ns)
        self._left_ns = min(MOST_NS, self._left_ns - taken_ns + GAIN_NS)
        return taken_ns
