"""The next unit of a league: from which lane, and who plays.

The ladder plays the active versions. Beside it, with small parts of the slots, parked versions are
tested, chosen versions meet in challenges, and the version before the active one of a bot plays on,
so that its owner can compare them. Tests and challenges are never rated. The version before takes
no slot that nothing else wants.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from arena.league.directing.counts import Counts
from arena.league.directing.due import Due
from arena.league.directing.roster import Roster
from arena.league.ladder.field import usual_seconds
from arena.league.ladder.lanes import PARTS, Lane, Use, next_lane
from arena.league.ladder.meetings import Ladder, Meeting, Reason
from arena.league.seasons.deadlines import is_near_deadline
from arena.league.seasons.season import PAIR
from arena.league.site.models import Challenge
from arena.ratings.pentanomial import expected_score

OLD_MATCHES = 100
"""Number of matches until which a version plays on that is not active any more."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """The players of the next unit, and why they play."""

    players: tuple[str, str]
    lane: Lane = Lane.LADDER
    reason: Reason = Reason.LADDER
    challenge: int | None = None
    """Number of the challenge."""


class Chooser:
    """Chooses units, and keeps the shares of versions and of lanes."""

    def __init__(self, counts: Counts, roster: Roster, slots: int, chance: random.Random) -> None:
        """Continue with the turns and lanes of `counts`."""
        self._standing = counts.standing
        self._roster = roster
        self.slots = slots
        """Number of slots now."""
        self._chance = chance
        self._ladder = Ladder(seats=PAIR, turns=counts.turns)
        self._use = Use({Lane(name): spent for name, spent in counts.lanes.items()})
        self.is_near_deadline: Callable[[], bool] = is_near_deadline
        """Whether the order of the table will soon be needed."""
        self.ungraded: Callable[[], Sequence[tuple[str, str]]] = tuple
        """Returns pairs of a version and a house bot whose matches a grade needs."""

    def keep_in(self, counts: Counts) -> None:
        """Write turns and lanes into the counts."""
        counts.turns = dict(self._ladder.turns)
        counts.lanes = {lane.value: spent for lane, spent in self._use.spent.items()}

    def next(self, begun: Iterable[Due], time_s: float) -> Chosen | None:
        """Return the next unit beside those that are begun; None if nothing waits."""
        units = {due.pairing.board: due for due in begun}
        busy = self._busy(units.values())
        spent = self._spent(units.values())
        sources: Mapping[Lane, Callable[[], Chosen | None]] = {
            Lane.LADDER: partial(self._meeting, busy),
            Lane.CHALLENGE: partial(self._challenge, units),
            Lane.TEST: partial(self._test, busy, time_s),
            Lane.OLD: partial(self._old, busy, spent),
        }
        waiting = set(sources)
        while (lane := next_lane(waiting, spent)) is not None:
            if (chosen := sources[lane]()) is not None:
                return chosen
            waiting.discard(lane)
        return None

    def charge(self, due: Due, seconds: Mapping[str, float], begun: Iterable[Due]) -> None:
        """Add what a match took to the shares of its lane and of its versions."""
        self._use.add(due.lane, sum(seconds.values()))
        if due.lane is Lane.LADDER:
            field = self._standing.field(self._roster.active, self._busy(begun))
            self._ladder.charge(field, Meeting(due.pairing.players, due.reason), seconds)

    def _spent(self, units: Iterable[Due]) -> dict[Lane, float]:
        usual = usual_seconds(self._standing.field(self._roster.active, {}))
        running = Counter(due.lane for due in units)
        return self._use.with_running(running, PAIR * PAIR * usual)

    def _meeting(self, busy: Counter[str]) -> Chosen | None:
        has_room = self._roster.presence.has_room
        active = [each for each in self._roster.active if has_room(each, busy[each])]
        undecided = list(self.ungraded())
        if self.is_near_deadline():
            undecided += self._standing.undecided(active)
        meeting = self._ladder.next_meeting(
            self._standing.field(active, busy),
            slots=self.slots,
            dice=self._chance,
            undecided=undecided,
        )
        if meeting is None:
            return None
        one, other = meeting.seats
        return Chosen((one, other), reason=meeting.reason)

    def _challenge(self, units: Collection[int]) -> Chosen | None:
        waiting = Challenge.objects.select_related("one", "other").filter(ended=None)
        for challenge in waiting.order_by("pk"):
            if challenge.unit is not None and challenge.unit in units:
                continue
            players = (challenge.one.player, challenge.other.player)
            self._roster.include(players)
            if self._roster.is_there(players):
                return Chosen(players, Lane.CHALLENGE, challenge=challenge.pk)
            challenge.end()
        return None

    def _test(self, busy: Mapping[str, int], time_s: float) -> Chosen | None:
        """Return a test of a parked version by a house bot."""
        house = [name for name in self._roster.active if self._standing.is_house(name)]
        for player in self._roster.parked:
            is_due = self._standing.breakers[player].is_test_due(time_s)
            if not is_due or player in busy or not house:
                continue
            self._roster.include([player])
            if self._roster.is_there([player]):
                return Chosen((player, self._chance.choice(house)), Lane.TEST)
        return None

    def _old(self, busy: Mapping[str, int], spent: Mapping[Lane, float]) -> Chosen | None:
        """Return a unit of a version before an active one, while its lane has less than its part.

        Alone, the lane has no slots: these versions never keep a league from resting.
        """
        part = PARTS[Lane.OLD] / PARTS[Lane.LADDER]
        if spent[Lane.OLD] >= part * spent[Lane.LADDER]:
            return None
        standing = self._standing
        played = standing.tally.matches
        for player in sorted(self._roster.previous, key=lambda each: (played[each], each)):
            if player in busy or standing.breakers[player].is_parked:
                continue
            if played[player] >= OLD_MATCHES:
                return None
            self._roster.include([player])
            rivals = self._rivals(player, busy)
            if rivals and player in self._roster.players:
                return Chosen((player, self._near(player, rivals)), Lane.OLD)
        return None

    def _rivals(self, player: str, busy: Mapping[str, int]) -> list[str]:
        bot = self._standing.bot(player)
        active = self._roster.active
        return [each for each in active if each not in busy and self._standing.bot(each) != bot]

    def _busy(self, begun: Iterable[Due]) -> Counter[str]:
        """Count the begun meetings of each version; those that wait for a remote bot keep nobody.

        The remote bot itself plays them first when it is back.
        """
        units = {due.pairing.board: due.pairing.players for due in begun}
        met = [players for players in units.values() if self._roster.is_there(players)]
        return Counter(name for players in met for name in players)

    def _near(self, player: str, rivals: Sequence[str]) -> str:
        rating = self._standing.rating
        chances = [expected_score(rating(each) - rating(player)) for each in rivals]
        return self._chance.choices(rivals, [max(p * (1 - p), 1e-9) for p in chances])[0]
