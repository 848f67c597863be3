"""Lanes: what a free slot plays next, of several kinds of matches that wait.

The ladder comes first. Tests of parked versions, challenges and old versions have small parts of
the slot seconds, so that none of these waits for ever behind a ladder that always has something to
play, and none takes more than its part while another lane waits. A final is an event of its own,
during which the ladder begins no match.

    lane = next_lane(waiting, use.spent)
    ...
    use.add(lane, slot_seconds)
"""

import enum
import math
from collections.abc import Collection, Mapping


class Lane(enum.StrEnum):
    """A kind of matches."""

    LADDER = "ladder"
    TEST = "test"
    CHALLENGE = "challenge"
    OLD = "old"


PARTS: Mapping[Lane, float] = {
    Lane.LADDER: 0.90,
    Lane.CHALLENGE: 0.05,
    Lane.TEST: 0.03,
    Lane.OLD: 0.02,
}
"""Part of the slot seconds of each lane while all of them wait."""


RECENT_S = 3600.0
"""Slot seconds after which those of a lane count e times less."""


class Use:
    """Slot seconds of each lane, the recent ones above all."""

    def __init__(self, spent: Mapping[Lane, float] | None = None) -> None:
        self.spent: dict[Lane, float] = dict(spent or {})

    def add(self, lane: Lane, seconds: float) -> None:
        """Add what a match took, and let the past count less by as much."""
        less = math.exp(-seconds / RECENT_S)
        self.spent = {each: less * spent for each, spent in self.spent.items()}
        self.spent[lane] = self.spent.get(lane, 0.0) + seconds

    def with_running(self, running: Mapping[Lane, int], usual_s: float) -> dict[Lane, float]:
        """Return them with those expected of matches that are running or begun."""
        return {lane: self.spent.get(lane, 0.0) + running.get(lane, 0) * usual_s for lane in Lane}


def next_lane(waiting: Collection[Lane], spent: Mapping[Lane, float]) -> Lane | None:
    """Return the lane of the next match; None if nothing waits.

    `spent` are the slot seconds of each lane, over the same recent time, with those expected of
    running matches.
    """
    order = list(PARTS)
    open_lanes = [lane for lane in order if lane in waiting]
    return min(open_lanes, key=lambda lane: spent.get(lane, 0.0) / PARTS[lane], default=None)
