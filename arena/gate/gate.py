"""A gate as its event keeps it: two bots, a question, and the pairs that may answer it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.config.gate import GateRule
from arena.formats.format import Format
from arena.gate.schedule import GateSchedule, Shard, gate_pairs, matches_of
from arena.gate.tally import Pair, Question
from arena.schedule.pairing import Schedule
from referee.options import make_game


@dataclass(frozen=True, kw_only=True)
class Gate:
    """What is asked of which bots, and by which matches."""

    new: str
    base: str
    new_content: str
    """Hash of what it consists of."""
    base_content: str
    game: str
    options: Mapping[str, Any]
    rule: GateRule
    question: Question
    pairs: tuple[Pair, ...]
    """All pairs up to the cap, those of other shards among them."""

    @property
    def is_identical(self) -> bool:
        """Whether NEW and BASE are the same bot."""
        return self.new_content == self.base_content

    @property
    def shard(self) -> Shard | None:
        """Which part of it is played here; None is all."""
        return None if self.rule.shard is None else Shard.parse(self.rule.shard)

    def schedule(self) -> GateSchedule:
        """Return the format by which it is decided."""
        return GateSchedule(self.question, self.new, self.pairs)

    def format(self) -> Format:
        """Return the format by which it is played: a shard plays all its pairs."""
        if self.shard is None:
            return self.schedule()
        return Schedule(matches_of(self.shard.part(self.pairs)))


def gate_of(config: Mapping[str, Any], entrants: Mapping[str, str]) -> Gate:
    """Return the gate of a canonical config; `entrants` are the contents of its bots by name."""
    rule = GateRule(**config["gate"])
    options = dict(config["game"])
    name = options.pop("name")
    game = make_game(name, options)
    (new, new_content), (base, base_content) = entrants.items()
    return Gate(
        new=new,
        base=base,
        new_content=new_content,
        base_content=base_content,
        game=name,
        options=options,
        rule=rule,
        question=Question(rule),
        pairs=gate_pairs(
            new,
            base,
            pairs=rule.cap // 2,
            variants=[label for label, _ in game.variants()],
            seats=min(2, max(game.seats)),
        ),
    )
