"""Shards of a gate, each in a separate database, and their merge."""

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from events import void
from gating import CONFIG, DB, Gate, Script, by_board, gate_in, wins

from arena.commands.run_event import Run
from arena.commands.run_gate import gate_command
from arena.errors import ArenaError, EventError, StoreError
from arena.gate.merge import merge
from arena.gate.request import GateRequest
from arena.gate.text import verdict_text
from arena.gate.verdict import GateVerdict, verdict_of
from arena.ratings.sprt import GateOutcome
from arena.results.store import EventRow, Store
from referee.job import Job
from referee.records.match_end import MatchEnd
from referee.records.record import Record


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    return gate_in(tmp_path, monkeypatch)


def play_shards(gate: Gate, script: Script, of: int, **options: Any) -> list[Path]:
    """Play all shards of a gate, each in a separate database."""
    paths = [Path(f"{number}.db") for number in range(1, of + 1)]
    for number, path in enumerate(paths, start=1):
        assert gate(script, db=path, shard=f"{number}/{of}", **{"cap": 60, **options}) == 0
    return paths


def test_merged_shards_have_the_verdict_of_the_whole_gate(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    script = by_board("221")
    paths = play_shards(gate, script, 3)
    assert gate(script, cap=60) == 0
    store = Store(DB)
    whole = verdict_of(store, store.events()[0])
    store.close()
    capsys.readouterr()

    merged = merge(paths[::-1], Path("all.db"))

    assert (merged.outcome, merged.tally, merged.llr) == (whole.outcome, whole.tally, whole.llr)
    assert merged.event.name == whole.event.name
    assert merged.played == 60
    assert verdict_text(merged).splitlines()[:8] == verdict_text(whole).splitlines()[:8]


def test_a_shard_plays_all_its_pairs_and_has_no_verdict(
    gate: Gate, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(wins("base"), shard="2/3", cap=60) == 0

    assert capsys.readouterr().out.splitlines() == [
        "shard 2/3 of gate new against base: 20 matches of 20 in arena.db, event 1, seed 1",
        "the verdict on all shards: arena merge DB... --db OUT",
    ]


def test_shards_of_the_same_bot_are_merged_without_a_match(gate: Gate) -> None:
    for number in (1, 2):
        path = Path(f"{number}.db")
        assert gate(wins("new"), "./new", "./twin", db=path, shard=f"{number}/2") == 0

    merged = merge([Path("1.db"), Path("2.db")], Path("all.db"))

    assert (merged.outcome, merged.gate.is_identical, merged.played) == (
        GateOutcome.PASSED,
        True,
        0,
    )


def test_merging_again_changes_nothing(gate: Gate) -> None:
    paths = play_shards(gate, wins("new"), 2)
    out = Path("all.db")

    assert merge(paths, out) == merge(paths, out) == merge(paths[:1], out)
    store = Store(out)
    assert [len(store.keys(event.id)) for event in store.events()] == [60]
    store.close()


def test_all_shards_may_be_in_one_database(gate: Gate) -> None:
    for number in (1, 2):
        gate(wins("new"), shard=f"{number}/2", cap=60)

    assert merge([DB], DB).outcome is GateOutcome.PASSED
    assert merge([DB, DB], DB).outcome is GateOutcome.PASSED


def test_a_missing_shard_is_named_and_merged_later(gate: Gate) -> None:
    paths = play_shards(gate, wins("new"), 2)

    with pytest.raises(EventError, match=r"the shards do not decide the gate:\n  shard 2/2 is not"):
        merge(paths[:1], Path("all.db"))
    assert not Path("all.db").exists()
    assert merge(paths, Path("all.db")).outcome is GateOutcome.PASSED


def test_a_failed_merge_leaves_its_database_as_it_was(gate: Gate) -> None:
    paths = play_shards(gate, wins("new"), 2)
    with closing(Store(Path("all.db"), is_new_allowed=True)) as store:
        store.add_event("other", 1, {}, {})

    with pytest.raises(EventError):
        merge(paths[:1], Path("all.db"))

    with closing(Store(Path("all.db"))) as store:
        assert [event.name for event in store.events()] == ["other"]


def test_a_merge_is_one_transaction_without_files_of_its_own(
    gate: Gate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, out = play_shards(gate, wins("new"), 2), Path("all.db")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    seen = []

    def look(target: Store, event: EventRow) -> GateVerdict:
        """See what a kill would leave when all is written and nothing decided."""
        with closing(Store(out)) as other:
            seen.append((list(temporary.iterdir()), len(other.events())))
        return verdict_of(target, event)

    monkeypatch.setattr("arena.gate.merge.verdict_of", look)

    assert merge(paths, out).outcome is GateOutcome.PASSED
    assert seen == [([], 0)]
    with closing(Store(out)) as whole:
        assert len(whole.events()) == 1


def test_a_void_pair_of_a_shard_is_left_out_of_the_merged_gate(gate: Gate) -> None:
    script, broken = wins("new"), "new,base/b2/0"
    paths = [Path("1.db"), Path("2.db")]

    codes = [
        gate(
            lambda job: void(job) if job.key == broken else script(job),
            db=path,
            shard=f"{number}/2",
            cap=60,
        )
        for number, path in enumerate(paths, start=1)
    ]

    merged = merge(paths, Path("all.db"))
    assert codes == [5, 0]
    assert (merged.outcome, merged.tally.void_pairs) == (GateOutcome.PASSED, 1)


def test_an_interrupted_shard_is_named_with_its_missing_matches(gate: Gate) -> None:
    script = wins("new")

    def interrupt(job: Job) -> MatchEnd:
        os.kill(os.getpid(), signal.SIGINT)
        return script(job)

    assert gate(script, db=Path("1.db"), shard="1/2", cap=60) == 0
    assert gate(interrupt, db=Path("2.db"), shard="2/2", cap=60) == 130

    with pytest.raises(EventError, match=r"shard 2/2 \(event 1 in 2\.db\): \d+ matches of 30 mis"):
        merge([Path("1.db"), Path("2.db")], Path("all.db"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"seed": 2}, "no shard of gate-new"),
        ({"elo0": -60}, "no shard of gate-new"),
        ({"cap": 80}, "gate.cap: 60 -> 80"),
        ({"openings": "6"}, "no shard of gate-new"),
    ],
)
def test_shards_of_different_gates_are_refused(
    gate: Gate, options: dict[str, Any], says: str
) -> None:
    gate(wins("new"), db=Path("1.db"), shard="1/2", cap=60)
    gate(wins("new"), db=Path("2.db"), shard="2/2", **{"cap": 60, **options})

    with pytest.raises(EventError, match=says):
        merge([Path("1.db"), Path("2.db")], Path("all.db"))


def test_a_shard_of_a_changed_bot_is_refused(gate: Gate) -> None:
    gate(wins("new"), db=Path("0.db"), cap=60)
    Path("gate.yaml").write_text(CONFIG)
    for number in (1, 2):
        given = GateRequest()
        path = Path(f"{number}.db")
        gate_command(("gate.yaml",), None, given, f"{number}/2", Run(db=path))
        Path("new/bot").write_text("#!/bin/sh\n# newer\n")

    with pytest.raises(EventError, match=r"bots\.new: its files or arguments differ"):
        merge([Path("1.db"), Path("2.db")], Path("all.db"))


def test_the_same_shard_twice_is_refused(gate: Gate) -> None:
    for path in ("1.db", "2.db"):
        gate(wins("new"), db=Path(path), shard="1/2", cap=60)

    with pytest.raises(EventError, match="are the same part of the gate"):
        merge([Path("1.db"), Path("2.db")], Path("all.db"))


def test_shards_of_another_number_are_refused(gate: Gate) -> None:
    gate(wins("new"), db=Path("1.db"), shard="1/2", cap=60)
    gate(wins("new"), db=Path("2.db"), shard="2/3", cap=60)

    with pytest.raises(EventError, match="shards: 2 -> 3"):
        merge([Path("1.db"), Path("2.db")], Path("all.db"))


def test_a_loop_of_links_is_no_shard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("1.db").symlink_to("1.db")

    with pytest.raises(StoreError, match="a link to a missing file"):
        merge([Path("1.db")], Path("all.db"))


def test_a_database_without_shards_is_refused(gate: Gate) -> None:
    gate(wins("new"), cap=60)

    with pytest.raises(EventError, match="no shard of a gate is in"):
        merge([DB], Path("all.db"))


@pytest.mark.parametrize(
    ("forged", "says"),
    [
        ("UPDATE event SET config = '0'", "the config of an entry in its table event"),
        ("UPDATE event SET config = json_set(config, '$.shard', 5)", '--shard is i/n, .* not "5"'),
        ("DELETE FROM entrant", "match 1 is damaged: it is none of this gate"),
        ("UPDATE entrant SET name = name || 'x'", "match 1 is damaged: it is none of this gate"),
        ("UPDATE match SET key = key || 'x'", "match 1 is damaged: it is none of this gate"),
    ],
)
def test_a_damaged_shard_is_no_internal_error(gate: Gate, forged: str, says: str) -> None:
    assert gate(wins("new"), db=Path("1.db"), shard="1/2", cap=20) == 0
    with closing(sqlite3.connect("1.db")) as other:
        other.execute(forged)
        other.commit()

    with pytest.raises(ArenaError, match=says):
        merge([Path("1.db")], Path("all.db"))


def test_a_damaged_target_is_named_and_left_as_it_was(gate: Gate) -> None:
    paths, out = play_shards(gate, wins("new"), 2), Path("all.db")
    merge(paths, out)
    with closing(sqlite3.connect(out)) as other:
        other.execute("UPDATE event SET seed = 'many'")
        other.commit()
    before = out.read_bytes()

    with pytest.raises(StoreError, match=r"all\.db: it is damaged: the seed of an entry"):
        merge(paths, out)
    assert out.read_bytes() == before

    out.write_text("no database")
    with pytest.raises(StoreError, match=r"all\.db"):
        merge(paths, out)


def test_the_name_of_a_forged_bot_is_no_line_of_a_log(gate: Gate) -> None:
    assert gate(wins("new"), db=Path("1.db"), shard="1/1", cap=20) == 0
    with closing(Store(Path("1.db"))) as store, store.database.transaction() as db:
        for table, part in (("entrant", "name"), ("match", "key")):
            db.execute(f"UPDATE {table} SET {part} = replace({part}, 'new', '\n::error::')")  # noqa: S608
        for row in store.matches(1):
            fields = json.dumps(store.record(row.id).to_json())
            record = Record.from_json(json.loads(fields.replace('"new', '"\\n::error::')))
            body = record.finished().body
            db.execute("UPDATE record SET body = ? WHERE match = ?", (body, row.id))

    with pytest.raises(StoreError, match="match 1 is damaged: it is none of this gate"):
        merge([Path("1.db")], Path("all.db"))
