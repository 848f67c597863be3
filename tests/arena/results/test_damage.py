"""A database with values that Arena does not write."""

import json
import sqlite3
from pathlib import Path

import pytest
from course import Class, open_store
from events import job_of, keep, new_event, won_by

from arena.commands.pages import write_match
from arena.errors import StoreError
from arena.ratings.text import rate_text
from arena.results.damage import damage, read_results
from arena.results.heads import match_heads
from arena.results.queries import find_event
from arena.results.store import Store
from arena.results.stored_json import JSON_DEPTH, MAX_JSON, from_json
from arena.results.workers import workers_of
from protocol.wording import escaped


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ("UPDATE event SET name = x'ff'", "name of an entry in its table event"),
        ("UPDATE event SET seed = '1 '", "seed of an entry in its table event"),
        ("UPDATE event SET config = '[]'", "config of an entry in its table event"),
        ("UPDATE event SET config = 'null, 1'", "config of an entry in its table event"),
        ("UPDATE event SET config = '{\"game\": 5}'", "config of an entry in its table event"),
        ("UPDATE event SET config = '{\"format\": []}'", "config of an entry in its table event"),
        (
            'UPDATE event SET config = \'{"game": {"name": 5}}\'',
            "config of an entry in its table event",
        ),
        ("UPDATE event SET config = '{\"runner\": null}'", None),
        (
            "UPDATE event SET config = printf('{%20000000s}', '')",
            "config of an entry in its table event",
        ),
        ("UPDATE match SET plies = 'many'", "plies of an entry in its table match"),
        ("UPDATE seat SET score = '1-2'", "score of an entry in its table seat"),
        ("UPDATE seat SET score = '1e999999999'", "score of an entry in its table seat"),
        (
            "UPDATE seat SET score = printf('%.*c', 5000000, '9')",
            "score of an entry in its table seat",
        ),
        ("UPDATE seat SET fault = 1.5", None),  # the column makes a text of it
        ("UPDATE seat SET null_ns = 'x'", "null_ns of an entry in its table seat"),
        ("UPDATE seat SET player = 'eve' WHERE seat = 0", "player of an entry in its table seat"),
        ("UPDATE match SET key = 'play/1'", None),
        ("DELETE FROM seat WHERE seat = 0", "seats of an entry in its table match"),
        ("DELETE FROM seat", "seats of an entry in its table match"),
        ("UPDATE seat SET score = '-0.25'", None),
    ],
)
def test_a_wrong_value_is_named(
    store: Store, other: sqlite3.Connection, change: str, part: str | None
) -> None:
    keep(store, new_event(store), won_by(job_of("ann", "bob"), 0))
    other.execute(change)

    found = damage(store.database)

    assert found == (None if part is None else f"the {part} is invalid")


def test_an_error_is_explained_by_damage_and_otherwise_kept(
    store: Store, other: sqlite3.Connection
) -> None:
    new_event(store)
    with pytest.raises(KeyError), read_results(store.path) as read:
        raise KeyError(list(read.events()))
    other.execute("UPDATE event SET seed = 'many'")

    with (
        pytest.raises(StoreError, match="it is damaged: the seed"),
        read_results(store.path) as read,
    ):
        list(read.events())


def test_a_config_that_would_fill_the_memory_is_not_decoded(
    store: Store, other: sqlite3.Connection
) -> None:
    new_event(store)
    other.execute("UPDATE event SET config = ?", (f"[{'[],' * (MAX_JSON // 3)}0]",))

    with pytest.raises(ValueError, match=f"the limit is {MAX_JSON}"):
        store.events()


@pytest.mark.parametrize("depth", [JSON_DEPTH, 500, 900, *range(950, 1000), 1500, 1999])
@pytest.mark.parametrize("levels", ['{"a":[%s]}', '{"a":%s}'])
def test_a_config_that_is_nested_too_deeply_is_damage_whatever_it_is_for_python(
    store: Store, other: sqlite3.Connection, levels: str, depth: int
) -> None:
    new_event(store)
    config = "1"
    for _ in range(0, depth + 1, levels.count("{") + levels.count("[")):
        config = levels % config
    other.execute("UPDATE event SET config = ?", (config,))

    with (
        pytest.raises(StoreError, match="it is damaged: the config"),
        read_results(store.path) as read,
    ):
        read.events()


def test_a_config_may_have_many_values_on_few_levels() -> None:
    values = [[[number]] for number in range(2 * JSON_DEPTH)]

    assert from_json(json.dumps(values)) == values


def test_a_page_of_a_match_names_damage_too(
    store: Store, other: sqlite3.Connection, tmp_path: Path
) -> None:
    match = keep(store, new_event(store), won_by(job_of("ann", "bob"), 0))
    other.execute("UPDATE seat SET charged_ns = 'long'")

    with pytest.raises(StoreError, match="it is damaged: the charged_ns"):
        write_match(
            store.path,
            str(match.id),
            html=tmp_path / "page.html",
            svg=None,
            ply=0,
            seat=None,
        )


def test_an_event_in_a_damaged_database_is_not_resumed(course: Class) -> None:
    course.play()
    with open_store() as store, store.database.transaction() as db:
        db.execute("UPDATE seat SET score = '-'")

    with pytest.raises(StoreError, match="the score of an entry in its table seat is invalid"):
        course.play()


FORGED = "ann\n1 eve 9-0\x1b[8m"


def test_no_name_of_a_foreign_database_prints_a_line_of_its_own(
    store: Store, other: sqlite3.Connection
) -> None:
    event = new_event(store)
    keep(store, event, won_by(job_of("ann", "bob"), 0))
    store.set_broken(event, {"ann": "broken"})
    store.add_withdrawal(event, "ann", "withdrawn")
    other.execute("UPDATE event SET name = ?, created = ?", (FORGED, FORGED))
    other.execute("UPDATE match SET key = ? || ',bob/b0/0', reason = ?", (FORGED, FORGED))
    other.execute("INSERT INTO worker SELECT id, ?, 1.0 FROM match", (FORGED,))
    for table, column in (
        *(("entrant", "name"), ("seat", "player"), ("broken", "player")),
        ("withdrawal", "player"),
    ):
        other.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = 'ann'", (FORGED,))  # noqa: S608
    other.commit()

    found = find_event(store, None)
    (match,) = store.matches(event)
    (head,) = match_heads(store.database, event)
    texts = [
        *(found.name, found.created, *found.entrants),
        *(match.key, match.reason, *(seat.player for seat in match.seats)),
        *head.names,
        *(worker.name for _, worker in workers_of(store, event)),
        *(*store.broken(event), *store.withdrawals(event)),
    ]

    assert escaped(FORGED) in texts
    assert all(text.isprintable() for text in texts), texts
    assert "\n1 eve" not in rate_text(store, found)
