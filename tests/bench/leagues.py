"""Simulated leagues: bots with known strengths play, are handed in again, crash, dawdle and cheat.

Time is that of the matches, so that slow bots take slots as in a real league. The true rating of a
version is the one for which each pairing of the present field, counted once, has its expected
score.
"""

import heapq
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from arena.league.ladder.breaker import Breaker
from arena.league.ladder.field import Version
from arena.league.ladder.meetings import Ladder, Meeting
from arena.league.ladder.ratings import Fit, fit
from arena.league.ladder.season import Entrant
from arena.league.ladder.tally import Tally
from arena.ratings.pentanomial import expected_score
from arena.ratings.rating import ELO
from arena.results.standings import RatedMatch, RatedSeat

HOME = 1500.0
HOUSE = (-200.0, 0.0, 200.0)
"""Strengths of the house bots."""
SPREAD = 250.0
"""Standard deviation of the strengths of the bots."""
EVERY = 40
"""Matches from a hand-in to the next."""
FITS = 2
"""Hand-ins from a fit to the next."""
SLOW = 20.0
"""Slot seconds of a slow bot in a match; others have 1."""
CRASHES = 0.7
"""Part of its matches in which a crasher crashes."""
K = 24.0
"""Step of the Elo of single matches, for comparison."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A league to simulate."""

    name: str
    matches: int = 4500
    bots: int = 30
    slots: int = 4
    seats: int = 2
    gain: float = 15.0
    """Mean of the step from a version to the next, in Elo."""
    step: float = 50.0
    """Standard deviation of that step."""
    draws: float = 0.0
    """Rate of draws between equals."""
    effect: float = 0.0
    """Standard deviation of what a pairing adds to a difference, in Elo."""
    circle: float = 0.0
    """Advantage of each third of the bots over the next third, in Elo."""
    slow: int = 0
    """Number of slow bots."""
    crashers: int = 0
    """Number of bots that crash."""
    puppets: int = 0
    """Number of bots that lose on purpose to the bot of a friend."""


@dataclass(frozen=True, slots=True)
class Bot:
    """A version and what nobody knows of it."""

    id: str
    name: str
    owner: str
    strength: float
    number: int = 1
    is_house: bool = False
    seconds: float = 1.0
    crashes: float = 0.0
    is_puppet: bool = False


class World:
    """The bots of a league, and results as they would play."""

    def __init__(self, kind: Kind, seed: int) -> None:
        """Create the first version of each bot."""
        self.kind = kind
        self.dice = random.Random(f"{kind.name} {seed}")
        self.bots: dict[str, Bot] = {}
        """Every version, also past ones, by its id."""
        self._effects: dict[tuple[str, str], float] = {}
        for at, strength in enumerate(HOUSE):
            name = f"house{at}"
            self._add(Bot(f"{name}-1", name, "", strength, is_house=True))
        for at in range(kind.bots):
            name = f"bot{at:02}"
            special = at - kind.bots + kind.slow + kind.crashers + kind.puppets
            self._add(
                Bot(
                    f"{name}-1",
                    name,
                    f"owner of {name}",
                    self.dice.gauss(0, SPREAD),
                    seconds=SLOW if 0 <= special < kind.slow else 1.0,
                    crashes=CRASHES if 0 <= special - kind.slow < kind.crashers else 0.0,
                    is_puppet=special - kind.slow - kind.crashers >= 0 and kind.puppets > 0,
                )
            )
        self.friend = "bot00"
        """The bot to which puppets lose."""

    def improved(self, last: Bot) -> Bot:
        """Return the next version of a bot."""
        step = self.dice.gauss(self.kind.gain, self.kind.step)
        number = last.number + 1
        bot = replace(
            last, id=f"{last.name}-{number}", number=number, strength=last.strength + step
        )
        self._add(bot)
        return bot

    def expected(self, one: Bot, other: Bot) -> float:
        """Return the expected score of a version against another one."""
        if other.is_puppet and one.name == self.friend:
            return 1.0
        if one.is_puppet and other.name == self.friend:
            return 0.0
        healthy = expected_score(self._gap(one, other))
        mine, its = 1 - one.crashes, 1 - other.crashes
        return (healthy * mine * its + mine * other.crashes) / (1 - one.crashes * other.crashes)

    def played(self, seats: Sequence[str]) -> RatedMatch:
        """Return the result of a match."""
        bots = [self.bots[each] for each in seats]
        faults = [self.dice.random() < bot.crashes for bot in bots]
        places = self._pair(*bots) if len(bots) == 2 else self._several(bots)
        return RatedMatch(tuple(map(RatedSeat, seats, places, faults)))

    def truth(self, present: Sequence[Bot]) -> dict[str, float]:
        """Return the true ratings in Elo, those of the house bots having the mean HOME."""
        names = [bot.id for bot in present]
        elo = {bot.id: bot.strength for bot in present}
        if self.kind.effect or self.kind.circle or self.kind.crashers or self.kind.puppets:
            wanted = {bot.id: sum(self._each(bot, present)) for bot in present}
            for _ in range(30):
                for name in names:
                    scores = [expected_score(elo[name] - elo[rival]) for rival in names]
                    slope = sum(score * (1 - score) for score in scores)
                    elo[name] += ELO * (wanted[name] + 0.5 - sum(scores)) / slope
        house = [elo[bot.id] for bot in present if bot.is_house]
        return {name: HOME + value - sum(house) / len(house) for name, value in elo.items()}

    def _each(self, bot: Bot, present: Sequence[Bot]) -> Iterator[float]:
        for rival in present:
            if rival is not bot:
                yield min(max(self.expected(bot, rival), 1e-3), 1 - 1e-3)

    def _add(self, bot: Bot) -> None:
        self.bots[bot.id] = bot

    def _gap(self, one: Bot, other: Bot) -> float:
        gap = one.strength - other.strength
        if self.kind.circle and not (one.is_house or other.is_house):
            ahead = (int(other.name[3:]) - int(one.name[3:])) % 3
            gap += self.kind.circle * (0.0, 1.0, -1.0)[ahead]
        if self.kind.effect:
            key = (min(one.id, other.id), max(one.id, other.id))
            if key not in self._effects:
                dice = random.Random(f"{self.kind.name} {key}")
                self._effects[key] = dice.gauss(0, self.kind.effect)
            gap += self._effects[key] if key[0] == one.id else -self._effects[key]
        return gap

    def _pair(self, one: Bot, other: Bot) -> tuple[int, int]:
        if other.is_puppet and one.name == self.friend:
            return 1, 2
        if one.is_puppet and other.name == self.friend:
            return 2, 1
        score = expected_score(self._gap(one, other))
        drawn = 2 * self.kind.draws * min(score, 1 - score)
        dice = self.dice.random()
        if dice < drawn:
            return 1, 1
        return (1, 2) if dice < drawn + score - drawn / 2 else (2, 1)

    def _several(self, bots: Sequence[Bot]) -> list[int]:
        performed = [bot.strength / ELO - math.log(-math.log(self.dice.random())) for bot in bots]
        ranked = sorted(performed, reverse=True)
        return [ranked.index(each) + 1 for each in performed]


class League:
    """A league in play."""

    def __init__(self, world: World, *, is_uniform: bool = False) -> None:
        """Create it; with `is_uniform`, meetings are drawn uniformly in place of the ladder."""
        self.world, self.kind, self.dice = world, world.kind, world.dice
        self.is_uniform = is_uniform
        self.present = {bot.name: bot for bot in world.bots.values()}
        self.entrants = [Entrant(bot.id, is_house=bot.is_house) for bot in self.present.values()]
        self.breakers = {bot.id: Breaker() for bot in self.present.values()}
        self.tally = Tally()
        self.ladder = Ladder(seats=self.kind.seats)
        self.seconds: Counter[str] = Counter()
        """Slot seconds of each version."""
        self.running: Counter[str] = Counter()
        self.elo: defaultdict[str, float] = defaultdict(float)
        """Elo of each bot by single matches, with the step K."""
        self.now = 0.0
        self.played = 0
        self.fitted = fit(self.entrants, self.tally)

    def play(self) -> Iterator[Fit]:
        """Play all matches, and yield each fit before the next hand-in."""
        ends: list[tuple[float, int, Meeting]] = []
        due, number = EVERY, count()
        while self.played < self.kind.matches:
            while len(ends) < self.kind.slots and (meeting := self._meeting()):
                self.running.update(meeting.seats)
                lasts = math.fsum(self._lasts(meeting).values())
                heapq.heappush(ends, (self.now + lasts, next(number), meeting))
            self.now, _, meeting = heapq.heappop(ends)
            self.running.subtract(meeting.seats)
            self._end(meeting)
            if self.played >= due:
                due += EVERY
                if due % (EVERY * FITS) == 0:
                    self.fitted = fit(self.entrants, self.tally, before=self.fitted)
                    yield self.fitted
                self._hand_in()

    def versions(self) -> list[Version]:
        """Return the field as the ladder sees it."""
        return [self._version(bot) for bot in self.present.values()]

    def active(self) -> list[Bot]:
        """Return the versions that are not parked."""
        return [bot for bot in self.present.values() if not self.breakers[bot.id].is_parked]

    def _version(self, bot: Bot) -> Version:
        elos = self.fitted.elos
        return Version(
            id=bot.id,
            bot=bot.name,
            owner=bot.owner,
            is_house=bot.is_house,
            rating=elos[bot.id].value if bot.id in elos else HOME,
            error=self.fitted.error(bot.id) if bot.id in elos else math.inf,
            matches=self.tally.matches[bot.id],
            slot_seconds=self.seconds[bot.id],
            running=self.running[bot.id],
            is_parked=self.breakers[bot.id].is_parked,
        )

    def _meeting(self) -> Meeting | None:
        if self.is_uniform:
            names = [bot.id for bot in self.present.values()]
            return Meeting(tuple(self.dice.sample(names, self.kind.seats)))
        return self.ladder.next_meeting(self.versions(), slots=self.kind.slots, dice=self.dice)

    def _lasts(self, meeting: Meeting) -> dict[str, float]:
        seats = len(meeting.seats)
        return {each: seats * self.world.bots[each].seconds for each in meeting.seats}

    def _end(self, meeting: Meeting) -> None:
        lasted = self._lasts(meeting)
        self.ladder.charge(self.versions(), meeting, lasted)
        self.seconds.update({each: round(lasts) for each, lasts in lasted.items()})
        matches = [self.world.played(seats) for seats in meeting.matches]
        self.tally.add(matches)
        self.played += len(matches)
        for match in matches:
            if len(match.seats) == 2:
                self._step(match)
            for seat in match.seats:
                breaker = self.breakers[seat.player]
                after = breaker.after_match(is_fault=seat.fault, now=self.now)
                self.breakers[seat.player] = after

    def _step(self, match: RatedMatch) -> None:
        one, other = match.seats
        mine, its = self.world.bots[one.player].name, self.world.bots[other.player].name
        if one.fault == other.fault:
            score = 0.5 + 0.5 * ((one.place < other.place) - (one.place > other.place))
        else:
            score = float(other.fault)
        by = K * (score - expected_score(self.elo[mine] - self.elo[its]))
        self.elo[mine] += by
        self.elo[its] -= by

    def _hand_in(self) -> None:
        last = self.dice.choice([bot for bot in self.present.values() if not bot.is_house])
        bot = self.world.improved(last)
        self.present[bot.name] = bot
        self.breakers[bot.id] = Breaker()
        self.entrants = [
            replace(each, is_active=each.is_active and each.id != last.id) for each in self.entrants
        ]
        self.entrants.append(Entrant(bot.id, last.id))
