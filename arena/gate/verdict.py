"""The verdict of a gate: everything that is known about it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from arena.config.model import GateSection
from arena.exit_codes import ExitCode
from arena.formats.ended import results_of
from arena.gate.gate import stored_gate
from arena.gate.schedule import matches_of
from arena.gate.tally import Outcome, Pair, Results, Tally, points_of
from arena.results.store import EventRow, Store
from arena.schedule.pairing import Pairing

EXIT_CODES = {
    Outcome.PASSED: ExitCode.DONE,
    Outcome.FAILED: ExitCode.FAILED,
    Outcome.FAULTS: ExitCode.FAULTS,
    Outcome.UNDECIDED: ExitCode.UNDECIDED,
    Outcome.OPEN: ExitCode.INTERNAL,
}


@dataclass(frozen=True, slots=True)
class MatchRef:
    """A match that is worth looking at."""

    number: int
    key: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a gate has come to, and how."""

    outcome: Outcome
    is_identical: bool
    """Whether NEW and BASE are the same by content, so that nothing was played."""
    new: str
    base: str
    new_content: str
    """Hash of what it consists of."""
    base_content: str
    game: str
    options: Mapping[str, Any]
    rule: GateSection
    lower: float
    """The LLR at which NEW fails."""
    upper: float
    """The LLR at which NEW passes."""
    llr: float
    tally: Tally
    played: int
    """Matches that were played; those that ran when the gate was decided do not count."""
    first_loss: MatchRef | None
    """The first match that NEW lost, or in which it scored less, in the order of the schedule."""
    first_fault: MatchRef | None
    """The first match in which NEW was at fault."""
    name: str
    seed: int
    db: str
    event: int
    """Its number in the database."""

    @property
    def exit_code(self) -> int:
        """What the command ends with."""
        return EXIT_CODES[self.outcome]


def verdict_of(store: Store, event: EventRow) -> Verdict:
    """Return what has come of the gate that an event is."""
    gate = stored_gate(event)
    schedule = gate.schedule()
    results = results_of(store, event.id, schedule)
    reckoning = schedule.reckon(results)
    counted = gate.pairs[: reckoning.ended]
    bounds = gate.question.bounds
    find = Finder(store, event.id, gate.new, results)
    return Verdict(
        outcome=gate.question.of_equals() if gate.is_identical else reckoning.outcome,
        is_identical=gate.is_identical,
        new=gate.new,
        base=gate.base,
        new_content=gate.new_content,
        base_content=gate.base_content,
        game=gate.game,
        options=gate.options,
        rule=gate.rule,
        lower=bounds.lower,
        upper=bounds.upper,
        llr=gate.question.llr(reckoning.tally),
        tally=reckoning.tally,
        played=len(store.keys(event.id)),
        first_loss=find.loss(counted),
        first_fault=find.fault(counted),
        name=event.name,
        seed=event.seed,
        db=str(store.path),
        event=event.id,
    )


@dataclass(frozen=True)
class Finder:
    """Finds the matches worth looking at, in the order of the schedule."""

    store: Store
    event: int
    new: str
    results: Results

    def loss(self, pairs: Sequence[Pair]) -> MatchRef | None:
        """Return the first match that NEW lost, or alone on a board, scored less in than BASE."""
        for pair in pairs:
            first, second = (self.results[pairing.key] for pairing in pair)
            if len(pair[0].players) == 1:
                if first and second and Decimal(first[0].score) < Decimal(second[0].score):
                    return self._ref(pair[0])
                continue
            for pairing, match in zip(pair, (first, second), strict=True):
                if match and points_of(self.new, match) == 0:
                    return self._ref(pairing)
        return None

    def fault(self, pairs: Sequence[Pair]) -> MatchRef | None:
        """Return the first match in which NEW was at fault."""
        for pairing in matches_of(pairs):
            if any(seat.fault for seat in self.results[pairing.key] if seat.player == self.new):
                return self._ref(pairing)
        return None

    def _ref(self, pairing: Pairing) -> MatchRef | None:
        number = self.store.match_number(self.event, pairing.key)
        match = self.store.match(number) if number is not None else None
        return MatchRef(match.id, match.key, match.reason) if match else None
