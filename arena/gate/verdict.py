"""The verdict of a gate, with all its facts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from arena.exit_codes import ExitCode
from arena.formats.event_results import results_of
from arena.formats.format import Results
from arena.gate.gate import Gate, stored_gate
from arena.gate.schedule import matches_of
from arena.gate.tally import Pair, PairTally, place_points, rivals_of, seats_of
from arena.ratings.pairs import points_of
from arena.ratings.sprt import Bounds, GateOutcome
from arena.ratings.stopped import StoppedElo
from arena.results.queries import inexact_players
from arena.results.store import EventRow, Store
from arena.schedule.pairing import Pairing

EXIT_CODES = {
    GateOutcome.PASSED: ExitCode.DONE,
    GateOutcome.FAILED: ExitCode.FAILED,
    GateOutcome.FAULTS: ExitCode.FAULTS,
    GateOutcome.UNDECIDED: ExitCode.UNDECIDED,
    GateOutcome.OPEN: ExitCode.INTERNAL,
}


@dataclass(frozen=True, slots=True)
class MatchRef:
    """Reference to a match worth inspecting."""

    number: int
    key: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class GateVerdict:
    """Outcome of a gate, with the facts behind it."""

    outcome: GateOutcome
    gate: Gate
    bounds: Bounds
    """Log-likelihood ratios at which NEW fails and passes."""
    llr: float
    tally: PairTally
    strength: StoppedElo | None
    """Lead of NEW in Elo, corrected for the end of the test; None without wins and losses."""
    played: int
    """Number of matches played, including uncounted ones ended after the decision."""
    first_loss: MatchRef | None
    """First match lost by NEW, in schedule order; with one seat, a lower score is a loss."""
    first_fault: MatchRef | None
    """First match in schedule order with a fault of NEW."""
    inexact: Sequence[str]
    """Players whose CPU times are approximate."""
    event: EventRow
    db: str

    @property
    def exit_code(self) -> int:
        """Exit code of the command."""
        return EXIT_CODES[self.outcome]


def verdict_of(store: Store, event: EventRow) -> GateVerdict:
    """Return the verdict of an event with a gate."""
    gate = stored_gate(event)
    schedule = gate.schedule()
    results = results_of(store, event.id, schedule)
    progress = schedule.progress(results)
    counted = gate.pairs[: progress.ended]
    find = Finder(store, event.id, gate.new, results)
    return GateVerdict(
        outcome=gate.question.of_equals() if gate.is_identical else progress.outcome,
        gate=gate,
        bounds=gate.question.bounds,
        llr=gate.question.llr(progress.tally),
        tally=progress.tally,
        strength=gate.question.strength(progress.tally, progress.outcome),
        played=store.count(event.id),
        first_loss=find.loss(counted),
        first_fault=find.fault(counted),
        inexact=inexact_players(store, event.id),
        event=event,
        db=str(store.path),
    )


@dataclass(frozen=True)
class Finder:
    """Finds matches worth inspecting, in the order of the schedule."""

    store: Store
    event: int
    new: str
    results: Results

    def loss(self, pairs: Sequence[Pair]) -> MatchRef | None:
        """Return the first match lost by NEW; alone or against a field, one worse than BASE's."""
        for pair in pairs:
            for pairing in self._lost(pair):
                return self._ref(pairing)
        return None

    def _lost(self, pair: Pair) -> Iterator[Pairing]:
        """Yield the matches of a pair that NEW lost; of two without a meeting, the one of NEW."""
        first, second = matches = tuple(self.results[pairing.key] for pairing in pair)
        if self.new in pair[1].players:  # NEW meets BASE in both
            for pairing, match in zip(pair, matches, strict=True):
                if match and points_of(self.new, match) == 0:
                    yield pairing
        elif first and second:
            mine, other = (seats_of(name, matches)[0] for name in rivals_of(self.new, pair))
            is_alone = len(first) == 1
            worse = Decimal(mine.score) < Decimal(other.score)
            if worse if is_alone else place_points(mine, other) == 0:
                yield pair[0]

    def fault(self, pairs: Sequence[Pair]) -> MatchRef | None:
        """Return the first match with a fault of NEW."""
        for pairing in matches_of(pairs):
            if any(seat.fault for seat in self.results[pairing.key] if seat.player == self.new):
                return self._ref(pairing)
        return None

    def _ref(self, pairing: Pairing) -> MatchRef | None:
        number = self.store.match_number(self.event, pairing.key)
        match = self.store.match(number) if number is not None else None
        return MatchRef(match.id, match.key, match.reason) if match else None
