"""Hand-ins that arrive: few at a time, and nobody keeps the others waiting by slow ones.

A newcomer gets the place of a team that has more places than its own team, or of a team mate who
has more than itself. Between equals, what arrives for long gives way.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from arena.league.web.arriving import Arrival, Receive

MOST = 8
"""Limit of the hand-ins that arrive at the same time."""
MOST_OF_TEAM = 4
MOST_OF_ONE = 2
"""Limit of those of one person, who may send them as slowly as a bad line does."""
LONG_S = 30.0
"""Time in s after which a hand-in gives way to one of somebody who has no more places."""


@dataclass(frozen=True)
class Asker:
    """Who hands in."""

    person: int
    teams: frozenset[int] = frozenset()

    def is_mate_of(self, other: "Asker") -> bool:
        """Whether these share a team, or are the same."""
        return self.person == other.person or bool(self.teams & other.teams)


class Uploads:
    """The hand-ins that arrive, the oldest first."""

    def __init__(self) -> None:
        self._places: dict[Arrival, Asker] = {}

    def __len__(self) -> int:
        return len(self._places)

    def begin(self, arrival: Arrival, asker: Asker) -> Receive | None:
        """Return the source of a hand-in that holds a place until its end; None without a place."""
        if self._of_person(asker) >= MOST_OF_ONE or not self._has_place(asker):
            return None
        self._places[arrival] = asker
        return arrival.until_over(self.end)

    def end(self, arrival: Arrival) -> None:
        """Give the place of a hand-in to others."""
        self._places.pop(arrival, None)

    def _has_place(self, asker: Asker) -> bool:
        """Whether there is a place, which another one may have left for that."""
        if self._of_team(asker) >= MOST_OF_TEAM:
            mates = [each for each, who in self._places.items() if who.is_mate_of(asker)]
            return self._make_room(mates, self._of_person, asker)
        if len(self._places) >= MOST:
            return self._make_room(self._places, self._of_team, asker)
        return True

    def _make_room(
        self, places: Collection[Arrival], load: Callable[[Asker], int], asker: Asker
    ) -> bool:
        """Refuse the oldest of those with the most places, if that is fair."""

        def loads(place: Arrival) -> tuple[int, int]:
            return load(self._places[place]), self._of_person(self._places[place])

        oldest = max(places, key=loads)
        more = loads(oldest)[0] - load(asker)
        if more < 1 or (more == 1 and oldest.age_s < LONG_S):
            return False
        self.end(oldest)
        oldest.make_room()
        return True

    def _of_person(self, asker: Asker) -> int:
        return sum(who.person == asker.person for who in self._places.values())

    def _of_team(self, asker: Asker) -> int:
        return sum(who.is_mate_of(asker) for who in self._places.values())
