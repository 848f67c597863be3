"""What the pairs of a gate have come to: counted in the order of the schedule, never of arrival.

A pair is two matches from the same opening or on the same board: with the seats swapped, or, where
there is one seat, one of NEW and one of BASE. Only pairs before which every pair has ended are
counted, so that the decision is the same on one slot and on ten, and after an interruption.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum

from arena.config.model import GateSection
from arena.ratings.sprt import (
    LEAST_DIFFERENCES,
    LEAST_PAIRS,
    PAIR_SCORES,
    Bounds,
    Decision,
    EloTest,
    ScoreTest,
    pair_bin,
)
from arena.results.standings import Seat
from arena.schedule.pairing import Pairing

Pair = tuple[Pairing, Pairing]
Results = Mapping[str, Sequence[Seat]]
"""The seats of every match that has ended, by its key. No seats: it stayed void."""

PRIOR = 0.2
"""What every bin counts more where a rating is estimated: one pair in all, so that it is finite."""
SURE = 1.96
"""So many standard errors are 95 %."""


class Outcome(StrEnum):
    """What a gate has come to."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    """All pairs were played and the test has not decided."""
    FAULTS = "faults"
    """NEW was at fault more often than is borne."""
    OPEN = "open"
    """Pairs are missing."""


@dataclass(frozen=True)
class Tally:
    """The pairs that count."""

    bins: tuple[int, ...] = (0, 0, 0, 0, 0)
    """Pairs by what NEW took of them, from nothing to everything. None with one seat."""
    wins: int = 0
    """Matches of NEW against BASE; none with one seat."""
    draws: int = 0
    losses: int = 0
    pairs: int = 0
    total: float = 0.0
    """What NEW scored more than BASE in a match, summed over the pairs."""
    squares: float = 0.0
    faults: int = 0
    """Faults of NEW."""
    base_faults: int = 0
    void_pairs: int = 0
    """Pairs that are left out, since a match of them stayed void."""

    def with_pair(self, new: str, matches: Sequence[Sequence[Seat]]) -> "Tally":
        """Return it with one more pair; a match without seats stayed void."""
        seats = [seat for match in matches for seat in match]
        tally = replace(
            self,
            faults=self.faults + sum(_is_faulty(seat) for seat in seats if seat.player == new),
            base_faults=self.base_faults
            + sum(_is_faulty(seat) for seat in seats if seat.player != new),
        )
        if not all(matches):
            return replace(tally, void_pairs=self.void_pairs + 1)
        mine = sum(Decimal(seat.score) for seat in seats if seat.player == new)
        other = sum(Decimal(seat.score) for seat in seats if seat.player != new)
        # with two seats each match gives one difference, with one seat only the pair does
        ahead = float(mine - other) / (len(seats) / 2)
        tally = replace(
            tally,
            pairs=self.pairs + 1,
            total=self.total + ahead,
            squares=self.squares + ahead * ahead,
        )
        return _with_points(tally, new, matches) if len(seats) > len(matches) else tally

    def elo(self) -> tuple[float, float]:
        """Return how many Elo NEW is over BASE, and the 95 % error."""
        counts = [count + PRIOR for count in self.bins]
        pairs = sum(counts)
        mean = _mean(counts)
        spread = sum(
            count * (score - mean) ** 2 for count, score in zip(counts, PAIR_SCORES, strict=True)
        )
        slope = 400 / math.log(10) / (mean * (1 - mean))
        return -400 * math.log10(1 / mean - 1), SURE * slope * math.sqrt(spread) / pairs

    def ahead(self) -> tuple[float, float | None]:
        """Return what NEW scores more in a match, and the 95 % error, if there are enough pairs."""
        mean = self.total / self.pairs
        if self.pairs < 2:
            return mean, None
        variance = max(self.squares - self.pairs * mean * mean, 0.0) / (self.pairs - 1)
        return mean, SURE * math.sqrt(variance / self.pairs)


class Question:
    """What a gate asks, and the sequential test that answers it."""

    def __init__(self, rule: GateSection) -> None:
        """Raise UsageError for a rule by which nothing can be decided."""
        self.bounds = Bounds(rule.alpha, rule.beta)
        self._rule = rule
        self._test: EloTest | ScoreTest
        if rule.is_by_scores:
            self._test = ScoreTest(rule.low, rule.high, self.bounds)
        else:
            self._test = EloTest(rule.low, rule.high, self.bounds)

    @property
    def least_pairs(self) -> int:
        """Before so many pairs nothing is decided."""
        return LEAST_PAIRS if isinstance(self._test, EloTest) else LEAST_DIFFERENCES

    def llr(self, tally: Tally) -> float:
        """Return the logarithm of the ratio of the likelihoods."""
        if isinstance(self._test, EloTest):
            return self._test.llr(tally.bins)
        return self._test.llr(tally.pairs, tally.total, tally.squares)

    def decide(self, tally: Tally) -> Outcome:
        """Return the decision after these pairs; OPEN if there is none."""
        if tally.faults > self._rule.max_faults:
            return Outcome.FAULTS
        decision = self.bounds.decide(self.llr(tally), tally.pairs, self.least_pairs)
        return Outcome.OPEN if decision is Decision.UNDECIDED else Outcome(decision.value)

    def of_equals(self) -> Outcome:
        """Return what is true of a NEW that is the same as BASE: the difference is 0."""
        if self._rule.high <= 0:
            return Outcome.PASSED
        return Outcome.FAILED if self._rule.low >= 0 else Outcome.UNDECIDED


@dataclass(frozen=True)
class Reckoning:
    """How far a gate is."""

    outcome: Outcome
    tally: Tally
    ended: int
    """How many pairs have ended of those that come first in the schedule."""


class Reckoner:
    """Counts the pairs that have ended, in order, until one is missing or the gate is decided."""

    def __init__(self, question: Question, new: str, pairs: Sequence[Pair]) -> None:
        """Begin with nothing counted."""
        self._question = question
        self._new = new
        self._pairs = pairs
        self._counted: list[Sequence[Sequence[Seat]]] = []
        self._tally = Tally()
        self._outcome = Outcome.OPEN

    def reckon(self, results: Results) -> Reckoning:
        """Return how far the gate is: it depends on the results alone.

        Results are only ever added, so that what was counted the last time is not counted again.
        """
        if self._counted and self._ended(len(self._counted) - 1, results) != self._counted[-1]:
            self._counted, self._tally, self._outcome = [], Tally(), Outcome.OPEN
        while self._outcome is Outcome.OPEN and len(self._counted) < len(self._pairs):
            if (ended := self._ended(len(self._counted), results)) is None:
                break
            self._counted.append(ended)
            self._tally = self._tally.with_pair(self._new, ended)
            self._outcome = self._question.decide(self._tally)
        is_through = len(self._counted) == len(self._pairs)
        outcome = self._outcome
        if outcome is Outcome.OPEN and is_through:
            outcome = Outcome.UNDECIDED
        return Reckoning(outcome, self._tally, len(self._counted))

    def _ended(self, number: int, results: Results) -> Sequence[Sequence[Seat]] | None:
        """Return the matches of a pair, or None if one has not ended."""
        first, second = (results.get(pairing.key) for pairing in self._pairs[number])
        return None if first is None or second is None else (first, second)


def _with_points(tally: Tally, new: str, matches: Sequence[Sequence[Seat]]) -> Tally:
    points = [points_of(new, match) for match in matches]
    bins = list(tally.bins)
    bins[pair_bin(sum(points))] += 1
    return replace(
        tally,
        bins=tuple(bins),
        wins=tally.wins + points.count(1.0),
        draws=tally.draws + points.count(0.5),
        losses=tally.losses + points.count(0.0),
    )


def _mean(counts: Sequence[float]) -> float:
    pairs = sum(counts)
    return sum(n * score for n, score in zip(counts, PAIR_SCORES, strict=True)) / pairs


def _is_faulty(seat: Seat) -> bool:
    return seat.fault is not None


def points_of(new: str, match: Sequence[Seat]) -> float:
    """Return what NEW took of a match: 1 for a win, a half for a draw."""
    (mine,) = (seat.place for seat in match if seat.player == new)
    (other,) = (seat.place for seat in match if seat.player != new)
    return 0.5 if mine == other else float(mine < other)
