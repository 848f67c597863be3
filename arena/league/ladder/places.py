"""Places by rating, and the mean score against the present field.

Versions share a place where the 95 % interval of their difference contains 0, not where their own
intervals overlap: the error that two versions have in common says nothing about their order. By
rating, a place is one more than the number of versions surely stronger, and never less than that of
the version before.

The mean score counts each rival once, however often the two met, so that many matches against a
weak rival gain nothing. Beside the results it counts one pair of matches that ends as the ratings
expect.
"""

from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise

from arena.league.ladder.ratings import Fit
from arena.league.ladder.tally import Tally
from arena.ratings.pentanomial import expected_score
from arena.ratings.rating import Elo

EXPECTED = 2.0
"""Matches of each pairing that end as expected."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A version's row of the table."""

    place: int
    version: str
    elo: Elo
    matches: int
    mean_score: float | None
    """Mean score against the present field, each rival once; None without a rival."""


def table(fit: Fit, tally: Tally, present: Collection[str]) -> list[Placed]:
    """Return the rows of the versions that are present, best first."""
    ranked = sorted(present, key=lambda version: (-fit.elos[version].value, version))
    rows: list[Placed] = []
    for number, version in enumerate(ranked):
        surely = sum(fit.difference(other, version).low > 0 for other in ranked[:number])
        place = max(surely + 1, rows[-1].place if rows else 1)
        mean = mean_score(fit, tally, version, ranked)
        rows.append(Placed(place, version, fit.elos[version], fit.matches[version], mean))
    return rows


def mean_score(fit: Fit, tally: Tally, version: str, present: Collection[str]) -> float | None:
    """Return the mean score of a version against the others, each rival once."""
    scores = []
    for rival in sorted(set(present) - {version}):
        times, score = tally.between(version, rival)
        expected = expected_score(fit.elos[version].value - fit.elos[rival].value)
        scores.append((score + EXPECTED * expected) / (times + EXPECTED))
    return sum(scores) / len(scores) if scores else None


def undecided(fit: Fit, present: Collection[str]) -> list[tuple[str, str]]:
    """Return the neighbours by rating whose order is not sure, the better one first."""
    ranked = sorted(present, key=lambda version: (-fit.elos[version].value, version))
    return [pair for pair in pairwise(ranked) if fit.difference(*pair).low <= 0]
