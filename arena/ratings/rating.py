"""Ratings by maximum likelihood: strengths, their errors, and the value of moving first.

A match is a sequence of choices: one of the seats still to be placed takes the next place, or
several share it. One seat has the weight exp(strength), with `first_move` added to the strength of
the seat that moves first. A set T of several has the weight

    tie(|T|) * pool ** (1 - power) * (product of exp(strength) over T) ** (power / |T|),

where `pool` is the sum of exp(strength) over the seats still to be placed. Without ties this is the
model of Plackett (1975) and Luce (1959), for two seats the model of Bradley & Terry (1952). With
`power` = 1 it is the Davidson-Luce model (Firth, Kosmidis & Turner 2019), for two seats the model
of Davidson (1970), in which equals draw most often; with 0 draws do not depend on strength. For two
seats it is the generalized Davidson model of BradleyTerry2 (`GenDavidson`; Turner & Firth 2012).
`power` is estimated as well: a fixed one that is wrong for the game shifts the strengths by more
than their errors. Only observed numbers of tied seats have a tie weight.

A shared last place is not a choice: in a game that ends with its winner, all others share place 2,
independent of their progress. The choices therefore end once all remaining seats share a place, and
sharing it is not an alternative there: the likelihood is conditional on the observed choices. All
seats sharing place 1 is a draw, a choice of the whole set. Seats with a fault are behind all
others.

A strength of 1 is 400 / ln 10 Elo. Every parameter but `power` has a normal prior with a standard
deviation of PRIOR_ELO, so that 10-0 stays finite. Errors follow from the expected curvature of the
likelihood at its maximum. Results are counted first and the counts sorted: the order of the matches
has no effect, and many matches take one pass.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from arena.ratings.likelihood import Choice, Peak, Tie, Weights, maximum
from arena.results.standings import Outcome, outcome_of
from referee.result import SeatRow

ELO = 400 / math.log(10)
"""Elo per unit of strength: 400 Elo are odds of ten to one."""
PRIOR_ELO = 600.0
"""Standard deviation of the prior in Elo: a result of 10-0 gives about 700 Elo."""
POWER = (0.5, 0.5)
"""Mean and standard deviation of the prior of `power`: draws depend on strength, or do not."""
TWO_SIDED_95 = 1.959964
"""Half the width of the 95 % interval of a normal distribution, in standard errors."""


class _Left(NamedTuple):
    """The players still to be placed in a match."""

    names: tuple[str, ...]
    """The players, sorted."""
    mover: str
    """The player that moved first, or "" if already placed."""
    is_whole: bool
    """Whether no player has been placed yet, so that all together may take the place."""


_Counts = Counter[tuple[_Left, tuple[str, ...]]]
"""Number of times that players took a place, alone or together."""


@dataclass(frozen=True, slots=True)
class Rating:
    """Estimated strength of a player."""

    player: str
    elo: float
    """Elo relative to the mean of the group."""
    error: float
    """Half the width of the 95 % interval, in Elo."""
    matches: int
    group: int
    """Number of the group. No match connects groups, so ratings of two groups do not compare."""
    superiority: float | None
    """Probability of being stronger than the next player of the group; None for the last."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of all players with a counted match, by group, best first."""

    players: tuple[Rating, ...]
    first_move: float
    """Value of moving first, in Elo."""
    first_move_error: float
    """Half the width of its 95 % interval, in Elo."""
    ignored: int
    """Number of uninformative matches: one seat, one player against itself, or all at fault."""
    draw: float = 0.0
    """The weight tie(2) of the model."""
    power: float = 0.0
    """How much draws depend on strength: 0 not at all, 1 as in the model of Davidson."""

    @property
    def groups(self) -> int:
        """Number of groups without connecting matches."""
        return len({rating.group for rating in self.players})

    def expected_score(self, first: str, second: str) -> float | None:
        """Return the expected score of the first of two seats; None if no match connects them."""
        one, other = (self._rating_of(player) for player in (first, second))
        if one is None or other is None or one.group != other.group or one is other:
            return None
        win = 1 / (1 + math.exp(-(one.elo - other.elo + self.first_move) / ELO))
        draw = self.draw * math.pow(max(win * (1 - win), 1e-12), self.power / 2)
        return (win + draw / 2) / (1 + draw)

    def _rating_of(self, player: str) -> Rating | None:
        return next((rating for rating in self.players if rating.player == player), None)


def rate(matches: Iterable[Sequence[SeatRow]]) -> Ratings:
    """Rate the players of the matches; the seats of a match are in the order of their moves."""
    return rate_outcomes(Counter(map(outcome_of, matches)))


def rate_outcomes(outcomes: Mapping[Outcome, int]) -> Ratings:
    """Rate the players from the number of matches of each outcome.

    Seats with a fault are placed behind all others and are not compared with each other: a match
    with faults of all seats is ignored.
    """
    counts, played, ignored = _count(outcomes)
    players = sorted(played)
    if not players:
        return Ratings((), 0.0, 0.0, ignored)
    sizes = sorted({len(chosen) for _, chosen in counts} - {1})
    first = len(players)
    index = {player: place for place, player in enumerate(players)}
    prior = [(0.0, PRIOR_ELO / ELO)] * (first + 1 + len(sizes))
    peak = maximum(_choices(counts, index, sizes), [*prior, POWER] if sizes else prior)
    rated: list[Rating] = []
    for number, group in enumerate(_groups(counts, players)):
        rated += _rated(group, number, index, played, peak)
    error = TWO_SIDED_95 * ELO * math.sqrt(peak.covariance[first][first])
    draw = math.exp(peak.point[first + 1]) if 2 in sizes else 0.0  # ties are sorted by size
    power = peak.point[-1] if sizes else 0.0
    return Ratings(tuple(rated), ELO * peak.point[first], error, ignored, draw, power)


def _count(outcomes: Mapping[Outcome, int]) -> tuple[_Counts, Counter[str], int]:
    """Return the counts of the choices, the matches of each player, and the ignored matches."""
    counts: _Counts = Counter()
    played: Counter[str] = Counter()
    ignored = 0
    for outcome, times in outcomes.items():
        choices = list(_placings(outcome))
        for choice in choices:
            counts[choice] += times
        for player, _, _ in outcome if choices else ():
            played[player] += times
        ignored += 0 if choices else times
    return counts, played, ignored


def _placings(outcome: Outcome) -> Iterator[tuple[_Left, tuple[str, ...]]]:
    """Yield the remaining players and those with the next place, from the first place down."""
    if len({player for player, _, _ in outcome}) < len(outcome):
        return
    first = outcome[0][0]
    left = sorted(outcome)
    while len(left) > 1 and (honest := [seat for seat in left if not seat[2]]):
        best = min(place for _, place, _ in honest)
        chosen = [player for player, place, _ in honest if place == best]
        is_whole = len(left) == len(outcome)
        if not is_whole and 1 < len(chosen) == len(honest):
            return
        names = tuple(player for player, _, _ in left)
        yield _Left(names, first if first in names else "", is_whole), tuple(chosen)
        left = [seat for seat in left if seat[0] not in chosen]


def _choices(counts: _Counts, index: Mapping[str, int], sizes: Sequence[int]) -> list[Choice]:
    """Return every set of remaining players, with its alternatives and their counts."""
    chosen_of: dict[_Left, Counter[tuple[str, ...]]] = {}
    for (left, chosen), times in sorted(counts.items()):
        chosen_of.setdefault(left, Counter())[chosen] = times
    first = len(index)

    def weights(left: _Left, chosen: tuple[str, ...]) -> Weights:
        own = [(index[name], 1 / len(chosen)) for name in chosen]
        return (*own, (first, 1 / len(chosen))) if left.mover in chosen else tuple(own)

    choices = []
    for left, taken in chosen_of.items():
        most = len(left.names) if left.is_whole else len(left.names) - 1
        singles = tuple((taken[name,], weights(left, (name,))) for name in left.names)
        ties = tuple(
            Tie(taken[subset], first + 1 + place, weights(left, subset))
            for place, size in enumerate(sizes)
            if size <= most
            for subset in combinations(left.names, size)
        )
        choices.append(Choice(singles, ties))
    return choices


def _groups(counts: _Counts, players: Sequence[str]) -> list[list[str]]:
    """Return the players in groups connected by matches, the largest group first."""
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
    """Return the ratings of a group, best first, relative to the group's mean."""
    places = [index[player] for player in group]
    names = dict(zip(places, group, strict=True))
    size = len(places)
    covariance = peak.covariance
    middle = sum(peak.point[at] for at in places) / size
    shared = {at: sum(covariance[at][other] for other in places) / size for at in places}
    spread = sum(shared.values()) / size
    # equals are ordered by name, not by errors of rounding
    order = sorted(places, key=lambda at: (-round(peak.point[at], 9), names[at]))
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
    """Return the probability of one parameter being above the other."""
    table = peak.covariance
    variance = table[one][one] + table[other][other] - 2 * table[one][other]
    difference = peak.point[one] - peak.point[other]
    return 0.5 * (1 + math.erf(difference / math.sqrt(2 * variance)))
