"""Matches given up to one opponent: bots may help another one so, or fail against it.

A loss is given up by a resignation or a fault. Players are marked if both are true in matches of
two:

* Of a player's losses to the opponent, more are given up than of its losses to all others, and of
  its matches as well, both by Fisher's exact test, corrected for the number of pairs: at random in
  one event of a thousand. A bot that crashes now and then loses to weak ones by crashes only.
* Together, the score of these players against the opponent is far below the one expected by the
  ratings from all other matches. So engines that resign only to a strong opponent are not marked.

Losing on purpose by bad moves is not found: the results do not differ from honest bad play.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.ratings.rating import ELO, Ratings, rate_outcomes
from arena.ratings.student import NORMAL
from arena.ratings.text import is_rated
from arena.results.one_line import one_line
from arena.results.standings import RatedMatch, RatedSeat
from arena.results.store import EventRow, Store
from arena.text import table

CHANCE = 0.001
"""Probability of a mark in an event in which every player gives up alike to all opponents."""
NOTABLE = 3.0
"""Standard errors of a score below its expectation, above which it is marked."""
_HAS_GIVEN_UP = """
    SELECT 1 FROM match
    WHERE event = ? AND aside = 0 AND termination NOT IN ('normal', 'adjudication') LIMIT 1
"""
"""Whether any match was given up; where none was, the results are not counted."""
_RESULTS = """
    SELECT a.player, b.player, sign(b.place - a.place) AS won,
        termination = 'resignation' OR a.fault IS NOT NULL OR b.fault IS NOT NULL AS given, count(*)
    FROM match JOIN seat a ON a.match = id AND a.seat = 0 JOIN seat b ON b.match = id AND b.seat = 1
    WHERE event = ? AND aside = 0 AND a.unplayed = 0 AND b.unplayed = 0
        AND (a.fault IS NULL OR b.fault IS NULL)
        AND NOT EXISTS (SELECT 1 FROM seat WHERE match = id AND seat = 2)
    GROUP BY 1, 2, 3, 4
"""


class MatchResult(NamedTuple):
    """The result of a match of two."""

    first: str
    second: str
    won: int
    """1 if the first seat won, -1 if the second did, 0 for a draw."""
    is_given_up: bool

    @property
    def outcome(self) -> RatedMatch:
        """The result for a rating."""
        return RatedMatch(
            (
                RatedSeat(self.first, 1 + (self.won < 0), fault=False),
                RatedSeat(self.second, 1 + (self.won > 0), fault=False),
            )
        )


class Tally(NamedTuple):
    """Matches of a player against some opponents."""

    given_up: int = 0
    losses: int = 0
    matches: int = 0

    def plus(self, other: "Tally", sign: int = 1) -> "Tally":
        """Return the sum, or with -1 the difference."""
        return Tally(*(mine + sign * its for mine, its in zip(self, other, strict=True)))


class Mark(NamedTuple):
    """A player that gives matches up to an opponent."""

    player: str
    opponent: str
    here: Tally
    elsewhere: Tally
    """Matches against all others."""
    deviation: float = 0.0
    """Score of all players marked with this opponent, less its expectation, in standard errors."""


def giving_up_text(store: Store, event: EventRow) -> str:
    """Return a table of the marks of an event; empty without any."""
    database = store.database
    if not is_rated(event) or not list(database.rows(_HAS_GIVEN_UP, (event.id,))):
        return ""
    found = marks(
        {MatchResult(*one_line(row)): count for *row, count in database.rows(_RESULTS, (event.id,))}
    )
    if not found:
        return ""
    header = ["bot", "opponent", "losses given up", "to all others", "score against expectation"]
    rows = [
        [
            mark.player,
            mark.opponent,
            f"{mark.here.given_up} of {mark.here.losses}",
            f"{mark.elsewhere.given_up} of {mark.elsewhere.losses}",
            f"{mark.deviation:+z.1f} standard errors",
        ]
        for mark in found
    ]
    return (
        f"{table(header, rows)}\nGiven up by resignations or faults: these bots fail against this"
        f" opponent, or help it.\nLook at their matches: arena show {event.id} --bot NAME"
    )


def marks(results: Mapping[MatchResult, int]) -> list[Mark]:
    """Return the players that give up to one opponent; `results` are numbers of matches."""
    suspects = _suspects(_tallies(results))
    doubtful = {frozenset(mark[:2]) for mark in suspects}
    trusted = Counter[RatedMatch]()
    for result, count in results.items():
        trusted[result.outcome] += count * (frozenset(result[:2]) not in doubtful)
    ratings = rate_outcomes(+trusted)
    groups: defaultdict[str, list[Mark]] = defaultdict(list)
    for mark in suspects:
        groups[mark.opponent].append(mark)
    return [
        mark._replace(deviation=deviation)
        for opponent, group in groups.items()
        if (deviation := _deviation(results, group, opponent, ratings)) < -NOTABLE
        for mark in group
    ]


def _tallies(results: Mapping[MatchResult, int]) -> dict[tuple[str, str], Tally]:
    """Return the matches of each player against each opponent."""
    found: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
    for result, count in results.items():
        pair = (result.first, result.second)
        for player, opponent, won in ((*pair, result.won), (*pair[::-1], -result.won)):
            lost = count * (won < 0)
            tally = Tally(lost * result.is_given_up, lost, count)
            found[player, opponent] = found[player, opponent].plus(tally)
    return found


def _suspects(tallies: Mapping[tuple[str, str], Tally]) -> list[Mark]:
    """Return the players that give up more losses and matches to one opponent than to others."""
    whole: defaultdict[str, Tally] = defaultdict(Tally)
    for (player, _), tally in tallies.items():
        whole[player] = whole[player].plus(tally)
    found = []
    for (player, opponent), here in sorted(tallies.items()):
        elsewhere = whole[player].plus(here, -1)
        ups = (here.given_up, elsewhere.given_up)
        of_losses = _chance(*ups, here.losses, elsewhere.losses)
        of_matches = _chance(*ups, here.matches, elsewhere.matches)
        if max(of_losses, of_matches) * len(tallies) < CHANCE:
            found.append(Mark(player, opponent, here, elsewhere))
    return found


def _chance(here: int, elsewhere: int, of_here: int, of_elsewhere: int) -> float:
    """Return the probability that at least `here` of all events fall among `of_here` trials."""
    events, trials = here + elsewhere, of_here + of_elsewhere
    return math.fsum(
        math.exp(
            _log_choices(events, count)
            + _log_choices(trials - events, of_here - count)
            - _log_choices(trials, of_here)
        )
        for count in range(here, min(of_here, events) + 1)
        if of_here - count <= trials - events
    )


def _log_choices(total: int, chosen: int) -> float:
    return math.lgamma(total + 1) - math.lgamma(chosen + 1) - math.lgamma(total - chosen + 1)


def _deviation(
    results: Mapping[MatchResult, int], group: Sequence[Mark], opponent: str, ratings: Ratings
) -> float:
    """Return the score of a group against an opponent less that expected, in standard errors.

    The errors of the ratings count; without other matches to compare these players, it is 0.
    """
    errors = {
        rating.player: (rating.elo.high - rating.elo.low) / 2 / NORMAL / ELO
        for rating in ratings.players
    }
    names = {mark.player for mark in group}
    surplus = variance = 0.0
    slopes: defaultdict[str, float] = defaultdict(float)
    for result, count in results.items():
        player, sign = (result.second, -1) if result.first == opponent else (result.first, 1)
        expected = ratings.strengths.expected_score(result.first, result.second)
        if opponent not in result[:2] or player not in names or expected is None:
            continue
        surplus += sign * count * ((1 + result.won) / 2 - expected)
        slope = count * expected * (1 - expected)
        variance += slope * ratings.strengths.spread
        slopes[player] += slope
        slopes[opponent] += slope
    variance += sum((slope * errors[player]) ** 2 for player, slope in slopes.items())
    return surplus / math.sqrt(variance) if variance else 0.0
