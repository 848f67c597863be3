"""Results of the pairs of a gate, counted in the order of the schedule, never of arrival.

A pair is two matches from the same opening or on the same board: with the seats swapped or, in a
game with one seat, one match of NEW and one of BASE. A pair counts only after all earlier pairs
have ended, so that the decision is the same on one slot, on ten, and after an interruption.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from arena.config.gate import GateSection
from arena.formats.format import Results
from arena.ratings.pairs import points_of
from arena.ratings.pentanomial import pair_bin
from arena.ratings.sprt import (
    LEAST_DIFFERENCES,
    LEAST_PAIRS,
    Bounds,
    EloTest,
    GateOutcome,
    ScoreBounds,
    ScoreTest,
)
from arena.ratings.stopped import StoppedElo, stopped_elo
from arena.ratings.student import half_width
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow

Pair = tuple[Pairing, Pairing]


@dataclass(frozen=True)
class PairTally:
    """Sums over the counted pairs."""

    bins: tuple[int, ...] = (0, 0, 0, 0, 0)
    """Number of pairs by points of NEW: 0, ½, 1, 1½ and 2. All zero with one seat. Against a field
    NEW gets 2 points for a better place than BASE in the same seat, and 1 for the same place."""
    wins: int = 0
    """Matches won by NEW, against a field pairs; wins, draws and losses are zero with one seat."""
    draws: int = 0
    losses: int = 0
    pairs: int = 0
    total: float = 0.0
    """Sum over the pairs of the score of NEW minus the score of BASE per match."""
    squares: float = 0.0
    passing: float = 0.0
    """Evidence for passing in a test by scores, the logarithm of a stake; 0 otherwise."""
    failing: float = 0.0
    beyond: int = 0
    """Pairs with a difference of scores that cost a stake of the test more than it could lose."""
    faults: int = 0
    """Faults of NEW."""
    base_faults: int = 0
    void_pairs: int = 0
    """Pairs left out because one of their matches stayed void."""

    def with_pair(
        self,
        rivals: tuple[str, str],
        matches: Sequence[Sequence[SeatRow]],
        test: ScoreTest | None,
    ) -> "PairTally":
        """Return the tally with one more pair of NEW and BASE; an empty match stayed void."""
        mine, other = (seats_of(name, matches) for name in rivals)
        tally = replace(
            self,
            faults=self.faults + sum(map(_is_faulty, mine)),
            base_faults=self.base_faults + sum(map(_is_faulty, other)),
        )
        if not all(matches):
            return replace(tally, void_pairs=self.void_pairs + 1)
        taken, given = (sum(Decimal(seat.score) for seat in seats) for seats in (mine, other))
        ahead = float(taken - given) / len(
            mine
        )  # with two seats NEW plays in both matches of the pair
        if test is not None:
            tally = _with_evidence(tally, test, ahead)
        tally = replace(
            tally,
            pairs=self.pairs + 1,
            total=self.total + ahead,
            squares=self.squares + ahead * ahead,
        )
        if len(matches[0]) == 1:
            return tally
        if len(mine) == 1:
            return _with_points(tally, [place_points(*mine, *other)])
        return _with_points(tally, [points_of(rivals[0], match) for match in matches])

    def ahead(self) -> tuple[float, float | None]:
        """Return NEW's mean score per match minus BASE's, and its 95 % error; None for one pair."""
        mean = self.total / self.pairs
        if self.pairs < 2:
            return mean, None
        variance = max(self.squares - self.pairs * mean * mean, 0.0) / (self.pairs - 1)
        return mean, half_width(self.pairs - 1) * math.sqrt(variance / self.pairs)


class GateTest:
    """The two hypotheses of a gate, and the sequential test between them."""

    def __init__(self, rule: GateSection) -> None:
        """Raise UsageError if the rule permits no decision."""
        self._rule = rule
        self._test: EloTest | ScoreTest
        if rule.is_by_scores:
            self._test = ScoreTest(rule.low, rule.high, ScoreBounds(rule.alpha, rule.beta))
        else:
            self._test = EloTest(rule.low, rule.high, Bounds(rule.alpha, rule.beta), rule.model)
        self.bounds: Bounds = self._test.bounds

    @property
    def by_scores(self) -> ScoreTest | None:
        """The test by scores, or None for a test by wins."""
        return self._test if isinstance(self._test, ScoreTest) else None

    @property
    def least_pairs(self) -> int:
        """Minimum number of pairs for a decision."""
        return LEAST_PAIRS if isinstance(self._test, EloTest) else LEAST_DIFFERENCES

    def llr(self, tally: PairTally) -> float:
        """Return the log-likelihood ratio, or the evidence of a test by scores."""
        if isinstance(self._test, EloTest):
            return self._test.llr(tally.bins)
        return self._test.llr(tally.passing, tally.failing)

    def decide(self, tally: PairTally) -> GateOutcome:
        """Return the decision after the counted pairs; OPEN without one."""
        if tally.faults > self._rule.max_faults:
            return GateOutcome.FAULTS
        if isinstance(self._test, EloTest):
            return self._test.decide(tally.bins)
        return self._test.decide(tally.pairs, tally.passing, tally.failing)

    def strength(self, tally: PairTally, outcome: GateOutcome) -> StoppedElo | None:
        """Return the unbiased Elo of NEW over BASE at the end of its test; None without wins."""
        if not any(tally.bins):
            return None
        test = self._test if isinstance(self._test, EloTest) else None
        return stopped_elo(test, tally.bins, outcome)

    def of_equals(self) -> GateOutcome:
        """Return the outcome for a NEW identical to BASE: a true difference of 0."""
        if self._rule.high <= 0:
            return GateOutcome.PASSED
        return GateOutcome.FAILED if self._rule.low >= 0 else GateOutcome.UNDECIDED


@dataclass(frozen=True)
class GateProgress:
    """Progress of a gate."""

    outcome: GateOutcome
    tally: PairTally
    ended: int
    """Number of ended and counted pairs, from the start of the schedule."""


class PairCounter:
    """Counts ended pairs in schedule order, up to the first missing pair or the decision."""

    def __init__(self, question: GateTest, new: str, pairs: Sequence[Pair]) -> None:
        self._question = question
        self._rivals = rivals_of(new, pairs[0]) if pairs else (new, "")
        self._pairs = pairs
        self._counted: list[Sequence[Sequence[SeatRow]]] = []
        self._tally = PairTally()
        self._outcome = GateOutcome.OPEN

    def progress(self, results: Results) -> GateProgress:
        """Return the progress of the gate; what an earlier call has counted is kept."""
        if self._counted and self._ended(len(self._counted) - 1, results) != self._counted[-1]:
            self._counted, self._tally, self._outcome = [], PairTally(), GateOutcome.OPEN
        while self._outcome is GateOutcome.OPEN and len(self._counted) < len(self._pairs):
            if (ended := self._ended(len(self._counted), results)) is None:
                break
            self._counted.append(ended)
            self._tally = self._tally.with_pair(self._rivals, ended, self._question.by_scores)
            self._outcome = self._question.decide(self._tally)
        is_through = len(self._counted) == len(self._pairs)
        outcome = self._outcome
        if outcome is GateOutcome.OPEN and is_through:
            outcome = GateOutcome.UNDECIDED
        return GateProgress(outcome, self._tally, len(self._counted))

    def _ended(self, number: int, results: Results) -> Sequence[Sequence[SeatRow]] | None:
        """Return the seats of both matches of a pair, or None before both have ended."""
        first, second = (results.get(pairing.key) for pairing in self._pairs[number])
        return None if first is None or second is None else (first, second)


def _with_evidence(tally: PairTally, test: ScoreTest, ahead: float) -> PairTally:
    growth = test.growth(tally.pairs, tally.total, tally.squares, ahead)
    return replace(
        tally,
        passing=tally.passing + growth.passing,
        failing=tally.failing + growth.failing,
        beyond=tally.beyond + growth.is_beyond,
    )


def rivals_of(new: str, pair: Pair) -> tuple[str, str]:
    """Return the names of NEW and BASE in a pair; all other bots are the field of both."""
    first, second = (pairing.players for pairing in pair)
    (base,) = (name for name in second if name != new and (new in second or name not in first))
    return new, base


def seats_of(player: str, matches: Sequence[Sequence[SeatRow]]) -> list[SeatRow]:
    """Return the seats of a player in some matches."""
    return [seat for match in matches for seat in match if seat.player == player]


def place_points(mine: SeatRow, other: SeatRow) -> float:
    """Return the points of NEW for its place against that of BASE in the same seat."""
    return 0.5 if mine.place == other.place else float(mine.place < other.place)


def _with_points(tally: PairTally, points: Sequence[float]) -> PairTally:
    """Return the tally with the points of NEW in each match of a pair, or in the pair as one."""
    bins = list(tally.bins)
    bins[pair_bin(2 * sum(points) / len(points))] += 1
    return replace(
        tally,
        bins=tuple(bins),
        wins=tally.wins + points.count(1.0),
        draws=tally.draws + points.count(0.5),
        losses=tally.losses + points.count(0.0),
    )


def _is_faulty(seat: SeatRow) -> bool:
    return seat.fault is not None
