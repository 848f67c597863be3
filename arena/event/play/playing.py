"""Play an event from its preflight to its end: one call for a command, a gate and a balancer."""

import gc
from collections.abc import Callable
from functools import partial

from arena.errors import PreflightError
from arena.event.plan import Plan
from arena.event.play.director import Director, Ending
from arena.event.play.preflight import open_checked
from arena.event.slots.contract import Slots
from arena.event.watch.progress import Announcer, announced, follow
from arena.results.failed_tests import add_failures
from arena.results.standings import Table
from arena.results.store import EventRow, MatchRow, Store
from referee.sandbox import become_subreaper

FAILED_PREFLIGHT = "a failed preflight"


def play_event(
    store: Store,
    event: EventRow,
    plan: Plan,
    table: Table,
    announcer: Announcer,
    *,
    has_preflight: bool,
    forfeits: bool = False,
    remark: Callable[[MatchRow], str] | None = None,
) -> Ending:
    """Play the missing matches of a held event; `table` has the finished ones.

    With `forfeits`, bots that fail the preflight forfeit their matches; otherwise it raises
    PreflightError. `remark` is that of `Director`.
    """
    director = Director(plan, store, event.id, table, remark=remark)
    agenda, total = director.agenda, director.agenda.total
    played = total - agenda.missing
    director.store_total()
    announcement = announced(store.path, event, plan, total, played)
    if not agenda.pending:
        announcer.say(announcement)
        return director.ending()
    become_subreaper()
    gc.freeze()  # modules and plan stay: skip them in collections
    slots = (
        _open_checked(director, store, event, plan, announcer, forfeits=forfeits)
        if has_preflight
        else plan.open_slots(agenda.missing)
    )
    announcer.say(announcement)  # without the bots that failed the preflight
    ending = director.play(slots, partial(follow, announcer, plan, total, played, table))
    store.database.check_place()
    return ending


def _open_checked(
    director: Director,
    store: Store,
    event: EventRow,
    plan: Plan,
    announcer: Announcer,
    *,
    forfeits: bool,
) -> Slots:
    """Start the slots after the preflight; with `forfeits` withdraw the bots that fail it."""
    agenda = director.agenda
    try:
        return open_checked(plan, agenda, store.withdrawals(event.id), announcer.say)
    except PreflightError as error:
        if not forfeits:
            raise
        add_failures(store, event.id, error.failures)
        for player, text in error.failures.items():
            director.withdraw(player, FAILED_PREFLIGHT)
            announcer.say(f"FORFEITS: {text}")
    return plan.open_slots(agenda.missing)
