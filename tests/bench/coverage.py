"""Whether the 95 % intervals of ratings hold the truth: events of 2 to 6 seats are simulated.

An interval is right if it misses on each side about as often as it says: intervals that all miss on
one side may still contain the truth 95 times in 100.
"""

import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from arena.ratings.comparisons import compare
from arena.ratings.rating import ELO, Elo, Strengths, rate_outcomes
from arena.results.standings import RatedMatch, RatedSeat
from tests.bench.figures import Figure

EVENTS = 200
"""Events that `make bench` simulates of each kind."""
BOARDS = 60
"""Boards of an event."""
MANY_BOARDS = 4000
"""Boards from which the true values follow where they are no parameters of the simulation."""
STRENGTHS = {"a": 250.0, "b": 150.0, "c": 50.0, "d": -50.0, "e": -150.0, "f": -250.0}
"""True strengths in Elo; their mean is 0."""
FIRST_MOVE = 60.0
"""True advantage of the first seat, in Elo."""
LEAST, MOST = 92.0, 98.0
"""Percentage of intervals that contain the true value."""
MISSED = 4.5
"""Limit of the percentage of intervals that are wholly above it, and of those below it."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How matches end."""

    name: str
    spread: float = 1.0
    """Factor of the true strengths."""
    draws: float = 0.0
    """Rate of draws of two equals, or of all seats."""
    is_cut: bool = False
    """Whether a match ends with its winner, so that all others share place 2."""
    faulty: float = 0.0
    """Rate of faults at the last place, and at the next place if the last one has a fault."""
    is_normal: bool = False
    """Whether performances scatter like the normal distribution, not as in the model."""
    by_seat: float = 0.0
    """How much boards favour a seat: standard deviation in Elo."""
    by_bot: float = 0.0
    """How much boards suit a bot: standard deviation in Elo."""
    boards: int = BOARDS

    def is_exact(self, seats: int) -> bool:
        """Whether the true ratings are the strengths."""
        plain = not (self.faulty or self.is_normal or self.by_seat or self.by_bot)
        return self.spread == 0 or (plain and (self.draws == 0 or seats == 2))


KINDS = (
    Kind("full order"),
    Kind("winner takes all", is_cut=True),
    Kind("draws", draws=0.6, is_cut=True),
    Kind("far apart", spread=3, is_cut=True),
    Kind("few boards", boards=8),
    Kind("equals, boards favour a seat", spread=0, by_seat=400),
    Kind("equals, boards suit a bot", spread=0, by_bot=300),
    Kind("boards favour a seat", by_seat=400),
    Kind("boards suit a bot, draws", by_bot=300, draws=0.4, is_cut=True),
    Kind("normal performances", is_normal=True),
    Kind("normal performances, winner takes all", is_normal=True, is_cut=True),
    Kind("faults", faulty=0.2),
)


class Misses(NamedTuple):
    """Percentage of intervals that miss the true value."""

    above: float
    """Wholly above it."""
    below: float

    @property
    def held(self) -> float:
        """Percentage that contain it."""
        return 100 - self.above - self.below


def coverage(folder: Path) -> Iterator[Figure]:
    """Yield the share of intervals that hold the truth, by kind of match and number of seats."""
    del folder
    for kind in KINDS:
        for seats in range(2, 7):
            found = misses(kind, seats, events=EVENTS)
            name = f"coverage, {kind.name}, {seats} seats"
            yield Figure(name, found.held, "%", least=LEAST, most=MOST)
            yield Figure(f"{name}: too high", found.above, "%", most=MISSED)
            yield Figure(f"{name}: too low", found.below, "%", most=MISSED)


def misses(kind: Kind, seats: int, *, events: int) -> Misses:
    """Return how often the intervals of such events miss the true value, and on which side."""
    dice = random.Random(f"{kind.name} {seats}")
    true = truth(kind, seats)
    above = below = number = 0
    for _ in range(events):
        for player, elo in intervals(simulated(kind, seats, dice, kind.boards)):
            above += elo.low > true[player]
            below += elo.high < true[player]
            number += 1
    return Misses(100 * above / number, 100 * below / number)


def intervals(outcomes: Mapping[RatedMatch, int]) -> list[tuple[str, Elo]]:
    """Return the ratings of an event with more than two players."""
    return [(each.player, each.elo) for each in rate_outcomes(outcomes).players]


@cache
def truth(kind: Kind, seats: int) -> Mapping[str, float]:
    """Return the ratings that an endless event would give."""
    if kind.is_exact(seats):
        return {player: kind.spread * elo for player, elo in STRENGTHS.items()}
    dice = random.Random(f"{kind.name} {seats} truth")
    return Strengths(compare(simulated(kind, seats, dice, MANY_BOARDS))).elos()


def simulated(kind: Kind, seats: int, dice: random.Random, boards: int) -> Counter[RatedMatch]:
    """Play an event: on each board some players meet once in each rotation of the seats."""
    outcomes: Counter[RatedMatch] = Counter()
    for board in range(boards):
        of_seats = [dice.gauss(0, kind.by_seat) for _ in range(seats)]
        of_bots = {player: dice.gauss(0, kind.by_bot) for player in STRENGTHS}
        order = dice.sample(sorted(STRENGTHS), seats)
        for turn in range(seats):
            seated = [*order[turn:], *order[:turn]]
            elo = [
                kind.spread * STRENGTHS[player] + of_bots[player] + value
                for player, value in zip(seated, of_seats, strict=True)
            ]
            elo[0] += FIRST_MOVE
            places = _faulty(kind, _drawn(kind, _placed(kind, elo, dice), elo, dice), dice)
            rows = (
                RatedSeat(player, place, fault)
                for player, (place, fault) in zip(seated, places, strict=True)
            )
            outcomes[RatedMatch(tuple(rows), (board,))] += 1
    return outcomes


def _placed(kind: Kind, elo: list[float], dice: random.Random) -> list[int]:
    """Return the places by performance: of Gumbel's distribution, odds are those of the Elo."""
    if kind.is_normal:
        # the difference of two has the slope of the logistic curve at 0
        performed = [each / ELO + dice.gauss(0, 2 / math.sqrt(math.pi)) for each in elo]
    else:
        performed = [each / ELO - math.log(-math.log(dice.random())) for each in elo]
    ranked = sorted(performed, reverse=True)
    return [ranked.index(each) + 1 for each in performed]


def _drawn(kind: Kind, places: list[int], elo: list[float], dice: random.Random) -> list[int]:
    """Return the places after draws, which leave the expected score of two as it is."""
    rate = kind.draws
    if len(elo) == 2 and rate:
        better = max(elo) == elo[places.index(1)]
        less = 1 / (1 + math.exp(abs(elo[0] - elo[1]) / ELO))
        rate *= less / (1 - less) if better else 1.0
    if rate and dice.random() < rate:
        return [1] * len(places)
    return [min(place, 2) for place in places] if kind.is_cut else places


def _faulty(kind: Kind, places: list[int], dice: random.Random) -> list[tuple[int, bool]]:
    """Return places and faults."""
    faulty: set[int] = set()
    for seat in sorted(range(len(places)), key=lambda seat: -places[seat]):
        if dice.random() >= kind.faulty:
            break
        faulty.add(seat)
    return [(place, seat in faulty) for seat, place in enumerate(places)]
