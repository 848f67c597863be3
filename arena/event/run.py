"""What `arena tournament` and `arena match` do, from a config to the final table."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.config.event_config import Config, Entrant
from arena.errors import BotError
from arena.event.beginning import held_event, missing_text, prepare_players
from arena.event.plan import make_plan
from arena.event.preflight import open_checked
from arena.event.slots import Slots
from arena.event.tournament import Director, Ending, Plan
from arena.machine.enclosure import shut_in
from arena.results.store import EventRow, Store
from arena.streams import lasting
from arena.terminal.progress import Pace, follow, tell
from arena.terminal.show import event_text, table_of
from arena.text import plural
from referee.process import become_subreaper

DONE, OUR_FAULT, INTERRUPTED = 0, 5, 130
SHOWN_PAIRINGS = 1000


@dataclass(frozen=True, kw_only=True)
class Run:
    """How an event is to be run."""

    db: Path
    is_new: bool = False
    is_dry: bool = False
    skip_missing: bool = False
    has_preflight: bool = True
    """Whether each bot must first get through a short match against itself."""


def run_event(config: Config, run: Run) -> int:
    """Play what is missing of the event, print its standings, return the exit code."""
    try:
        return _run(config, run)
    except KeyboardInterrupt:  # while nothing was played yet, or not any more
        tell("interrupted: the same command goes on")
        return INTERRUPTED


def _run(config: Config, run: Run) -> int:
    players, missing = prepare_players(config, skip_missing=run.skip_missing)
    if missing:
        tell(missing_text(missing))
    if run.is_dry:
        _show(schedule_text(make_plan(config, players, config.seed or 0)))
        return DONE
    players, enclosure = shut_in(config, players, run.db)
    store = Store(run.db, is_new_allowed=True)
    try:
        tell(enclosure)
        with held_event(store, config, players, is_new=run.is_new) as event:
            plan = make_plan(config, players, event.seed)
            return _direct(store, event, plan, missing, has_preflight=run.has_preflight)
    finally:
        store.close()


def _direct(
    store: Store,
    event: EventRow,
    plan: Plan,
    missing: list[tuple[Entrant, BotError]],
    *,
    has_preflight: bool,
) -> int:
    done = store.keys(event.id)
    pending = [pairing for pairing in plan.pairings if pairing.key not in done]
    total, played = len(plan.pairings), len(plan.pairings) - len(pending)
    tell(
        f"{plan.name}: event {event.id} in {store.path}, seed {plan.seed},"
        f" {plural(total, 'match')}, {played} played before, {plural(len(plan.cores), 'slot')}"
    )
    for line in plan.imbalance:
        tell(f"not quite balanced: {line}")
    become_subreaper()
    open_slots: Callable[[Sequence[tuple[int, ...]]], Slots] = Slots
    if pending and has_preflight:
        slots = open_checked(plan, pending, store.withdrawals(event.id))
        open_slots = lambda cores: slots  # noqa: ARG005, E731 - they are open by now
    table = table_of(store, event)
    director = Director(plan, store, event.id, table, open_slots)
    ending = director.play(follow(Pace(total, played), table))
    _show(event_text(store, event, table))
    if missing:
        _show(f"\n{missing_text(missing)}")
    _show(f"\n{_where_next(store, event, plan)}")
    return _exit_code(ending)


def _exit_code(ending: Ending) -> int:
    for key in ending.undecided:
        tell(f"undecided: {key} was void every time")
    if ending.is_halted:
        tell("halted: two different matches in a row were void; the same command goes on")
        return OUR_FAULT
    if ending.is_interrupted and ending.missing:
        tell(f"interrupted, {plural(ending.missing, 'match')} missing: the same command goes on")
        return INTERRUPTED
    return OUR_FAULT if ending.undecided else DONE


def _where_next(store: Store, event: EventRow, plan: Plan) -> str:
    db = "" if store.path == Path("arena.db") else f" --db {store.path}"
    first = store.match_number(event.id, plan.pairings[0].key) if plan.pairings else None
    lines = [f"results: {store.path}, event {event.id}; seed {plan.seed}"]
    lines.append(f"matches: arena show {event.id} --matches{db}")
    if first is not None:
        lines.append(f"replay one: arena replay {first}{db}")
    return "\n".join(lines)


def schedule_text(plan: Plan) -> str:
    """Return every match of the schedule in order, a line each, up to a limit."""
    lines = [
        f"{number}. {' - '.join(pairing.players)}  ({pairing.key})"
        for number, pairing in enumerate(plan.pairings[:SHOWN_PAIRINGS], start=1)
    ]
    if (more := len(plan.pairings) - len(lines)) > 0:
        lines.append(f"... and {more} more")
    lines += [f"not quite balanced: {line}" for line in plan.imbalance]
    lines.append(f"{plural(len(plan.pairings), 'match')} on {plural(len(plan.cores), 'slot')}")
    return "\n".join(lines)


def _show(text: str) -> None:
    """Print a result. That nobody reads it any more changes nothing about the event."""
    print(text, file=lasting(sys.stdout), flush=True)
