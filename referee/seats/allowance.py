"""Time of the line taken off the calls of a remote seat, within a quota.

A call to a remote bot includes the way there and back. The time taken off is the shortest round
trip measured by this machine's kernel, plus a margin for the relays. No message of the client
changes it: a late reply raises the kernel's average, not its minimum. An owner can raise the
minimum by delaying every packet, so a quota limits the sum, as in lichess: it begins with the time
of some calls and gains a little with each call.

A busy machine wakes the referee late. Nobody knows when a reply found then has arrived, so the time
by which it woke late is taken off as well, within the same quota.
"""

from typing import Protocol

MARGIN_NS = 5_000_000
"""Time in ns added to the shortest round trip, for the programs relaying the messages."""
GAIN_NS = 100_000_000
"""Time in ns added to the quota with each call."""
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
        """Return the time in ns to take off the open call at most."""
        return min(self._line.line_ns, self._left_ns)

    def take(self, wall_ns: int, late_ns: int) -> int:
        """Return the deduction from a call of this wall time, and charge the quota.

        `late_ns` is the time by which the referee woke late for the reply.
        """
        taken_ns = min(self._line.line_ns + late_ns, self._left_ns, wall_ns)
        self._left_ns = min(MOST_NS, self._left_ns - taken_ns + GAIN_NS)
        return taken_ns
