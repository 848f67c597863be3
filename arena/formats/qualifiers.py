"""The best bots of an event, as entries for the config of another one."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from hashlib import sha256
from json import dumps
from pathlib import Path
from typing import Any

from arena.bots.shipped import shipped_bots
from arena.config.event import Event
from arena.config.model import BotSection
from arena.errors import EventError
from arena.formats.choosing import stored_format
from arena.formats.event_results import results_of, table_of
from arena.formats.group_tables import all_groups
from arena.results.queries import find_event
from arena.results.standings import Standing, Table
from arena.results.store import EventRow, Store
from arena.text import plural


def best_bots(db: Path, event: str, top: int) -> Sequence[Mapping[str, Any]]:
    """Return the entries of the `top` best bots of a finished event, best first.

    Of a group stage, those are the best of each group: all winners, then all seconds.

    Raises EventError if the event is not finished or has fewer bots.
    """
    with closing(Store(db)) as store:
        row = find_event(store, event)
        _check_finished(store, row)
        ranked = _in_order(table_of(store, row), row)
    stored = Event.read(row.config)
    listed = all_groups(stored) if stored.groups else [ranked]
    groups = [[name for name in ranked if name in group] for group in listed]
    if top > (fewest := min(map(len, groups))):
        where = "in a group" if stored.groups else ""
        detail = f"event {row.id} ({row.name}) has {plural(fewest, 'bot')} {where}".rstrip()
        raise EventError(f"{detail}, not {top}")
    sections = {str(bot.name): bot for bot in stored.bots}
    best = [group[place] for place in range(top) for group in groups]
    return [_entry(sections[name], Path(stored.folder)) for name in best]


def _check_finished(store: Store, event: EventRow) -> None:
    format_ = stored_format(event)
    results = results_of(store, event.id, format_)  # with the matches that stay void
    ended = store.count(event.id) if format_.is_fixed else len(results)
    if (missing := format_.total(results) - ended) > 0:
        most = "" if format_.is_fixed else "up to "
        raise EventError(
            f"event {event.id} ({event.name}) is not finished: {most}{plural(missing, 'match')} to"
            " play; run its command again first"
        )


def _in_order(table: Table, event: EventRow) -> list[str]:
    """Return all players, best first. Lots decide between equals, since authors choose the names.

    The lots depend on the files of all bots, so that nobody can choose a winning name.
    """
    ranked = table.ranked()
    if table.ranking is None:
        salt = dumps([event.seed, dict(event.entrants)])

        def key(place: tuple[int, Standing]) -> tuple[int, bytes]:
            rank, row = place
            return rank, sha256(f"{row.player} {salt}".encode()).digest()

        ranked.sort(key=key)
    return [row.player for _, row in ranked]


def _entry(bot: BotSection, folder: Path) -> dict[str, Any]:
    """Return the entry of a bot with paths that do not depend on the folder of a config."""
    entry = bot.model_dump(exclude_defaults=True)
    if bot.bot not in shipped_bots():
        entry["bot"] = str(folder / Path(bot.bot).expanduser())
    if bot.share:
        entry["share"] = tuple(str(folder / Path(path).expanduser()) for path in bot.share)
    return entry
