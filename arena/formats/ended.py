"""The results of an event by its format: what the format reads, its text and its standings."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal

from arena.config.event import Event
from arena.config.formats import BY_RESULTS
from arena.errors import EventError
from arena.formats.choosing import stored_format
from arena.formats.format import Format, Results
from arena.formats.group_tables import all_groups, groups_text
from arena.results.standings import Seat, Table
from arena.results.store import ATTEMPTS, EventRow, Store


def results_of(store: Store, event: int, format_: Format) -> Results:
    """Return the results of an event; none for a format with a fixed schedule.

    A match that was void ATTEMPTS times stays void when the event resumes, since later matches may
    depend on it.
    """
    if format_.is_fixed:
        return {}
    results: dict[str, Sequence[Seat]] = {match.key: match.seats for match in store.matches(event)}
    times = Counter(void.key for void in store.voids(event))
    for key in (key for key, count in times.items() if count >= ATTEMPTS):
        results.setdefault(key, ())
    return results


def table_of(store: Store, event: EventRow) -> Table:
    """Return the standings of an event, ranked by its format."""
    bonus = {name: Decimal(part) for name, part in event.config.get("bonus", {}).items()}
    table = Table(tuple(event.entrants), bonus, has_score_rule=has_score_rule(event))
    for match in store.matches(event.id):
        table.add(match.seats)
    with suppress(EventError):  # `format_text` has a warning then
        if event.config.get("groups"):
            table.groups = all_groups(Event.read(event.config))
        elif _has_own_ranking(event):
            format_ = stored_format(event)
            table.ranking = format_.ranking(results_of(store, event.id, format_))
    return table


def has_score_rule(event: EventRow) -> bool:
    """Whether the event's scores are other numbers than the points of the game."""
    return bool(event.config.get("score") or event.config.get("bonus"))


def format_text(store: Store, event: EventRow) -> str:
    """Return the results by the event's format; empty where the standings suffice."""
    try:
        if event.config.get("groups"):
            return groups_text(table_of(store, event))
        if not _has_own_ranking(event):
            return ""
        format_ = stored_format(event)
        return format_.text(results_of(store, event.id, format_))
    except EventError as error:
        return f"warning: {error}"


def _has_own_ranking(event: EventRow) -> bool:
    return event.config.get("format") in BY_RESULTS
