"""Exports for other programs, safe in a spreadsheet."""

import csv
import json
import math
import zlib
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import TextIO

import pytest
from events import CRASH, job_of, keep, new_store, rekeyed, won_by
from fakes import FIRST, FakeBot, played

from arena.errors import StoreError
from arena.reports.escaping import csv_cell
from arena.reports.export import export_csv, export_jsonl, export_moves, export_standings
from arena.results.queries import find_event
from arena.results.store import Store
from protocol.codec import stored
from protocol.wording import escaped
from referee.job import PERSON
from referee.records.record import FORMAT

FORMULA = "=cmd|' /C calc'!A0"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        (FORMULA, f"'{FORMULA}"),
        ("+1", "'+1"),
        ("-1+cmd", "'-1+cmd"),
        ("-1,-2", "-1,-2"),
        ("-1,=2", "'-1,=2"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "\\t=1"),
        ("\r=1", "\\r=1"),
        ("  =1", "'  =1"),
        ("\uff1d1", "'\uff1d1"),
        ("a;=1", "a;'=1"),
        ("a\n=1", "a\\n=1"),
        ("a-1 = b", "a-1 = b"),
        ("\u202e\x1b[2J", "\\u202e\\x1b[2J"),
        ("", ""),
    ],
)
def test_a_text_in_a_cell_is_no_formula(text: str, cell: str) -> None:
    assert csv_cell(text) == cell


def test_texts_of_strangers_are_exported_as_texts_and_numbers_as_numbers(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        event = store.add_event("cup", 1, {}, {FORMULA: "1", "bob": "2"})
        record = played(job_of(FORMULA, "bob", key=FORMULA), [FakeBot(FIRST, CRASH)] * 2).record
        record.verdict = replace(record.verdict, reason="@reason", scores=("-0.5", "5"))
        keep(store, event, record)
        out = StringIO()
        export_csv(store, event, out)

    rows = list(csv.DictReader(StringIO(out.getvalue())))
    assert [row["player"] for row in rows] == [f"'{FORMULA}", "bob"]
    assert {row["key"] for row in rows} == {f"'{FORMULA}"}
    assert {row["reason"] for row in rows} == {"'@reason"}
    cells = [cell for row in rows for cell in row.values()]
    starts = {cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))}
    assert all(float(cell) < 0 for cell in starts)
    assert starts


@pytest.mark.parametrize("export", [export_csv, export_jsonl, export_moves])
def test_each_record_is_a_line_whatever_a_bot_writes(
    export: Callable[[Store, int, TextIO], None], tmp_path: Path
) -> None:
    hostile = "".join(map(chr, [*range(32), 0x7F, 0x85, 0x2028, 0x2029, 0x202E]))
    first = {**FIRST, "note": hostile, "data": {"nodes": 7}}
    with closing(new_store(tmp_path)) as store:
        event = store.add_event("cup", 1, {}, {"ann": "1", "bob": "2"})
        record = played(job_of("ann", "bob"), [FakeBot(first, CRASH)] * 2).record
        keep(store, event, record)
        export(store, event, out := StringIO())

    records: dict[object, int] = {
        export_csv: 1 + 2,
        export_jsonl: 1,
        export_moves: 1 + len(record.calls),
    }
    lines = out.getvalue().removesuffix("\n").split("\n")
    assert len(lines) <= records[export]
    assert all(line.isprintable() for line in lines)
    if export is export_moves:
        notes = [row["note"] for row in csv.DictReader(lines)]
        assert notes[0] == escaped(hostile)


def test_moves_are_exported_with_the_remarks_of_their_bots(tmp_path: Path) -> None:
    plan, data = [{"v": 0, "h": 4}], {"depth": 7}
    first = {**FIRST, "note": FORMULA, "value": -1, "plan": plan, "data": data}
    with closing(new_store(tmp_path)) as store:
        event = store.add_event("cup", 1, {}, {FORMULA: "1", "bob": "2"})
        job = job_of(FORMULA, "bob", key="k", max_plies=2)
        keep(store, event, played(job, [FakeBot(first), FakeBot()]).record)
        out = StringIO()
        export_moves(store, event, out)

    one, other = csv.DictReader(StringIO(out.getvalue()))
    assert (one["ply"], one["seat"], one["move"]) == ("0", "0", "0,0")
    assert (one["player"], one["note"]) == (f"'{FORMULA}", f"'{FORMULA}")
    assert (one["value"], json.loads(one["plan"]), json.loads(one["data"])) == ("-1", plan, data)
    assert (other["player"], other["charged_ns"]) == ("bob", "1000000")
    assert [other[name] for name in ("note", "value", "plan", "data")] == [""] * 4


def test_records_are_exported_as_they_are_stored(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        event = store.add_event("cup", 1, {}, {"ann": "1", "bob": "2"})
        keep(store, event, played(job_of("ann", "bob"), [FakeBot(FIRST, CRASH)] * 2).record)
        out = StringIO()
        export_jsonl(store, event, out)
        record = store.record(1)

    (line,) = out.getvalue().splitlines()
    assert json.loads(line) == json.loads(json.dumps({"match": 1, **record.to_json()}))


@pytest.mark.parametrize(
    ("config", "bob", "rated"),
    [({}, "2", 4), ({"format": "gate"}, "2", 0), ({}, PERSON, 0)],
)
def test_the_standings_have_ratings_only_where_the_tables_have_them(
    tmp_path: Path, config: dict[str, str], bob: str, rated: int
) -> None:
    with closing(new_store(tmp_path)) as store:
        event = store.add_event("cup", 1, config, {"ann": "1", "bob": bob})
        keep(store, event, won_by(job_of("ann", "bob"), 0))
        export_standings(store, find_event(store, "cup"), out := StringIO())

    rows = list(csv.DictReader(StringIO(out.getvalue())))
    assert [(row["rank"], row["bot"], row["wins"]) for row in rows] == [
        ("1", "ann", "1"),
        ("2", "bob", "0"),
    ]
    assert sum(bool(row[name]) for row in rows for name in ("elo", "elo_low")) == rated


def test_the_standings_add_up_the_seats(tmp_path: Path) -> None:
    scored = [("0.333333", "-1234567.891"), ("0.333333", "0.000001"), ("100", "-0.5")]
    with closing(new_store(tmp_path)) as store:
        event = store.add_event("cup", 1, {}, {"ann": "1", "bob": "2"})
        for number, scores in enumerate(scored):
            record = rekeyed(won_by(job_of("ann", "bob"), 0), f"match {number}")
            keep(store, event, replace(record, verdict=replace(record.verdict, scores=scores)))
        row = find_event(store, "cup")
        export_csv(store, event, seats := StringIO())
        export_standings(store, row, out := StringIO())

    sums: dict[str, Decimal] = defaultdict(Decimal)
    for seat in csv.DictReader(StringIO(seats.getvalue())):
        sums[seat["player"]] += Decimal(seat["score"])
    written = {row["bot"]: row["score"] for row in csv.DictReader(StringIO(out.getvalue()))}
    assert written == {"ann": "100.666666", "bob": "-1234568.390999"}
    assert {bot: Decimal(score) for bot, score in written.items()} == sums


@pytest.mark.parametrize(
    "fields",
    [
        [],
        {},
        {"format": 0},
        {"format": FORMAT, "seed": math.nan},
        {"format": FORMAT, "game": b"\xff"},
        {"format": FORMAT, b"game": ""},
    ],
)
def test_a_record_that_is_no_json_is_damaged(tmp_path: Path, fields: object) -> None:
    with closing(new_store(tmp_path)) as store:
        event = store.add_event("cup", 1, {}, {"ann": "1", "bob": "2"})
        match = played(job_of("ann", "bob"), [FakeBot(FIRST, CRASH)] * 2).record.finished()
        forged = replace(match, body=zlib.compress(stored(fields)))
        store.add_match(event, board=0, variant="", attempt=1, match=forged)

        with pytest.raises(StoreError, match="match 1 is damaged"):
            export_jsonl(store, event, StringIO())
