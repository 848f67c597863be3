"""Whether the 95 % intervals of ratings hold the truth: matches of 2 to 6 seats are simulated."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from arena.ratings.rating import ELO, rate
from referee.result import SeatRow
from tests.bench.figures import Figure

EVENTS = 200
"""Events that `make bench` simulates of each kind."""
MATCHES = 200
STRENGTHS = {"a": 250.0, "b": 150.0, "c": 50.0, "d": -50.0, "e": -150.0, "f": -250.0}
"""True ratings in Elo; their mean is 0."""
FIRST_MOVE = 60.0
"""True advantage of the first seat, in Elo."""
LEAST, MOST = 92.0, 98.0
"""Percentage of intervals that contain the true value."""

Places = dict[str, int]


@dataclass(frozen=True, slots=True)
class Kind:
    """How matches end."""

    name: str
    ties: Mapping[int, float]
    """Weight of a place shared by this many players."""
    is_cut: bool = False
    """Whether a match ends with its winner, so that all others share place 2."""
    faulty: float = 0.0
    """Rate of faults at the last place, and at the next place if the last one has a fault."""
    power: float = 1.0
    """How much ties depend on strength: 0 not at all, 1 as in the model of Davidson and Luce."""
    spread: float = 1.0
    """Factor of the true ratings: the further apart, the more the dependence matters."""


DRAWN = dict.fromkeys(range(2, 7), 0.4)
KINDS = (
    Kind("winner takes all", {}, is_cut=True),
    Kind("full order", {}),
    Kind("ties", {2: 0.3, 3: 0.1}),
    Kind("winner or draw", DRAWN, is_cut=True),
    Kind("faults", {}, faulty=0.4),
    Kind("winner, faults", {}, is_cut=True, faulty=0.4),
    Kind("ties, faults", {2: 0.3, 3: 0.1}, faulty=0.4),
    Kind("draws of equals, far apart", DRAWN, is_cut=True, spread=2),
    Kind("draws between the two, far apart", DRAWN, is_cut=True, power=0.5, spread=2),
    Kind("draws of anybody, far apart", DRAWN, is_cut=True, power=0, spread=2),
)


def coverage(folder: Path) -> Iterator[Figure]:
    """Yield the share of intervals that hold the truth, by kind of match and number of seats."""
    del folder
    for kind in KINDS:
        for seats in range(2, 7):
            share = held(kind, seats, events=EVENTS, matches=MATCHES)
            name = f"coverage, {kind.name}, {seats} seats"
            yield Figure(name, share, "%", least=LEAST, most=MOST)


def held(kind: Kind, seats: int, *, events: int, matches: int) -> float:
    """Return what percentage of the intervals of such events hold the true value."""
    dice = random.Random(f"{kind.name} {seats}")
    strengths = {player: kind.spread * elo for player, elo in STRENGTHS.items()}
    hits = []
    for _ in range(events):
        ratings = rate([simulated(kind, seats, dice, strengths) for _ in range(matches)])
        hits += [abs(each.elo - strengths[each.player]) < each.error for each in ratings.players]
        hits.append(abs(ratings.first_move - FIRST_MOVE) < ratings.first_move_error)
    return 100 * sum(hits) / len(hits)


def simulated(
    kind: Kind, seats: int, dice: random.Random, strengths: Mapping[str, float] = STRENGTHS
) -> tuple[SeatRow, ...]:
    """Play a match by the model of the ratings; seats in the order of their moves."""
    seated = dice.sample(sorted(strengths), seats)
    places = _placed(kind, seated, strengths, dice)
    order = sorted(seated, key=lambda player: -places[player])
    offenders = set()
    for player in order:
        if dice.random() >= kind.faulty:
            break
        offenders.add(player)
    last_honest = seats - len(offenders)
    rows = []
    for player in seated:
        place = places[player]
        if kind.is_cut and place > 1:
            place = 2
        fault = "timeout" if player in offenders else None
        rows.append(SeatRow(player, 0, last_honest + 1 if fault else place, "0", fault, 0, 0, 0, 0))
    return tuple(rows)


def _placed(
    kind: Kind, seated: Sequence[str], strengths: Mapping[str, float], dice: random.Random
) -> Places:
    """Return the place of every player before cuts and faults."""
    weight = {player: strengths[player] / ELO for player in seated}
    weight[seated[0]] += FIRST_MOVE / ELO
    left = sorted(seated)
    places: Places = {}
    while left:
        # Where a match ends with its winner, it is won by one or drawn by all.
        sizes = [len(left)] if kind.is_cut and not places else range(2, len(left) + 1)
        tied = [size for size in sizes if kind.ties.get(size) and size > 1]
        sets = [taken for size in (1, *tied) for taken in combinations(left, size)]
        pool = math.log(sum(math.exp(weight[player]) for player in left))
        weights = [
            _weight(kind, len(each), sum(weight[by] for by in each) / len(each), pool)
            for each in sets
        ]
        (taken,) = dice.choices(sets, weights)
        for player in taken:
            places[player] = len(seated) - len(left) + 1
        left = [player for player in left if player not in taken]
    return places


def _weight(kind: Kind, size: int, mean: float, pool: float) -> float:
    """Return the weight of a place for these players: of one, or of several with this mean."""
    if size == 1:
        return math.exp(mean)
    return kind.ties[size] * math.exp(pool + kind.power * (mean - pool))
