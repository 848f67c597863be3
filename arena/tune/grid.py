"""The points of a grid: each against the base, with its Elo and error."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.bots.settings import Settings
from arena.formats.format import Results
from arena.gate.tally import Pair
from arena.ratings.pairs import elo_of
from arena.ratings.pentanomial import PAIR_SCORES
from arena.tune.schedule import result_of


@dataclass(frozen=True, kw_only=True)
class Point:
    """A point of a grid and its results against the base."""

    player: str
    settings: Settings
    bins: tuple[int, ...]
    """Number of pairs by points of 2: 0, ½, 1, 1½ and 2."""
    empty: int
    """Ended pairs that are no evidence."""

    @property
    def pairs(self) -> int:
        """Number of pairs that count."""
        return sum(self.bins)

    @property
    def mean(self) -> float:
        """Matches won minus matches lost, per match."""
        if not self.pairs:
            return 0.0
        won = sum(n * score for n, score in zip(self.bins, PAIR_SCORES, strict=True))
        return 2 * won / self.pairs - 1

    @property
    def elo(self) -> tuple[float, float]:
        """Elo over the base, and its 95 % error."""
        return elo_of(self.bins)


def points_of(
    players: Sequence[str],
    base: str,
    settings: Sequence[Settings],
    pairs: Sequence[Sequence[Pair]],
    results: Results,
) -> list[Point]:
    """Return the points; a pair counts once both its matches have ended."""
    return [
        _point(player, base, chosen, own, results)
        for player, chosen, own in zip(players, settings, pairs, strict=True)
    ]


def _point(
    player: str, base: str, settings: Settings, pairs: Sequence[Pair], results: Results
) -> Point:
    bins, empty = [0] * len(PAIR_SCORES), 0
    for pair in pairs:
        seats = tuple(results[pairing.key] for pairing in pair if pairing.key in results)
        if len(seats) < len(pair):
            continue
        if (result := result_of((player, base), seats)) is None:
            empty += 1
        else:
            bins[round(result) + 2] += 1
    return Point(player=player, settings=settings, bins=tuple(bins), empty=empty)
