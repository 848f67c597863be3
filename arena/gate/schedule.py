"""The matches of a gate: pair after pair until the decision, or a fixed part of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from arena.errors import UsageError
from arena.formats.format import Results
from arena.gate.tally import GateProgress, GateTest, Pair, PairCounter
from arena.ratings.sprt import GateOutcome
from arena.schedule.pairing import Pairing
from protocol.wording import quoted

MAX_SHARDS = 1000


@dataclass(frozen=True)
class Shard:
    """Part of a gate, for one of several machines."""

    number: int
    """Number of the part, from 1."""
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the shard of `i/n`, or raise UsageError."""
        found = re.fullmatch(r"([0-9]{1,4})/([0-9]{1,4})", text)
        shard = cls(int(found[1]), int(found[2])) if found else None
        if shard is None or not 1 <= shard.number <= shard.of <= MAX_SHARDS:
            raise UsageError(
                f"--shard is i/n, from 1/n to n/n, n {MAX_SHARDS} at most; not {quoted(text)}"
            )
        return shard

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def event_name(self, gate: str) -> str:
        """Return the event name of this part of a gate."""
        return f"{gate}.{self.number}-of-{self.of}"

    def part(self, pairs: Sequence[Pair]) -> Sequence[Pair]:
        """Return the pairs of the shard; every pair is in exactly one shard."""
        return pairs[self.number - 1 :: self.of]


def gate_pairs(
    new: str,
    base: str,
    *,
    pairs: int,
    variants: Sequence[str],
    field: Sequence[str] = (),
    is_alone: bool = False,
) -> tuple[Pair, ...]:
    """Return the pairs of a gate in order of play, each on a separate board.

    With two seats NEW and BASE swap them. With a field, both take the same seat against it: each
    seat in turn, with the field in each rotation, so that no seat or neighbour favours NEW.
    """

    def tables(board: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        if is_alone:
            return (new,), (base,)
        if not field:
            return (new, base), (base, new)
        seats = len(field) + 1
        seat, turn = board % seats, board // seats % len(field)
        others = (*field[turn:], *field[:turn])
        before, after = others[:seat], others[seat:]
        return (*before, new, *after), (*before, base, *after)

    return tuple(
        (
            Pairing(one, board, variants[board % len(variants)], 0),
            Pairing(other, board, variants[board % len(variants)], 0),
        )
        for board in range(pairs)
        for one, other in (tables(board),)
    )


class GateSchedule:
    """Format with all pairs known from the start; it drops the pairs after the decision."""

    is_fixed: ClassVar[bool] = False
    imbalance: ClassVar[tuple[str, ...]] = ()

    def __init__(self, question: GateTest, new: str, pairs: Sequence[Pair]) -> None:
        """Start a gate of the bot named `new`."""
        self._pairs = pairs
        self._all = matches_of(pairs)
        self._counter = PairCounter(question, new, pairs)

    def progress(self, results: Results) -> GateProgress:
        """Return the progress of the gate."""
        return self._counter.progress(results)

    def known(self, results: Results) -> tuple[Pairing, ...]:
        """Return the matches of all pairs; after a decision, of the counted pairs only."""
        progress = self.progress(results)
        if progress.ended == len(self._pairs) or progress.outcome is GateOutcome.OPEN:
            return self._all
        return self._all[: 2 * progress.ended]

    def total(self, results: Results) -> int:
        """Return the number of matches; an upper bound until the decision."""
        return len(self.known(results))

    def ranking(self, results: Results) -> None:
        """Return None: the sum of scores ranks the two bots."""

    def text(self, results: Results) -> str:
        """Return an empty text: the verdict is printed separately."""
        return ""


def matches_of(pairs: Sequence[Pair]) -> tuple[Pairing, ...]:
    """Return the matches of the pairs, pair by pair."""
    return tuple(pairing for pair in pairs for pairing in pair)
