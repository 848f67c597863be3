"""Export of an event for other programs: records as JSON lines, seats as CSV."""

import csv
import json
from typing import TextIO

from arena.reports.escaping import csv_cell
from arena.results.store import Store

_COLUMNS = (
    "event",
    "match",
    "key",
    "board",
    "variant",
    "termination",
    "reason",
    "plies",
    "finished",
    "seat",
    "player",
    "points",
    "place",
    "score",
    "fault",
    "wall_ns",
    "cpu_ns",
    "charged_ns",
    "grace_ns",
    "unplayed",
)


def export_jsonl(store: Store, event: int, out: TextIO) -> None:
    """Write the full record of every match, one JSON object per line."""
    for match in store.matches(event):
        print(json.dumps({"match": match.id, **store.record(match.id).to_json()}), file=out)


def export_csv(store: Store, event: int, out: TextIO) -> None:
    """Write one row per seat of every match. No text cell starts like a formula."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for match in store.matches(event):
        texts = [match.key, match.variant, match.termination, match.reason, match.finished]
        key, variant, termination, reason, finished = map(csv_cell, texts)
        facts = [match.event, match.id, key, match.board, variant, termination]
        facts += [reason, match.plies, finished]
        for number, seat in enumerate(match.seats):
            times = [seat.wall_ns, seat.cpu_ns, seat.charged_ns, seat.grace_ns]
            # the score is a number, and may be negative
            result = [seat.points, seat.place, seat.score, csv_cell(seat.fault or "")]
            unplayed = int(seat.is_unplayed)
            writer.writerow([*facts, number, csv_cell(seat.player), *result, *times, unplayed])
