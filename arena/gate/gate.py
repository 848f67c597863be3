"""A gate as stored in its event: two bots, a question, and the pairs to answer it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.config.event import Event
from arena.config.gate import GateSection
from arena.errors import EventError
from arena.formats.format import Format
from arena.gate.schedule import GateSchedule, Shard, gate_pairs, matches_of
from arena.gate.tally import GateTest, Pair
from arena.results.store import EventRow
from arena.schedule.pairing import Schedule
from referee.options import game_options


@dataclass(frozen=True, kw_only=True)
class Gate:
    """The bots of a gate, its question and its pairs."""

    new: str
    base: str
    new_content: str
    """Content hash of NEW."""
    base_content: str
    others: tuple[str, ...]
    """Bots that take the other seats of a match against both; none in games of one or two seats."""
    game: str
    options: Mapping[str, Any]
    rule: GateSection
    shard: Shard | None
    """Part of the pairs to play here; None for all pairs."""
    question: GateTest = field(compare=False)
    pairs: tuple[Pair, ...]
    """All pairs up to the cap, including the pairs of other shards."""

    @property
    def is_identical(self) -> bool:
        """Whether NEW and BASE have the same content."""
        return self.new_content == self.base_content

    def schedule(self) -> GateSchedule:
        """Return the format that decides the gate."""
        return GateSchedule(self.question, self.new, self.pairs)

    def format(self) -> Format:
        """Return the format to play; a shard plays all its pairs."""
        if self.shard is None:
            return self.schedule()
        return Schedule(matches_of(self.shard.part(self.pairs)))


def gate_of(event: Event, contents: Mapping[str, str]) -> Gate:
    """Return the gate of an event; `contents` are the content hashes of its bots by name."""
    if (rule := event.gate) is None:
        raise EventError(f"{event.name}: the format is {event.format}, not gate")
    game = event.game
    (new, new_content), (base, base_content), *field = contents.items()
    others = tuple(name for name, _ in field)
    return Gate(
        new=new,
        base=base,
        new_content=new_content,
        base_content=base_content,
        others=others,
        game=game.name,
        options=game_options(game),
        rule=rule,
        shard=None if event.shard is None else Shard.parse(event.shard),
        question=GateTest(rule),
        pairs=gate_pairs(
            new,
            base,
            pairs=rule.pairs,
            variants=[label for label, _ in game.variants()],
            field=others,
            is_alone=max(game.seats) == 1,
        ),
    )


def stored_gate(row: EventRow) -> Gate:
    """Return the gate of an event in the database."""
    return gate_of(Event.read(row.config), row.entrants)
