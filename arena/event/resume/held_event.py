"""Begin or resume an event under its lock: store a new one, compare a begun one with its config."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from arena.config.event import Config, Event
from arena.config.same_event import can_grow, conflicts, kit_change
from arena.errors import ArenaError, ChangedEventError, EventError, StoreError
from arena.event.plan import Plan
from arena.event.play.locks import beginning, lock_event, lock_file
from arena.event.resume.update import (
    MakePlan,
    Update,
    removed_bots,
    returning_bots,
    roster,
    update_of,
    with_removed,
)
from arena.results.secrecy import is_closed
from arena.results.store import EventRow, Store
from referee.job import Player
from referee.seeds import SEED_BITS

Check = Callable[[Plan, Sequence[str], Callable[[str], None]], None]


@dataclass(frozen=True, kw_only=True)
class Revising:
    """The way to deal with a begun event that has changed."""

    make: MakePlan
    """Return the plan of the changed event."""
    is_wanted: bool
    """Whether to change the event; otherwise the changes are an error."""
    tell: Callable[[str], None]
    """Receives each change as a line."""
    check: Check | None
    """Test new versions of bots before anything is changed; raises PreflightError."""

    def test(self, plan: Plan, names: Sequence[str]) -> None:
        """Test these bots, except those never started."""
        available = [name for name in names if plan.players[name].argv]
        if self.check is not None and available:
            self.check(plan, available, self.tell)


@contextmanager
def held_event(
    store: Store,
    config: Config,
    players: Mapping[str, Player],
    *,
    is_new: bool,
    revising: Revising | None = None,
) -> Iterator[EventRow]:
    """Lock the begun event of this config, or a new one, until the context ends.

    Raises EventError if another director holds the event, or if it was begun with a different
    config; ChangedEventError if it can be updated.
    """
    with lock_file(store) as descriptor:
        with beginning(descriptor):
            begun = None if is_new else store.latest_event(config.name)
            if (
                begun is not None
                and is_closed(begun)
                and config.gate is None
                and config.tune is None
            ):
                raise EventError(
                    f"event {begun.id} ({begun.name}) in {store.path} is closed: its seed is"
                    " published, so no match is added; --new begins another, with another seed"
                )
            number = begun.id if begun else _begin(store, config, players)
            lock_event(store, descriptor, number)
            if begun is not None and not store.is_touched(number):
                _begin_again(store, begun, config, players)
            elif begun is not None:
                _resume(store, begun, config, players, revising)
        event = store.event(number)
        if event is None:
            raise EventError(f"{store.path}: event {number} is gone")
        try:
            yield event
        except ArenaError:
            if begun is None:  # such as one whose preflight failed
                with suppress(StoreError):
                    store.remove_untouched(number)
            raise
        with suppress(StoreError):  # only shown while the lock is held
            store.set_director(number, None)
        store.database.check_place()


def unfinished(store: Store, config: Config, players: Mapping[str, Player]) -> EventRow | None:
    """Return the event that the same `arena match` has begun and not finished, if it is the newest.

    A finished one is closed.
    """
    begun = store.latest_event(config.name)
    if begun is None or not begun.config.get("is_quick") or is_closed(begun):
        return None
    if not store.is_touched(begun.id) or _changes(begun, config, _contents(players)):
        return None
    return begun


def _begin(store: Store, config: Config, players: Mapping[str, Player]) -> int:
    seed = secrets.randbits(SEED_BITS) if config.seed is None else config.seed
    form = {**config.form(), "seed": seed}
    return store.add_event(config.name, seed, form, _contents(players))


def _begin_again(
    store: Store, begun: EventRow, config: Config, players: Mapping[str, Player]
) -> None:
    """Replace an event without finished matches or void attempts by another of its name."""
    seed = begun.seed if config.seed is None else config.seed
    form = {**config.form(), "seed": seed}
    store.replace_event(begun.id, seed, form, _contents(players))


def _resume(
    store: Store,
    begun: EventRow,
    config: Config,
    players: Mapping[str, Player],
    revising: Revising | None,
) -> None:
    """Resume a begun event, and store the changes of its config."""
    here = {entrant.name for entrant in config.bots}
    absent = [name for name in removed_bots(store, begun) if name not in here]
    config = with_removed(config, begun, absent)
    contents = _contents(roster(config, players, begun))
    changes = _changes(begun, config, contents)
    withdrawals = store.withdrawals(begun.id)
    changes += [f"bots: {name} is back" for name in returning_bots(withdrawals, players)]
    left_out = [name for name in contents if name not in players and name not in absent]
    if left_out and not can_grow(config):
        changes += [f"bots.{name}: is left out" for name in left_out]
        revising = None  # all other pairings depend on it
    if revising is None and changes:
        raise EventError(
            f"{_listed(store, begun, config, changes)}\n"
            "restore this to resume it, or start over with --new (finished matches are kept)"
        )
    fresh = [name for name, player in players.items() if begun.entrants.get(name) != player.content]
    if revising is not None and (changes or _has_returned(store, begun, contents)):
        update = update_of(store, begun, config, players, revising.make)
        if changes and not revising.is_wanted:
            raise ChangedEventError(_listed(store, begun, config, update.lines()))
        revising.test(update.plan, fresh)
        _revise(store, update, revising)
        return
    if revising is not None and fresh:
        revising.test(revising.make(config, roster(config, players, begun), begun.seed), fresh)
    merged = {**begun.entrants, **contents}
    kept = {**config.form(), "seed": begun.seed}
    if merged != begun.entrants or begun.config != kept:
        store.replace_event(begun.id, begun.seed, kept, merged)


def _contents(players: Mapping[str, Player]) -> dict[str, str]:
    return {name: player.content for name, player in players.items()}


def _changes(begun: EventRow, config: Config, contents: Mapping[str, str]) -> list[str]:
    old = Event.read(begun.config)
    changes = conflicts(old, config)
    changes += [
        f"bots.{name}: its files or arguments have changed{kit_change(old, config, name)}"
        for name, content in contents.items()
        if begun.entrants.get(name, content) != content
    ]
    if not changes and not can_grow(old):
        changes += [f"bots.{name}: was left out" for name in contents if name not in begun.entrants]
    return changes


def _revise(store: Store, update: Update, revising: Revising) -> None:
    revision = update.revision()
    store.revise_event(update.begun.id, revision)
    for line in revision.lines:
        revising.tell(f"update: {line}")


def _has_returned(store: Store, begun: EventRow, names: Iterable[str]) -> bool:
    """Whether a bot is added whose earlier matches may count again."""
    is_larger = any(name not in begun.entrants for name in names)
    return is_larger and any(store.earlier_matches(begun.id))


def _listed(store: Store, begun: EventRow, config: Config, lines: Iterable[str]) -> str:
    head = f"event {begun.id} ({begun.name}) in {store.path} was begun differently:"
    text = "\n".join([head, *(f"  {line}" for line in lines)])
    old = Event.read(begun.config)
    if any(kit_change(old, config, name) for name in old.kits):
        text += "\nArena itself has changed: the version that began the event resumes it as before"
    return text
