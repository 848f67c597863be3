"""Playing an event that is held: what is missing is counted, checked and directed."""

from collections.abc import Callable, Sequence

from arena.event.agenda import Agenda
from arena.event.director import Director, Ending, Plan
from arena.event.preflight import open_checked
from arena.event.slots import Slots
from arena.formats.ended import results_of
from arena.results.standings import Table
from arena.results.store import EventRow, Store
from arena.terminal.tables import Pace, follow, tell
from arena.text import plural
from referee.sandbox.process import become_subreaper


def play_event(
    store: Store, event: EventRow, plan: Plan, table: Table, *, has_preflight: bool
) -> Ending:
    """Play what is missing of an event; `table` has what was finished before."""
    results = results_of(store, event.id, plan.format)
    agenda = Agenda(plan.format, results, store.keys(event.id))
    total, played = agenda.total, agenda.total - agenda.missing
    tell(
        f"{plan.name}: event {event.id} in {store.path}, seed {plan.seed},"
        f" {plural(total, 'match')}, {played} played before, {plural(len(plan.cores), 'slot')}"
    )
    for line in plan.format.imbalance:
        tell(f"not quite balanced: {line}")
    become_subreaper()
    open_slots: Callable[[Sequence[tuple[int, ...]]], Slots] = Slots
    if agenda.pending and has_preflight:
        slots = open_checked(plan, agenda, store.withdrawals(event.id))
        open_slots = lambda cores: slots  # noqa: ARG005, E731 - they are open by now
    director = Director(plan, store, event.id, table, open_slots)
    return director.play(follow(Pace(total, played), table))
