"""The field of a league: its versions as the ladder sees them, and each one's share of the slots.

A share is counted in slot seconds: of the time that a match occupies a slot, each seat answers for
a part (`Ladder.charge`). Equal weights have equal shares. A fresh version has three times the
weight of others until it has played FRESH_MATCHES; a settled one, whose rating has an error below
SETTLED_ERROR, has a fifth. House bots have a fifth too: they are opponents, and their matches
against each other only fix the scale.

No version takes more than a tenth of the slots. Where fewer than twenty versions of a game of two
are present, the limit is twice the equal part instead: ten versions that share all slots equally
have a fifth of them each.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

FRESH_MATCHES = 30
"""Number of matches until which a version is fresh."""
FRESH_WEIGHT = 3.0
SETTLED_ERROR = 15.0
"""Error in Elo, half of the 95 % interval, below which a version is settled."""
SETTLED_WEIGHT = 0.2
MOST_OF_SLOTS = 0.1
"""Part of the slots that a version may take."""
MOST_RUNNING = 4
"""Limit of the running meetings of a version, on however many slots."""
LEAST_PART = 0.1
"""Least slot seconds of a match, as a part of the mean, so that no bot plays for nothing."""
USUAL_SECONDS = 1.0
"""Assumed slot seconds of a match where nothing has been measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version that is in the league."""

    id: str
    bot: str
    owner: str
    is_house: bool = False
    rating: float = 1500.0
    error: float = math.inf
    """Half of the 95 % interval of the rating, in Elo."""
    matches: int = 0
    """Number of rated matches."""
    slot_seconds: float = 0.0
    """Slot seconds that it answers for, over these matches."""
    running: int = 0
    """Number of its running meetings."""
    is_parked: bool = False
    """Whether it waits for a test after too many faults (`arena.league.ladder.breaker`)."""

    @property
    def is_fresh(self) -> bool:
        """Whether it needs its first matches."""
        return self.matches < FRESH_MATCHES

    @property
    def is_settled(self) -> bool:
        """Whether more matches would change its rating little."""
        return not self.is_fresh and self.error < SETTLED_ERROR


def weights(present: Sequence[Version], seats: int) -> dict[str, float]:
    """Return the weight of each version, limited to its part of the slots."""
    found = {version.id: _weight(version) for version in present}
    entrants = sum(not version.is_house for version in present)
    most = max(MOST_OF_SLOTS / seats, 2 / max(entrants, 2))
    while True:
        limit = most * sum(found.values())
        over = [each for each, weight in found.items() if weight > limit * (1 + 1e-6)]
        if not over:
            return found
        found.update(dict.fromkeys(over, limit))


def most_running(present: Sequence[Version], slots: int, seats: int) -> int:
    """Return the limit of the running meetings of a version.

    It is a tenth of the slots, or twice the equal part where that is more, both rounded up, and
    never more than MOST_RUNNING.
    """
    tenth = math.ceil(slots * MOST_OF_SLOTS)
    twice = math.ceil(2 * seats * slots / max(len(present), 1))
    return min(MOST_RUNNING, max(1, tenth, twice))


def usual_seconds(present: Iterable[Version]) -> float:
    """Return the mean slot seconds that a version answers for in a match."""
    every = list(present)
    played = sum(version.matches for version in every)
    spent = math.fsum(version.slot_seconds for version in every)
    return spent / played if played and spent > 0 else USUAL_SECONDS


def costs(present: Iterable[Version], matches: int) -> dict[str, float]:
    """Return the slot seconds that each version will probably answer for in a meeting."""
    every = list(present)
    usual = usual_seconds(every)
    return {
        version.id: matches
        * max(
            version.slot_seconds / version.matches if version.matches else usual,
            LEAST_PART * usual,
        )
        for version in every
    }


def _weight(version: Version) -> float:
    if version.is_house or version.is_settled:
        return SETTLED_WEIGHT
    return FRESH_WEIGHT if version.is_fresh else 1.0
