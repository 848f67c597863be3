"""Begin or resume an event: choose its openings, lock it and make its plan."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from arena.bots.outside import OutsideFiles, played_paths
from arena.bots.restoring import PreparedFolders
from arena.config.event import Config
from arena.event.plan import Machines, Plan, make_plan
from arena.event.resume.balancing import chosen_openings, drawn_seed, with_balancer
from arena.event.resume.held_event import Check, Revising, held_event
from arena.event.resume.players import build_terms
from arena.event.resume.update import MakePlan, removed_bots, roster, with_removed
from arena.event.watch.progress import Announcer
from arena.formats.format import Format
from arena.results.store import EventRow, Store
from referee.job import Player

if TYPE_CHECKING:
    from arena.schedule.openings import Openings


@contextmanager
def held_plan(  # noqa: PLR0913 - everything that an event is made of
    store: Store,
    config: Config,
    players: Mapping[str, Player],
    announcer: Announcer,
    *,
    is_new: bool,
    format_: Format | None = None,
    may_update: bool | None = None,
    check: Check | None = None,
    machines: Machines | None = None,
) -> Iterator[tuple[EventRow, Plan]]:
    """Choose the openings of an event, then lock it like `held_event` until the context ends.

    `format_` defaults to the format of the config. A changed event is updated if `may_update`,
    after the `check` of its new bots; None forbids updates. `machines` play the matches; None is
    this machine.
    """
    config, bot = with_balancer(config)
    openings: Openings | None = None
    if bot is not None:
        begun = None if is_new else store.latest_event(config.name)
        if begun is not None and not may_update:
            with held_event(store, config, players, is_new=False):
                pass  # report a conflict with the begun event before any match is played
        if config.seed is None:
            seed = drawn_seed(store, config, bot) if begun is None else begun.seed
            config = config.model_copy(update={"seed": seed})
        # POSIX locks are dropped when any descriptor of the file is closed, so choose openings
        # before locking this event.
        openings = chosen_openings(
            store, config, bot, players, format_=format_, announcer=announcer, machines=machines
        )
    make = partial(make_plan, format_=format_, openings=openings, machines=machines)
    revising = None
    if may_update is not None:
        revising = Revising(make=make, is_wanted=may_update, tell=announcer.say, check=check)
    with held_event(store, config, players, is_new=is_new, revising=revising) as event:
        here = [bot for bot in config.bots if not (bot.broken or bot.remote)]
        ways = {bot.name: (bot.manifest, build_terms(config, bot.isolation)) for bot in here}
        plan = _plan_of(store, event, config, players, make)
        yield (
            event,
            replace(
                plan,
                outside=_outside_files(config, players),
                folders=PreparedFolders(ways if machines is None else None),
            ),
        )


def _outside_files(config: Config, players: Mapping[str, Player]) -> OutsideFiles:
    """Return the files outside of their folders with which bots play; workers check theirs."""
    played: list[Path] = []
    for entrant in config.bots:
        player = players.get(entrant.name)
        if entrant.broken or entrant.remote or player is None or not player.argv:
            continue  # nothing of it runs here
        played += played_paths(entrant.manifest, build_terms(config, entrant.isolation).shown)
    return OutsideFiles(played)


def _plan_of(
    store: Store, event: EventRow, config: Config, players: Mapping[str, Player], make: MakePlan
) -> Plan:
    """Return the plan of a held event, with the bots withdrawn after their removal."""
    absent = [name for name in removed_bots(store, event) if name not in players]
    if absent:
        config = with_removed(config, event, absent)
        players = roster(config, players, event)
    return make(config, players, event.seed)
