"""The results of an event by its format: what the format reads, its text and its standings.

Formats and the models of events are imported where a format has a view of its own: those of most
events have none, and loading them takes longer than reading the results.
"""

from collections import Counter
from contextlib import suppress
from decimal import Decimal
from typing import TYPE_CHECKING

from arena.errors import EventError
from arena.reading.choices import FORMATS_BY_RESULTS
from arena.results.queries import start_of
from arena.results.standings import Table
from arena.results.store import ATTEMPTS, EventRow, Store
from arena.shell_words import db_option

if TYPE_CHECKING:
    from arena.formats.format import Format, Results


def results_of(store: Store, event: int, format_: "Format") -> "Results":
    """Return the results of an event, with matches void for good; none of a fixed schedule."""
    if format_.is_fixed:
        return {}
    results = {match.key: match.seats for match in store.matches(event)}
    times = Counter(void.key for void in store.voids(event))
    for key in (key for key, count in times.items() if count >= ATTEMPTS):
        results.setdefault(key, ())
    return results


def table_of(store: Store, event: EventRow) -> Table:
    """Return the standings of an event, ranked by its format."""
    table = empty_table(event)
    for match in store.matches(event.id):
        table.add(match.seats, start_of(event, match.board), match.termination)
    rank(table, store, event)
    return table


def empty_table(event: EventRow) -> Table:
    """Return the standings of an event without matches."""
    bonus = {name: Decimal(part) for name, part in event.config.get("bonus", {}).items()}
    return Table(tuple(event.entrants), bonus, has_score_rule=has_score_rule(event))


def rank(table: Table, store: Store, event: EventRow) -> None:
    """Have the format of an event rank its standings."""
    with suppress(EventError):  # `format_text` has a warning then
        if event.config.get("groups"):
            table.groups = _groups(event)
        elif (format_ := _own_format(event)) is not None:
            table.ranking = format_.ranking(results_of(store, event.id, format_))


def progress_text(store: Store, event: EventRow) -> str:
    """Return the number of finished matches, like "12 of 20" while others are missing."""
    played = store.count(event.id)
    if event.total is None or played >= event.total:
        return str(played)
    most = "at most " if event.config.get("format") in (*FORMATS_BY_RESULTS, "gate", "tune") else ""
    return f"{played} of {most}{event.total}"


def unfinished_text(store: Store, event: EventRow) -> str:
    """Return how to resume an event with missing matches; empty for a finished one."""
    progress = progress_text(store, event)
    if progress.isdecimal():
        return ""
    format_ = event.config.get("format")
    command = str(format_) if format_ in ("gate", "tune") else "tournament CONFIG"
    advice = f"unless it is running, resume it with `arena {command}{db_option(store.path)}`"
    if event.config.get("is_quick"):
        advice = "the same `arena match` plays the rest"
    return f"unfinished: {progress} matches are played; {advice}"


def has_score_rule(event: EventRow) -> bool:
    """Whether the event's scores are other numbers than the points of the game."""
    return bool(event.config.get("score") or event.config.get("bonus"))


def format_text(store: Store, event: EventRow, table: Table) -> str:
    """Return the results by the event's format; empty where the standings of `table` suffice."""
    try:
        if event.config.get("groups"):
            from arena.formats.group_tables import groups_text

            return groups_text(table, _groups(event))
        if (format_ := _own_format(event)) is None:
            return ""
        return format_.text(results_of(store, event.id, format_))
    except EventError as error:
        return f"warning: {error}"


def _groups(event: EventRow) -> list[list[str]]:
    from arena.config.event import Event
    from arena.formats.group_tables import all_groups

    return all_groups(Event.read(event.config))


def _own_format(event: EventRow) -> "Format | None":
    """Return the format of an event if it ranks the players itself."""
    if event.config.get("format") not in FORMATS_BY_RESULTS:
        return None
    from arena.formats.choosing import stored_format

    return stored_format(event)
