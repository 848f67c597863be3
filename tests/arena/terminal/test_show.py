"""What is shown of events and matches, word for word.

`shown.txt` holds all the texts; to be read in the diff it is written anew by
`PYTHONPATH=.:tests:tests/arena python tests/arena/terminal/test_show.py`.
"""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from events import CRASH, job_of, keep, new_event, new_store
from fakes import FIRST, RESIGN, FakeBot, Hang, Say, Step, played
from typer.testing import CliRunner

from arena.commands.loading import application
from arena.errors import EventError, UsageError
from arena.formats.event_results import table_of, unfinished_text
from arena.reports.export import export_csv, export_jsonl
from arena.results.queries import find_event, find_match
from arena.results.store import EventRow, MatchRow, Store
from arena.results.voids import VoidRow, add_void
from arena.shell_words import db_option
from arena.terminal.show import event_text, events_text, matches_text
from arena.terminal.show_match import match_text, output_text
from arena.terminal.story import position_text, replay_lines
from referee.job import TimeControl
from referee.records.record import Printed, Record
from referee.records.replay import steps

app = application()

GOLDEN = Path(__file__).with_name("shown.txt")
AGAIN = "run: PYTHONPATH=.:tests:tests/arena python tests/arena/terminal/test_show.py"
SECOND = TimeControl(bank_ns=1_000_000_000)
REMARKS = {
    "note": "what a move",
    "value": -20,
    "plan": [{"v": 0, "h": 8}, {"v": 99, "h": 0}],
    "data": {"depth": 3, "seen_nodes": 1234},
}
ENTRANTS = {"ann": "1", "bob": "2"}


def filled(store: Store) -> Store:
    """Fill the database with an event of pente, one of a game for one, and one never played."""
    store.add_event("empty", 3, {}, {"ann": "1"})
    event = store.add_event("cup", 5, {"bonus": {"bob": "0.25"}}, ENTRANTS)
    job = job_of("ann", "bob", key="ann,bob/b0/0", time=SECOND)
    moves: list[Step] = [
        FIRST,
        Say({**FIRST, **REMARKS}, wall_ms=30, cpu_ms=20),
        RESIGN,
    ]
    keep(store, event, played(job, [FakeBot(*moves), FakeBot(FIRST, FIRST)]).record)
    job = job_of("bob", "ann", key="bob,ann/b0/0", time=SECOND)
    record = played(job, [FakeBot(FIRST, CRASH), FakeBot(FIRST, Hang())]).record
    record.seats[0].output_tail = "Traceback: it is broken\nbecause of a move\n"
    record.seats[0].exit = "exit code 1"
    keep(store, event, record)
    add_void(store.database, event, VoidRow("ann,bob/b0/1", 1, "the referee ended: signal SIGKILL"))
    store.add_withdrawal(event, "bob", "3 faults in a row")
    alone = store.add_event("alone", 6, {}, {"ann": "1"})
    options = {"rows": 4, "cols": 5, "colors": 2}
    job = job_of("ann", key="ann/b0/0", game="down_n_out", options=options, max_plies=1)
    keep(store, alone, played(job, [FakeBot()]).record)
    return store


def event_of(store: Store, name: str) -> EventRow:
    return find_event(store, name)


def row_of(store: Store, number: int) -> tuple[MatchRow, Record]:
    match = store.match(number)
    assert match is not None
    return match, store.record(number)


HOSTILE_NOTE = "\x1b[2J\u202egood\nply 9: seat 1 bob plays 0,0"


def test_a_note_is_shown_escaped_in_one_line() -> None:
    bots = [FakeBot({**FIRST, "note": HOSTILE_NOTE}, RESIGN), FakeBot(FIRST)]
    record = played(job_of("ann", "bob"), bots).record

    lines = list(replay_lines(record))

    assert lines[1].endswith(r"note: \x1b[2J\u202egood\nply 9: seat 1 bob plays 0,0")


def test_the_output_of_a_normal_match_can_be_read(tmp_path: Path) -> None:
    record = played(job_of("ann", "bob"), [FakeBot(RESIGN), FakeBot()]).record
    record.seats[0].output_tail = "I resign\n\x1b[2J\ud800"
    record.seats[0].output_bytes = 5000
    with closing(new_store(tmp_path)) as store:
        match = keep(store, new_event(store, ("ann", "bob")), record)

        text = output_text(match, record, "ann")

        assert text == "... 4984 bytes of its output are not kept\nI resign\n\\x1b[2J\\ud800"
        assert output_text(match, record, "bob") == "bob printed nothing in match 1"
        assert "arena show --match 1 --output ann\n" in match_text(match, record)
        with pytest.raises(UsageError, match='no such player in match 1; did you mean "ann"'):
            output_text(match, record, "anne")


def test_all_that_is_kept_of_an_output_can_be_read(tmp_path: Path) -> None:
    record = played(job_of("ann", "bob"), [FakeBot(RESIGN), FakeBot()]).record
    record.seats[0].output_tail = "2\n"
    record.seats[0].printed = [Printed(0, "1\n"), Printed(2, "2\n", dropped=7)]
    with closing(new_store(tmp_path)) as store:
        match = keep(store, new_event(store, ("ann", "bob")), record)

        text = output_text(match, record, "ann")

    assert text == "1\n\n... 7 bytes of its output are not kept\n2"


def test_runs_of_match_are_listed_alone_or_on_demand(tmp_path: Path) -> None:
    with closing(new_store(tmp_path)) as store:
        store.add_event("ann - bob", 1, {"is_quick": True}, {})
        assert events_text(store).splitlines()[-1].startswith("1      ann - bob")
        store.add_event("cup", 1, {}, {})

        assert "ann - bob" not in events_text(store)
        assert events_text(store).endswith("\nand 1 run of `arena match`; --all lists them")
        assert "ann - bob" in events_text(store, has_quick=True)


def standing(store: Store, name: str) -> str:
    event = event_of(store, name)
    return event_text(store, event, table_of(store, event))


def position(store: Store, number: int, ply: int) -> str:
    _, record = row_of(store, number)
    return position_text(record.job, list(steps(record.job, record.calls)), ply)


def exported(store: Store, export: Callable[[Store, int, Any], None]) -> str:
    out = StringIO()
    export(store, event_of(store, "cup").id, out)
    return out.getvalue()


TEXTS: dict[str, Callable[[Store], str]] = {
    "all events": events_text,
    "an event": lambda store: standing(store, "cup"),
    "an event for one": lambda store: standing(store, "alone"),
    "an event without matches": lambda store: standing(store, "empty"),
    "the matches of an event": lambda store: matches_text(store, event_of(store, "cup")),
    "the matches of none": lambda store: matches_text(store, event_of(store, "empty")),
    "a match": lambda store: match_text(*row_of(store, 1)),
    "a match with a fault": lambda store: match_text(*row_of(store, 2)),
    "a replay": lambda store: "\n".join(replay_lines(row_of(store, 1)[1])),
    "a replay with a fault": lambda store: "\n".join(replay_lines(row_of(store, 2)[1])),
    "a replay of a game for one": lambda store: "\n".join(replay_lines(row_of(store, 3)[1])),
    "the start": lambda store: position(store, 1, 0),
    "a position": lambda store: position(store, 1, 2),
    "seats as CSV": lambda store: exported(store, export_csv),
}


def shown(store: Store, name: str) -> str:
    """Return a text without what differs from day to day."""
    text = TEXTS[name](store)
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+\+00:00", "THEN", text)
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "2000-01-01 00:00", text).rstrip("\n") + "\n"


def golden() -> dict[str, str]:
    parts = re.split(r"^### (.*)\n", GOLDEN.read_text(), flags=re.MULTILINE)[1:]
    return {
        name: text.rstrip("\n") + "\n" for name, text in zip(parts[::2], parts[1::2], strict=True)
    }


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = filled(new_store(tmp_path_factory.mktemp("shown")))
    yield store
    store.close()


@pytest.mark.parametrize("name", TEXTS)
def test_the_output_equals_the_golden_file(kept: Store, name: str) -> None:
    assert shown(kept, name) == golden()[name], AGAIN


def test_an_event_is_exported_with_one_record_per_line(kept: Store) -> None:

    lines = exported(kept, export_jsonl).splitlines()

    assert lines == [
        json.dumps({"match": number, **kept.record(number).to_json()}) for number in (1, 2)
    ]


def test_an_event_is_found_by_number_by_name_and_as_the_newest(kept: Store) -> None:
    assert [find_event(kept, name).name for name in ("2", "cup", None)] == ["cup", "cup", "alone"]


@pytest.mark.parametrize(("name", "newest"), [("9", "; the newest is 3"), ("other", "")])
def test_an_unknown_event_is_answered_with_the_existing_ones(
    kept: Store, name: str, newest: str
) -> None:
    known = f"events there: empty, cup, alone{newest}"
    with pytest.raises(EventError, match=f'no event "{name}"; {known}$'):
        find_event(kept, name)


def test_in_an_empty_database_there_is_no_event_yet(store: Store) -> None:
    with pytest.raises(EventError, match="no event; events there: none yet"):
        find_event(store, None)


def test_a_match_is_found_by_number_and_by_key_in_the_newest_event(kept: Store) -> None:
    assert find_match(kept, "2").key == "bob,ann/b0/0"
    assert find_match(kept, "ann/b0/0").id == 3


def test_a_match_is_found_in_the_event_that_is_named(kept: Store) -> None:
    assert find_match(kept, "ann,bob/b0/0", "cup").id == 1
    assert find_match(kept, "1", "2").id == 1
    how = 'no match "3" in event 2; match 3 is in event 3; `arena show 2 --matches'
    with pytest.raises(EventError, match=how):
        find_match(kept, "3", "cup")
    with pytest.raises(EventError, match='no match "ann/b0/0" in event 2; `arena show 2 --matches'):
        find_match(kept, "ann/b0/0", "cup")


def test_matches_without_an_event_are_those_of_the_newest(kept: Store) -> None:
    shown = CliRunner().invoke(app, ["show", "--matches", "--db", str(kept.path)])

    assert shown.output.strip() == matches_text(kept, event_of(kept, "alone"))


@pytest.mark.parametrize("reference", ["9", "ann,bob/b0/0"])
def test_an_unknown_match_is_answered_with_the_command_to_list_matches(
    kept: Store, reference: str
) -> None:
    how = re.escape(f"`arena show --matches --db {kept.path}` lists those of the newest event")
    with pytest.raises(EventError, match=how):
        find_match(kept, reference)


def test_the_advice_names_a_database_other_than_the_default(
    kept: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    usual, other = (Store(Path(name), is_new_allowed=True) for name in ("arena.db", "the other.db"))

    assert db_option(usual.path) == ""
    assert db_option(other.path) == " --db 'the other.db'"
    assert match_text(*row_of(kept, 1), db_option(other.path)).endswith(
        "replay it with: arena replay 1 --db 'the other.db'"
    )
    usual.close()
    other.close()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({}, "2 of 9 matches are played; unless it is running, resume it with `arena tournament"),
        (
            {"format": "gate"},
            "2 of at most 9 matches are played; unless it is running, resume it with `arena gate",
        ),
        ({"is_quick": True}, "2 of 9 matches are played; the same `arena match` plays the rest"),
    ],
)
def test_an_unfinished_event_is_shown_with_the_command_to_resume_it(
    kept: Store, config: dict[str, Any], said: str
) -> None:
    event = find_event(kept, "cup")
    kept.set_total(event.id, 9)
    unfinished = find_event(kept, "cup")

    shown = unfinished_text(kept, replace(unfinished, config=config))

    assert shown.startswith(f"unfinished: {said}")
    assert ("--db" in shown) is ("is_quick" not in config)
    assert "2 of 9" in events_text(kept)
    kept.set_total(event.id, 2)
    assert unfinished_text(kept, find_event(kept, "cup")) == ""


def test_the_table_has_all_players_and_the_bonus(store: Store) -> None:
    number = new_event(store, ("ann", "bob"), bonus={"ann": "0.5"})
    keep(store, number, played(job_of("ann", "bob"), [FakeBot(), FakeBot(RESIGN)]).record)
    event = store.event(number)
    assert event is not None

    table = table_of(store, event)

    assert list(table.rows) == ["ann", "bob"]
    assert table.rows["ann"].score == table.rows["ann"].points * 3 / 2 > 0


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        made = filled(new_store(Path(folder)))
        GOLDEN.write_text("\n".join(f"### {name}\n{shown(made, name)}" for name in TEXTS))
        made.close()
