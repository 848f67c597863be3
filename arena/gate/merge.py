"""Merging the shards of a gate: all pairs in one database, and the verdict on them."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from arena.config.event import Event
from arena.config.same_event import conflicts
from arena.errors import EventError, StoreError
from arena.gate.gate import gate_of
from arena.gate.schedule import Shard, matches_of
from arena.gate.verdict import GateVerdict, verdict_of
from arena.ratings.sprt import GateOutcome
from arena.results.damage import check
from arena.results.store import EventRow, MatchRow, Store
from arena.results.voids import add_void, void_body
from arena.text import plural
from referee.errors import UNCHECKED
from referee.records.result import Finished


@dataclass(frozen=True)
class Part:
    """A shard with its event and database."""

    store: Store
    event: EventRow
    shard: Shard

    def __str__(self) -> str:
        return f"shard {self.shard} (event {self.event.id} in {self.store.path})"

    @property
    def gate(self) -> str:
        """Name of the whole gate."""
        return self.event.name.removesuffix(self.shard.event_name(""))

    def whole(self) -> Event:
        """Return the event of the whole gate."""
        event = Event.read(self.event.config)
        return event.model_copy(update={"name": self.gate, "shard": None})


def merge(paths: Sequence[Path], out: Path) -> GateVerdict:
    """Merge the shards of the newest gate in `paths` into `out`, and return its verdict.

    Raises EventError if the shards belong to different gates, or if missing matches leave it open;
    then `out` stays as it was. Raises StoreError for a damaged database.
    """
    try:
        return _merge(paths, out)
    except UNCHECKED:
        for path in [*paths, *([out] if out.exists() else [])]:
            with closing(Store(path)) as store:
                check(store)
        raise


def _merge(paths: Sequence[Path], out: Path) -> GateVerdict:
    """Merge in one transaction: an error or a kill leaves `out` as it was."""
    with ExitStack() as stack:
        stores = [stack.enter_context(closing(Store(path))) for path in _once(paths)]
        parts = _parts(stores)
        target = stack.enter_context(closing(Store(out, is_new_allowed=True)))
        stack.enter_context(target.database.transaction())
        event = _event(target, parts[0])
        for part in parts:
            _copy(part, target, event.id)
        verdict = verdict_of(target, event)
        if verdict.outcome is GateOutcome.OPEN:
            raise EventError("\n".join(["the shards do not decide the gate:", *_missing(parts)]))
        return verdict


def _once(paths: Sequence[Path]) -> list[Path]:
    """Return every file once, under its first given name and in the order of these."""
    found: dict[str, Path] = {}
    for path in paths:
        found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _parts(stores: Sequence[Store]) -> list[Part]:
    """Return the shards in order, the newest of each in each database, or raise EventError."""
    gate = _newest_gate(stores)
    parts: list[Part] = []
    for store in stores:
        here = {part.shard: part for part in _shards_in(store) if part.gate == gate}
        if not here:
            raise EventError(f"{store.path}: it has no shard of {gate}")
        parts += here.values()
    parts.sort(key=lambda part: part.shard.number)
    for part, other in pairwise(parts):
        _check_same(parts[0], other)
        if part.shard == other.shard:
            raise EventError(f"{part} and {other} are the same part of the gate; name one of them")
    return parts


def _newest_gate(stores: Sequence[Store]) -> str:
    """Return the gate name of the newest shard in the first database with shards."""
    for store in stores:
        if parts := _shards_in(store):
            return parts[-1].gate
    names = ", ".join(str(store.path) for store in stores)
    raise EventError(f"no shard of a gate is in {names}; `arena gate --shard 1/2` plays one")


def _shards_in(store: Store) -> list[Part]:
    return [
        Part(store, event, Shard.parse(str(shard)))
        for event in store.events()
        if (shard := event.config.get("shard")) is not None
    ]


def _check_same(first: Part, part: Part) -> None:
    """Raise EventError unless both are parts of one gate between the same bots."""
    changes = conflicts(one := first.whole(), other := part.whole())
    changes += _content_changes(first.event.entrants, part.event.entrants)
    if first.shard.of != part.shard.of:
        changes.append(f"shards: {first.shard.of} -> {part.shard.of}")
    # `conflicts` allows a larger cap for resuming a gate; shards must have the same
    if one.gate and other.gate and one.gate.pairs < other.gate.pairs:
        changes.append(f"gate.cap: {one.gate.cap} -> {other.gate.cap}")
    if changes:
        lines = "\n".join(f"  {change}" for change in changes)
        raise EventError(f"{first} and {part} belong to different gates:\n{lines}")


def _content_changes(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    return [
        f"bots.{name}: its files or arguments differ"
        for name, content in old.items()
        if new.get(name, content) != content
    ]


def _event(target: Store, part: Part) -> EventRow:
    """Return the target event of the shards: an earlier merge of the gate, or a new event."""
    whole, entrants = part.whole(), part.event.entrants
    begun = target.latest_event(part.gate)
    is_same = begun is not None and begun.entrants == entrants
    if begun is not None and is_same and not conflicts(Event.read(begun.config), whole):
        return begun
    number = target.add_event(part.gate, part.event.seed, whole.form(), entrants)
    event = target.event(number)
    if event is None:
        raise EventError(f"{target.path}: event {number} is gone")
    return event


def _copy(part: Part, target: Store, event: int) -> None:
    """Copy the matches and voids of a shard; existing ones in the target stay."""
    for match in part.store.matches(part.event.id):
        if target.match_number(event, match.key) is None:
            target.add_match(
                event,
                board=match.board,
                variant=match.variant,
                attempt=1,
                match=_finished(part, match),
            )
    known = {(void.key, void.attempt) for void in target.voids(event)}
    for void in part.store.voids(part.event.id):
        if (void.key, void.attempt) not in known:
            add_void(target.database, event, void, void_body(part.store.database, void.number))


def _finished(part: Part, row: MatchRow) -> Finished:
    """Return a match by its record; raises StoreError unless that is a match of the gate's bots."""
    match = part.store.record(row.id).finished()
    names = [seat.player for seat in match.seats]
    is_of_bots = len({*names}) == len(names) and {*names} <= part.event.entrants.keys()
    if match.key != row.key or not is_of_bots or not all(map(str.isprintable, names)):
        raise StoreError(f"{part.store.path}: match {row.id} is damaged: it is none of this gate")
    return match


def _missing(parts: Sequence[Part]) -> list[str]:
    """Return lines about missing shards and missing matches of shards."""
    gate = gate_of(parts[0].whole(), parts[0].event.entrants)
    here = {part.shard.number: part for part in parts}
    lines = []
    for number in range(1, parts[0].shard.of + 1):
        part = here.get(number)
        if part is None:
            lines.append(f"  shard {number}/{parts[0].shard.of} is not among the databases")
            continue
        keys = {pairing.key for pairing in matches_of(part.shard.part(gate.pairs))}
        if lacking := len(keys - part.store.keys(part.event.id)):
            lines.append(
                f"  {part}: {plural(lacking, 'match')} of {len(keys)} missing; run the command of"
                " this shard again, without --new"
            )
    return lines
