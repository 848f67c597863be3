"""Ratings of several events together, as text."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from arena import text
from arena.errors import EventError
from arena.ratings.pool import pooled, versions_text
from arena.ratings.text import RatingTerms, differences_text, ratings_text
from arena.results.damage import read_results
from arena.results.queries import find_event
from arena.results.store import EventRow, Store


def rate_together(db: Path, names: Sequence[str], terms: RatingTerms) -> str:
    """Return the ratings over events of `db` and over all events of other databases."""
    with ExitStack() as stack:
        stores: dict[Path, Store] = {}
        sources: dict[tuple[Path, int], tuple[Store, EventRow]] = {}
        for name in names:
            is_database = Path(name).is_file()
            path = (Path(name) if is_database else db).resolve()
            if path not in stores:
                stores[path] = stack.enter_context(read_results(path))
            store = stores[path]
            for event in store.events() if is_database else [find_event(store, name)]:
                sources[path, event.id] = (store, event)
        pool = pooled(list(sources.values()))
    if not pool.events:
        raise EventError("nothing to rate: a person played in every event")
    ratings = terms.rated(pool.outcomes, {})
    head = f"{text.plural(len(pool.events), 'event')}: {', '.join(pool.events)}"
    parts = [head, ratings_text(ratings), versions_text(pool, ratings)]
    if terms.has_differences:
        parts.append(differences_text(ratings))
    return "\n\n".join(filter(None, parts))
