"""Events to report, and the data in a report of them."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

from events import keep, new_store

from arena.formats.event_results import table_of
from arena.reports.report import PlayedEvent
from arena.results.store import Store
from referee.records.record import Record


def store_with(
    folder: Path, *records: Record, name: str = "cup", **options: Any
) -> tuple[Store, PlayedEvent]:
    store = new_store(folder)
    bots = {player.name: player.content for record in records for player in record.job.players}
    number = store.add_event(name, 1, {"game": {"name": records[0].job.game, **options}}, bots)
    for record in records:
        keep(store, number, record)
    event = store.event(number)
    assert event is not None
    return store, PlayedEvent.read(store, event, table_of(store, event))


def data_of(page: str) -> list[Any]:
    """Return the page's data: the event, then each board."""
    found = re.search(
        r'<script type="application/json" id="data">\n(.*?)\n</script>', page, re.DOTALL
    )
    assert found
    return [json.loads(zlib.decompress(base64.b64decode(line))) for line in found[1].splitlines()]
