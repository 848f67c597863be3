"""The ladder of a league: who meets whom next, without rounds.

Each free slot asks for a meeting: the same versions on the same board, once in each rotation of the
seats. One seat goes to the version with the fewest matches of those that are not ahead of their
share; the others are drawn: 60 % near in rating by p(1 - p), 25 % uniformly, 15 % house bots, and
again only versions that are not ahead: house bots take their place in a league of few owners.
House bots meet each other only where no entrant can play.

Shares are kept as in fair queueing by start times (Goyal, Vin & Cheng 1996): the turn of a bot
advances by slot seconds / weight, and a bot that is new or returns starts at the turn of the
others: it neither gets nor lacks what it missed. At a start of the league, and of a bot that
returns, a turn far ahead counts as no more than a waiting version may be ahead, so that no bot
waits for days for what an earlier Arena or other rivals have charged. Versions of a bot have one
turn, so that nobody gains slots by handing in again. A version is ahead when its turn is AHEAD of
its usual meetings beyond that of the entrant farthest behind; a fresh one may be thrice as many
ahead, so that its first matches come at once. No version waits for ever, whatever the others do:
`longest_wait` has the limit.

Near a deadline, three of four meetings go to the pairs whose order is undecided, those with the
fewest matches first. These meetings are not charged, so that nobody waits longer for them
afterwards.

    ladder = Ladder(seats=2)
    meeting = ladder.next_meeting(field, slots=4, dice=random.Random(seed))
    ...
    ladder.charge(field, meeting, {"alice-3": 11.5, "greedy": 0.4})
"""

import enum
import math
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arena.league.ladder.field import (
    LEAST_PART,
    Version,
    costs,
    most_running,
    usual_seconds,
    weights,
)
from arena.ratings.pentanomial import expected_score

NEAR, UNIFORM = 0.6, 0.25
"""Parts of the opponents; the rest are house bots."""
DEADLINE = 0.75
"""Part of the meetings of undecided pairs near a deadline."""
AHEAD = 3.0
"""Meetings by which a version may be ahead of its share and still play."""
BEHIND = 3.0
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
        """Slot seconds / weight of each bot, from a common start."""
        self._level = min(self.turns.values(), default=0.0)
        self._last = set[str]()

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
        self._level = max(self._level, hall.level)
        for version in hall.first():
            if seated := self._seated(hall, (version,), dice):
                return Meeting(seated)
        return None

    def charge(
        self, field: Iterable[Version], meeting: Meeting, seconds: Mapping[str, float]
    ) -> None:
        """Add what each version answers for of the slot seconds of a meeting, or of a match of it.

        This should be the time of its own clock and an equal part of the rest: a slow opponent is
        not the fault of the other.
        """
        if meeting.reason is not Reason.LADDER:
            return
        present = [version for version in field if not version.is_parked]
        bots = {version.id: version.bot for version in present}
        least = LEAST_PART * usual_seconds(present)
        for version, weight in weights(present, self._seats).items():
            if version in meeting.seats:
                by = max(least, seconds.get(version, 0.0)) / weight
                self.turns[bots[version]] = self.turns.get(bots[version], self._level) + by

    def _admit(self, field: Sequence[Version], present: Sequence[Version]) -> None:
        """Give new bots the common turn, and forget those that left."""
        bots = {version.bot for version in field}
        self.turns = {each: turn for each, turn in self.turns.items() if each in bots}
        entrants = {version.bot for version in present if not version.is_house}
        known = [turn for bot, turn in self.turns.items() if bot in entrants]
        self._level = max(self._level, min(known, default=self._level))
        cost, weight = costs(present, self._seats), weights(present, self._seats)
        for version in present:
            least, most = self._level, math.inf
            if version.bot in self._last:
                least -= behind(version.id, cost, weight)
            else:
                most = self._level + most_ahead(cost[version.id], weight[version.id])
            turn = self.turns.get(version.bot, least)
            self.turns[version.bot] = min(max(turn, least), most)
        self._last = {version.bot for version in present}

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


def longest_wait(present: Sequence[Version], version: str, seats: int) -> float:
    """Return the slot seconds that the meetings of entrants take at most while a version waits.

    It is present and not running, weights stay as they are, and meetings last as they usually do.
    Those that begin meanwhile count, without the part for which house bots answer. The version may
    be `ahead` and have had a meeting more; so may each other one in the end, after being `behind`.
    """
    cost, weight = costs(present, seats), weights(present, seats)
    entrants = [each.id for each in present if not each.is_house]
    whole = math.fsum(weight[each] for each in entrants)
    own = most_ahead(cost[version], weight[version])
    others = (
        cost[each] + weight[each] * (behind(each, cost, weight) + ahead(cost[each], weight[each]))
        for each in entrants
        if each != version
    )
    return whole * own + math.fsum(others)


def ahead(cost: float, weight: float) -> float:
    """Return by how much a turn may be ahead: AHEAD meetings, thrice as many of a fresh version."""
    return AHEAD * cost / min(weight, 1.0)


def most_ahead(cost: float, weight: float) -> float:
    """Return by how much the turn of a waiting version may be ahead, a meeting more than others."""
    return ahead(cost, weight) + cost / weight


def behind(version: str, cost: Mapping[str, float], weight: Mapping[str, float]) -> float:
    """Return by how much a turn may be behind: BEHIND meetings, its own or usual ones."""
    usual = math.fsum(cost.values()) / len(cost)
    return BEHIND * max(cost[version], usual) / weight[version]


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
        self.matches = seats
        self.free = [version for version in present if version.running < most]
        self.turn = {
            version.id: turns[version.bot] + version.running * cost[version.id] / weight[version.id]
            for version in present
        }
        self._owned = {version.id: _owner(version) for version in present}
        self._is_strict = len(set(self._owned.values())) > max(RIVALS, seats)
        owners = {version.owner for version in present if not version.is_house}
        self._are_few = len(owners) <= RIVALS
        """Whether a quick bot with nobody within their share would meet the same one for ever."""
        self.level = min(
            (self.turn[each.id] for each in self.free if not each.is_house), default=level
        )
        """Turn of the entrant that is farthest behind."""
        self._is_ahead = {
            each.id: self.turn[each.id] > self.level + ahead(cost[each.id], weight[each.id])
            for each in present
        }

    def first(self) -> list[Version]:
        """Return the free versions in the order in which they are next."""
        return sorted(
            self.free,
            key=lambda each: (
                (True, self.turn[each.id], each.id)
                if self._is_ahead[each.id] or each.is_house
                else (False, each.matches + self.matches * each.running, each.id)
            ),
        )

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
        if house and (kind >= NEAR + UNIFORM or not (within if self._are_few else guests)):
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
