"""Ratings by maximum likelihood: who is how strong, how sure that is, what moving first is worth.

The model is the Davidson-Luce model (Firth, Kosmidis & Turner 2019). A match is a row of choices:
of the seats still to be placed, one takes the next place or several share it. A choice of the set
T has the weight

    tie(|T|) * (product of exp(strength) over T) ** (1 / |T|),    tie(1) = 1,

where the seat that moves first has `first_move` added to its strength. Without ties that is the
model of Plackett (1975) and Luce (1959), for two seats that of Bradley & Terry (1952); for two
seats with ties it is that of Davidson (1970). Only numbers of seats that did share a place have a
tie weight.

A shared last place is no choice: in a game that ends with its winner, all others share place 2,
however far they had come. So the choices end where all that are left share a place, and sharing it
is not among the alternatives there: a likelihood of what was observed, given that it was. All seats
sharing place 1 is a draw, a choice of the whole set. Seats at fault are behind all others.

A strength of 1 is 400 / ln 10 Elo. Every parameter has a normal prior with a standard deviation of
PRIOR_ELO, so that 10-0 stays finite. The logarithm of the likelihood is concave, so Newton's method
finds its one maximum; errors come from its curvature there. Results are counted first and the
counts sorted: the order of the matches changes nothing, and many matches cost one pass.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from arena.ratings.likelihood import Choice, Peak, maximum
from arena.results.standings import Seat

ELO = 400 / math.log(10)
"""Elo per unit of strength: 400 Elo are odds of ten to one."""
PRIOR_ELO = 600.0
"""Standard deviation of the prior: 10-0 comes to about 700 Elo between the two."""
TWO_SIDED_95 = 1.959964
"""So many standard errors to either side hold 95 % of a normal distribution."""


class _Left(NamedTuple):
    """Who is still to be placed in a match."""

    names: tuple[str, ...]
    """The players, sorted."""
    mover: str
    """The one of them that moved first, or ""."""
    is_whole: bool
    """Whether nobody has been placed yet, so that all of them together may take the place."""


_Counts = Counter[tuple[_Left, tuple[str, ...]]]
"""How often which players took a place, alone or together."""


@dataclass(frozen=True, slots=True)
class Rating:
    """What a player's results say of its strength."""

    player: str
    elo: float
    """Against the mean of its group."""
    error: float
    """Half the width of the 95 % interval, in Elo."""
    matches: int
    group: int
    """Players of different groups are joined by no match: their ratings do not compare."""
    superiority: float | None
    """Likelihood of being stronger than the next one in its group; the last one has no next."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of everybody who has a match that counts, by group, best first."""

    players: tuple[Rating, ...]
    first_move: float
    """What moving first is worth, in Elo."""
    first_move_error: float
    """Half the width of its 95 % interval, in Elo."""
    ignored: int
    """Matches of which nothing is learned: alone, against itself, or all at fault."""

    @property
    def groups(self) -> int:
        """How many groups there are that no match joins."""
        return len({rating.group for rating in self.players})


def rate(matches: Iterable[Sequence[Seat]]) -> Ratings:
    """Rate the players of the matches; the seats of a match stand in the order of their moves.

    Who is at fault is placed behind all who are not, and nothing is learned of one offender
    against another: a match in which all are at fault is ignored.
    """
    counts, played, ignored = _count(matches)
    players = sorted(played)
    if not players:
        return Ratings((), 0.0, 0.0, ignored)
    sizes = sorted({len(chosen) for _, chosen in counts} - {1})
    first = len(players)
    index = {player: place for place, player in enumerate(players)}
    peak = maximum(
        _choices(counts, index, sizes),
        parameters=first + 1 + len(sizes),
        deviation=PRIOR_ELO / ELO,
    )
    rated: list[Rating] = []
    for number, group in enumerate(_groups(counts, players)):
        rated += _rated(group, number, index, played, peak)
    error = TWO_SIDED_95 * ELO * math.sqrt(peak.covariance[first][first])
    return Ratings(tuple(rated), ELO * peak.point[first], error, ignored)


def _count(
    matches: Iterable[Sequence[Seat]],
) -> tuple[_Counts, Counter[str], int]:
    """Return how often which set was chosen of which, the matches of each player, the ignored."""
    counts: _Counts = Counter()
    played: Counter[str] = Counter()
    ignored = 0
    for seats in matches:
        choices = list(_placings(seats))
        counts.update(choices)
        if choices:
            played.update(seat.player for seat in seats)
        ignored += not choices
    return counts, played, ignored


def _placings(seats: Sequence[Seat]) -> Iterator[tuple[_Left, tuple[str, ...]]]:
    """Yield who was left and who of them took the next place, from the first place down."""
    if len({seat.player for seat in seats}) < len(seats):
        return
    first = seats[0].player
    left = sorted(seats, key=lambda seat: seat.player)
    while len(left) > 1 and (honest := [seat for seat in left if seat.fault is None]):
        best = min(seat.place for seat in honest)
        chosen = [seat.player for seat in honest if seat.place == best]
        is_whole = len(left) == len(seats)
        if not is_whole and 1 < len(chosen) == len(honest):
            return
        names = tuple(seat.player for seat in left)
        yield _Left(names, first if first in names else "", is_whole), tuple(chosen)
        left = [seat for seat in left if seat.player not in chosen]


def _choices(counts: _Counts, index: Mapping[str, int], sizes: Sequence[int]) -> list[Choice]:
    """Return every set that was chosen from, with its alternatives and how often each was taken."""
    chosen_of: dict[_Left, Counter[tuple[str, ...]]] = {}
    for (left, chosen), times in sorted(counts.items()):
        chosen_of.setdefault(left, Counter())[chosen] = times
    first = len(index)
    ties = {size: first + 1 + place for place, size in enumerate(sizes)}
    choices = []
    for left, taken in chosen_of.items():
        most = len(left.names) if left.is_whole else len(left.names) - 1
        alternatives = []
        for size in (1, *(size for size in sizes if size <= most)):
            for subset in combinations(left.names, size):
                features = [(index[name], 1 / size) for name in subset]
                if left.mover in subset:
                    features.append((first, 1 / size))
                if size > 1:
                    features.append((ties[size], 1.0))
                alternatives.append((taken[subset], tuple(features)))
        choices.append(Choice(sum(taken.values()), tuple(alternatives)))
    return choices


def _groups(counts: _Counts, players: Sequence[str]) -> list[list[str]]:
    """Return the players in groups that matches join, the largest group first."""
    above = {player: player for player in players}

    def root(player: str) -> str:
        while above[player] != player:
            above[player] = above[above[player]]
            player = above[player]
        return player

    for left, _ in counts:
        for name in left.names[1:]:
            above[root(name)] = root(left.names[0])
    groups: dict[str, list[str]] = {}
    for player in players:
        groups.setdefault(root(player), []).append(player)
    return sorted(groups.values(), key=lambda group: (-len(group), group))


def _rated(
    group: Sequence[str],
    number: int,
    index: Mapping[str, int],
    played: Mapping[str, int],
    peak: Peak,
) -> list[Rating]:
    """Return the ratings of a group, best first, against the group's mean."""
    places = [index[player] for player in group]
    names = dict(zip(places, group, strict=True))
    size = len(places)
    covariance = peak.covariance
    middle = sum(peak.point[at] for at in places) / size
    shared = {at: sum(covariance[at][other] for other in places) / size for at in places}
    spread = sum(shared.values()) / size
    order = sorted(places, key=lambda at: (-peak.point[at], names[at]))
    ratings = []
    for at, after in zip(order, [*order[1:], None], strict=True):
        variance = covariance[at][at] - 2 * shared[at] + spread
        ratings.append(
            Rating(
                player=names[at],
                elo=ELO * (peak.point[at] - middle),
                error=TWO_SIDED_95 * ELO * math.sqrt(max(variance, 0.0)),
                matches=played[names[at]],
                group=number,
                superiority=None if after is None else _superiority(peak, at, after),
            )
        )
    return ratings


def _superiority(peak: Peak, one: int, other: int) -> float:
    """Return the likelihood that one parameter is above the other."""
    table = peak.covariance
    variance = table[one][one] + table[other][other] - 2 * table[one][other]
    difference = peak.point[one] - peak.point[other]
    return 0.5 * (1 + math.erf(difference / math.sqrt(2 * variance)))
