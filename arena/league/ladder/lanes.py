"""Lanes: what a free slot plays next, of several kinds of matches that wait.

A final goes first, whatever waits. Then come the ladder and, with small parts of the slot seconds,
tests of parked versions, challenges and old versions, so that none of these waits for ever behind a
ladder that always has something to play, and none takes more than its part while another lane
waits.

    lane = next_lane(waiting, spent)
    ...
    spent[lane] += slot_seconds
"""

import enum
from collections.abc import Collection, Mapping


class Lane(enum.StrEnum):
    """A kind of matches."""

    FINAL = "final"
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


def next_lane(waiting: Collection[Lane], spent: Mapping[Lane, float]) -> Lane | None:
    """Return the lane of the next match; None if nothing waits.

    `spent` are the slot seconds of each lane, over the same recent time, with those expected of
    running matches.
    """
    if Lane.FINAL in waiting:
        return Lane.FINAL
    order = list(PARTS)
    open_lanes = [lane for lane in order if lane in waiting]
    return min(open_lanes, key=lambda lane: spent.get(lane, 0.0) / PARTS[lane], default=None)
