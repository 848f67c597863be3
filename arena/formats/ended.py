"""What has ended of an event, as its format is told."""

from collections import Counter
from collections.abc import Sequence

from arena.formats.format import Format, Results
from arena.results.standings import Seat
from arena.results.store import ATTEMPTS, Store


def results_of(store: Store, event: int, format_: Format) -> Results:
    """Return what has ended of an event, as far as its format wants to know.

    Where later matches may hang on it, a match that was void too often stays so: it is not tried
    again when the event goes on.
    """
    if format_.is_fixed:
        return {}
    results: dict[str, Sequence[Seat]] = {match.key: match.seats for match in store.matches(event)}
    times = Counter(void.key for void in store.voids(event))
    for key in (key for key, count in times.items() if count >= ATTEMPTS):
        results.setdefault(key, ())
    return results
