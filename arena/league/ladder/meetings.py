"""The ladder of a league: who meets whom next, without rounds.

Each free slot asks for a meeting: the same versions on the same board, once in each rotation of the
seats. Half of the seats (one of two, one of several) go to the version that is next: the one with
the least slot seconds by its weight, among equals the one with the fewest matches. This is fair
queueing by start times (Goyal, Vin & Cheng 1996): a turn advances by slot seconds / weight, a
version that is new or returns starts at the turn of the others, and so neither gets nor lacks what
it missed.

The other seats are drawn: 60 % near in rating by p(1 - p), 25 % uniformly, 15 % house bots.
Versions that were drawn often are ahead of their share and are left out until the others follow. A
house bot is next only while it is behind its small weight, and then meets house bots.

Near a deadline, three of four meetings go to the pairs whose order is undecided, those with the
fewest matches first. These meetings are not charged, so that nobody waits longer for them
afterwards.

    ladder = Ladder(seats=2)
    meeting = ladder.next_meeting(field, slots=4, dice=random.Random(seed))
    ...
    ladder.charge(field, meeting, {"alice-3": 11.5, "greedy": 0.4})
"""

import enum
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.league.ladder.field import Version, costs, most_running, weights
from arena.ratings.pentanomial import expected_score

NEAR, UNIFORM = 0.6, 0.25
"""Parts of the opponents; the rest are house bots."""
DEADLINE = 0.75
"""Part of the meetings of undecided pairs near a deadline."""
AHEAD = 3.0
"""Meetings by which a version may be ahead of its share and still be drawn."""
BEHIND = 2.0
"""Meetings by which a version may stay behind its share, having had no opponent or slot."""
RIVALS = 4
"""Number of owners from which bots of one owner no longer meet."""


class Reason(enum.StrEnum):
    """Why a meeting is played."""

    LADDER = "ladder"
    DEADLINE = "deadline"
    TEST = "test"


@dataclass(frozen=True, slots=True)
class Meeting:
    """Versions that meet: a match in each rotation of the seats, all on one board."""

    seats: tuple[str, ...]
    reason: Reason = Reason.LADDER

    @property
    def matches(self) -> tuple[tuple[str, ...], ...]:
        """Versions by seat, of each match."""
        seats = self.seats
        return tuple(seats[turn:] + seats[:turn] for turn in range(len(seats)))


class Ladder:
    """Chooses meetings, and remembers how much of its share each version had.

    `turns` may be kept over a restart. If they are lost, all versions are equally near their turn.
    """

    def __init__(self, *, seats: int, turns: Mapping[str, float] | None = None) -> None:
        """Create it for a game with this number of seats."""
        self._seats = seats
        self.turns = dict(turns or {})
        """Slot seconds / weight of each version, from a common start."""
        self._level = min(self.turns.values(), default=0.0)
        self._last = set(self.turns)

    def next_meeting(
        self,
        field: Sequence[Version],
        *,
        slots: int,
        dice: random.Random,
        undecided: Sequence[tuple[str, str]] = (),
    ) -> Meeting | None:
        """Return the meeting for a free slot of `slots`; None if no more are useful.

        `undecided` are pairs whose order a deadline needs. The order of `field` does not matter.
        """
        present = sorted(
            (version for version in field if not version.is_parked), key=lambda each: each.id
        )
        self._admit(field, present)
        if not undecided and all(version.is_settled for version in present):
            return None
        hall = _Hall(present, self._seats, slots, self.turns, self._level)
        if undecided and dice.random() < DEADLINE:
            for pair in hall.open_pairs(undecided):
                if seated := self._seated(hall, pair, dice):
                    return Meeting(seated, Reason.DEADLINE)
        for version in sorted(hall.free, key=hall.order):
            if seated := self._seated(hall, (version,), dice):
                self._level = max(self._level, hall.turn[version.id])
                return Meeting(seated)
        return None

    def charge(
        self, field: Iterable[Version], meeting: Meeting, seconds: Mapping[str, float]
    ) -> None:
        """Add what each version answers for of a meeting's slot seconds, also of a void one.

        This should be the time of its own clock and an equal part of the rest: a slow opponent is
        not the fault of the other.
        """
        present = [version for version in field if not version.is_parked]
        if meeting.reason is not Reason.LADDER:
            return
        for version, weight in weights(present, self._seats).items():
            if version in seconds:
                self.turns[version] = (
                    self.turns.get(version, self._level) + max(seconds[version], 0.0) / weight
                )

    def _admit(self, field: Sequence[Version], present: Sequence[Version]) -> None:
        """Give newcomers the common turn, and forget those who left."""
        ids = {version.id for version in field}
        self.turns = {each: turn for each, turn in self.turns.items() if each in ids}
        for version in present:
            if version.id not in self._last:
                self.turns[version.id] = max(self.turns.get(version.id, self._level), self._level)
        self._last = {version.id for version in present}
        cost = costs(present, self._seats)
        for each, weight in weights(present, self._seats).items():
            least = self._level - BEHIND * cost[each] / weight
            self.turns[each] = max(self.turns[each], least)

    def _seated(
        self, hall: "_Hall", first: tuple[Version, ...], dice: random.Random
    ) -> tuple[str, ...] | None:
        """Return versions for all seats, those given first; None if there are too few."""
        seated = list(first)
        while len(seated) < self._seats:
            rivals = hall.rivals(seated)
            if not rivals:
                return None
            seated.append(hall.drawn(seated[0], rivals, dice))
        return tuple(version.id for version in seated)


class _Hall:
    """The present versions at one moment."""

    def __init__(
        self,
        present: Sequence[Version],
        seats: int,
        slots: int,
        turns: Mapping[str, float],
        level: float,
    ) -> None:
        cost, weight = costs(present, seats), weights(present, seats)
        most = most_running(present, slots, seats)
        self.free = [version for version in present if version.running < most]
        self.turn = {
            version.id: turns[version.id] + version.running * cost[version.id] / weight[version.id]
            for version in present
        }
        self._owned = {version.id: _owner(version) for version in present}
        self._is_strict = len(set(self._owned.values())) > max(RIVALS, seats)
        self._is_ahead = {
            version.id: self.turn[version.id]
            > level + AHEAD * cost[version.id] / weight[version.id]
            for version in present
        }

    def order(self, version: Version) -> tuple[float, int, str]:
        """Return the key by which versions are next."""
        return self.turn[version.id], version.matches, version.id

    def open_pairs(self, pairs: Iterable[tuple[str, str]]) -> list[tuple[Version, Version]]:
        """Return the pairs that are free, those with the fewest matches first."""
        free = {version.id: version for version in self.free}
        found = [
            (free[one], free[other])
            for one, other in pairs
            if one in free and other in free and one != other
        ]
        return sorted(
            found,
            key=lambda pair: (
                pair[0].running + pair[1].running,
                min(pair[0].matches, pair[1].matches),
            ),
        )

    def rivals(self, seated: Sequence[Version]) -> list[Version]:
        """Return the free versions that may join those seated."""
        bots = {version.bot for version in seated}
        owners = {self._owned[version.id] for version in seated}
        found = [
            version
            for version in self.free
            if version.bot not in bots
            and not (self._is_strict and self._owned[version.id] in owners)
        ]
        if seated[0].is_house and any(version.is_house for version in found):
            return [version for version in found if version.is_house]
        return found

    def drawn(self, seed: Version, rivals: Sequence[Version], dice: random.Random) -> Version:
        """Return one of the rivals by the mix."""
        kind = dice.random()
        house = [version for version in rivals if version.is_house]
        guests = [version for version in rivals if not version.is_house]
        within = [version for version in guests if not self._is_ahead[version.id]]
        if house and (kind >= NEAR + UNIFORM or not guests):
            return dice.choice(house)
        if not within:
            return min(guests, key=self.order)
        if kind >= NEAR:
            return dice.choice(within)
        chances = [expected_score(version.rating - seed.rating) for version in within]
        return dice.choices(within, [max(p * (1 - p), 1e-9) for p in chances])[0]


def _owner(version: Version) -> str:
    """Return the owner; each house bot counts as an owner of its own."""
    return f"house {version.id}" if version.is_house else f"by {version.owner}"
