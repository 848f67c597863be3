"""Voids of a machine's results, by command and by page: what one changes, and the order of it."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from django.db import transaction

from arena.errors import UsageError
from arena.league.directing.counts import counted
from arena.league.directing.machine_voids import VoidPreview, machines_since, preview
from arena.league.directing.standing import Standing
from arena.league.folder import League
from arena.league.persons.people import audit
from arena.league.site.models import MachineVoid, Person, Version
from arena.results.store import EventRow, Store
from arena.text import plural
from protocol.wording import quoted

SHOWN = 10
"""Number of versions whose ratings change most that are shown."""


def voided(league: League, machine: str, since: datetime, *, is_meant: bool) -> Iterator[str]:
    """Yield lines about a void; order it if `is_meant`. Raises UsageError."""
    yield from previewed(league, machine, since)
    if not is_meant:
        yield "nothing is changed; --yes voids them"
        return
    order(None, machine, since)
    yield "ordered; a running league does it within seconds, any other at its next start"


def previewed(league: League, machine: str, since: datetime) -> list[str]:
    """Return lines about what a void would change; raises UsageError if that is nothing."""
    with _season_of(league) as (store, event):
        found = preview(store, event.id, machine, since)
        if not found.matches:
            raise UsageError(_nothing(store, event, machine, since))
        head = (
            f"{plural(len(found.matches), 'match')} of {plural(len(found.versions), 'version')}"
            f" in pairs that {machine} has played since {since:%Y-%m-%d %H:%M:%S} UTC"
        )
        return [head, *_changes(league, store, event, found)]


def order(person: Person | None, machine: str, since: datetime) -> None:
    """Have the director void what a machine has played since a time."""
    with transaction.atomic():
        MachineVoid.objects.create(machine=machine, since=since, person=person)
        audit(person, "voided a machine", f"{machine} since {since:%Y-%m-%d %H:%M:%S}")


def machines_of(league: League) -> list[tuple[str, int, str]]:
    """Return the machines of the season, each with its matches and the last one's end."""
    with league.matches() as store:
        event = None if store is None else store.latest_event(league.season().name)
        if store is None or event is None:
            return []
        return machines_since(store, event.id, datetime.min.replace(tzinfo=UTC))


@contextmanager
def _season_of(league: League) -> Iterator[tuple[Store, EventRow]]:
    with league.matches() as store:
        if store is None:
            raise UsageError(f"{league.folder.name}: no match was played yet")
        event = store.latest_event(league.season().name)
        if event is None:
            raise UsageError(f"{league.folder.name}: no match of this season was played yet")
        yield store, event


def _nothing(store: Store, event: EventRow, machine: str, since: datetime) -> str:
    """Return a sentence about a machine without results."""
    there = machines_since(store, event.id, since)
    names = ", ".join(f"{name} ({plural(count, 'match')})" for name, count, _ in there)
    return (
        f"{quoted(machine)} has played nothing that counts since {since:%Y-%m-%d %H:%M:%S} UTC;"
        f" machines that have: {names or 'none'}"
    )


def _changes(league: League, store: Store, event: EventRow, found: VoidPreview) -> Iterator[str]:
    """Yield the versions whose rating changes most."""
    anchors = {name: float(elo) for name, elo in league.season().anchor.items()}
    standing = counted(league.counts, store, event, anchors).standing
    rows = Version.objects.select_related("bot").exclude(rating=None)
    active = [row.player for row in rows if row.bot.active_id == row.pk]
    before = _ratings(standing, active)
    standing.remove(found.matches)
    after = _ratings(standing, active)
    gaps = {player: after[player] - before[player] for player in before}
    for player in sorted(gaps, key=lambda each: (-abs(gaps[each]), each))[:SHOWN]:
        if found.versions[player] or round(gaps[player]):
            yield (
                f"{player}: {before[player]:.0f} becomes {after[player]:.0f}, without"
                f" {plural(found.versions[player], 'match')}"
            )


def _ratings(standing: Standing, active: Collection[str]) -> dict[str, float]:
    elos = standing.fitted(active).elos
    return {player: elos[player].value for player in active if player in elos}
