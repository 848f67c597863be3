"""Results of an event in the form that formats take."""

from collections import Counter
from collections.abc import Sequence

from arena.config.formats import BY_RESULTS
from arena.errors import EventError
from arena.formats.choosing import stored_format
from arena.formats.format import Format, Results
from arena.results.standings import Seat
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


def format_text(store: Store, event: EventRow) -> str:
    """Return the results by the event's format; empty where the standings suffice."""
    if event.config.get("format") not in BY_RESULTS:
        return ""
    try:
        format_ = stored_format(event)
        return format_.text(results_of(store, event.id, format_))
    except EventError as error:
        return f"warning: {error}"
