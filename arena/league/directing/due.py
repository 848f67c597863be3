"""A match that is begun in the database of a league."""

from dataclasses import dataclass

from arena.league.ladder.lanes import Lane
from arena.league.ladder.meetings import Reason
from arena.schedule.pairing import Pairing

RATED = frozenset({Lane.LADDER, Lane.OLD})
"""Lanes whose matches are rated; those of others are no part of the season."""


@dataclass(frozen=True, slots=True)
class Due:
    """A match, the lane of its unit, and the reason of the ladder."""

    pairing: Pairing
    lane: Lane = Lane.LADDER
    reason: Reason = Reason.LADDER

    @property
    def is_rated(self) -> bool:
        """Whether its result counts in the season."""
        return self.lane in RATED
