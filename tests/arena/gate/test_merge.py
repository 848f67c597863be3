"""Merged shards, from databases without played matches."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from events import job_of, won_by

from arena.config.event import Config
from arena.config.loading import make_config
from arena.errors import EventError, StoreError
from arena.gate.gate import gate_of
from arena.gate.merge import merge
from arena.gate.request import shard_of
from arena.gate.schedule import Shard, matches_of
from arena.gate.verdict import GateVerdict
from arena.ratings.sprt import GateOutcome
from arena.results.store import EventRow, Store
from arena.results.voids import VoidRow, add_void, void_body
from arena.schedule.pairing import Pairing
from referee.records.result import Finished

NAMES = ("greedy", "random")
BOTS = dict.fromkeys(NAMES, "") | {name: f"content of {name}" for name in NAMES}
ONE, TWO, ALL = Path("1.db"), Path("2.db"), Path("all.db")
Left = Callable[[Pairing], bool]


@pytest.fixture(autouse=True)
def _in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@cache
def config(*, name: str = "g", seed: int = 1, **rule: Any) -> Config:
    terms = {"cap": 20, "elo0": -400, "elo1": 0, **rule}
    values = {"name": name, "game": {"name": "pente"}, "bots": NAMES, "gate": terms, "seed": seed}
    return make_config({**values, "format": "gate"}, folder=Path(), origin="g.yaml")


@cache
def match_of(pairing: Pairing, winner: str) -> Finished:
    job = job_of(*pairing.players)
    made = won_by(replace(job, key="/".join(pairing.players)), job.names().index(winner))
    return replace(made, job=replace(job, key=pairing.key)).finished()


def none(_: Pairing) -> bool:
    return False


def play(
    path: Path,
    shard: str = "1/2",
    left: Left = none,
    bots: dict[str, str] = BOTS,
    winner: str = "greedy",
    **terms: Any,
) -> int:
    """Write a shard with all matches but those left out; return the number of its event."""
    part = Shard.parse(shard)
    event_config = shard_of(config(**terms), part)
    with closing(Store(path, is_new_allowed=True)) as store, store.database.transaction():
        event = store.add_event(event_config.name, terms.get("seed", 1), event_config.form(), bots)
        for pairing in matches_of(part.part(gate_of(event_config, bots).pairs)):
            if not left(pairing):
                add(store, event, pairing, match_of(pairing, winner))
    return event


def add(store: Store, event: int, pairing: Pairing, match: Finished) -> None:
    board, variant = pairing.board, pairing.variant
    store.add_match(event, board=board, variant=variant, attempt=1, match=match)


def played(*paths: Path) -> list[Path]:
    """Write the two shards of a gate."""
    for number, path in enumerate(paths, start=1):
        play(path, f"{number}/2")
    return [*paths]


def events_of(path: Path) -> Sequence[EventRow]:
    with closing(Store(path)) as store:
        return store.events()


def refusal(*paths: Path) -> str:
    """Return the reason why these files are not merged; the target does not exist after it."""
    with pytest.raises(EventError) as refused:
        merge(paths, ALL)
    assert not ALL.exists()
    return str(refused.value)


def essence(verdict: GateVerdict) -> tuple[Any, ...]:
    return verdict.outcome, verdict.tally, verdict.played, verdict.event.id


def test_the_merged_event_is_the_whole_gate_with_every_match() -> None:
    verdict = merge(played(ONE, TWO), ALL)

    whole = config()
    assert essence(verdict)[::2] == (GateOutcome.PASSED, 20)
    (event,) = events_of(ALL)
    assert (event.name, event.seed, dict(event.entrants)) == ("g", 1, BOTS)
    assert event.config == json.loads(json.dumps(whole.form()))
    with closing(Store(ALL)) as store:
        rows = {row.key: row for row in store.matches(event.id)}
        pairings = matches_of(gate_of(whole, BOTS).pairs)
        assert rows.keys() == {pairing.key for pairing in pairings}
        for pairing in pairings:
            row = rows[pairing.key]
            assert (row.board, row.variant) == (pairing.board, pairing.variant)
            assert store.record(row.id).job.key == pairing.key


def test_the_order_of_the_files_and_links_to_them_change_nothing() -> None:
    paths = played(ONE, TWO)
    Path("link.db").symlink_to(TWO)
    straight = merge(paths, ALL)

    for number, names in enumerate(("2.db", "1.db"), start=1):
        order = [Path(names), *paths, Path("link.db")]
        again = merge(order, Path(f"again{number}.db"))
        assert essence(again) == essence(straight)


def test_a_file_given_twice_keeps_its_first_name_and_place() -> None:
    link = Path("link.db")
    link.symlink_to(ONE)
    for path in (ONE, TWO):
        play(path, "1/2")

    assert "shard 1/2 (event 1 in link.db) and shard 1/2 (event 1 in 2.db)" in refusal(
        link, TWO, ONE
    )
    assert "shard 1/2 (event 1 in 1.db) and shard 1/2 (event 1 in 2.db)" in refusal(
        ONE, link, TWO, link
    )


def test_missing_shards_and_matches_are_named() -> None:
    play(ONE, "2/3", lambda pairing: pairing.board == 1)
    play(TWO, "3/3", lambda pairing: pairing.key.endswith("b2/0") and pairing.players == NAMES)

    again = "run the command of this shard again, without --new"
    assert refusal(TWO, ONE).splitlines() == [
        "the shards do not decide the gate:",
        "  shard 1/3 is not among the databases",
        f"  shard 2/3 (event 1 in 1.db): 2 matches of 6 missing; {again}",
        f"  shard 3/3 (event 1 in 2.db): 1 match of 6 missing; {again}",
    ]


def test_the_only_shard_that_is_there_says_which_are_not() -> None:
    play(ONE, "1/2")

    assert refusal(ONE).splitlines()[1:] == ["  shard 2/2 is not among the databases"]


def test_a_decided_gate_needs_no_further_shard() -> None:
    play(ONE, "1/2", cap=40, elo0=-800)
    play(TWO, "2/2", lambda pairing: pairing.board > 20, cap=40, elo0=-800)

    assert merge([ONE, TWO], ALL).outcome is GateOutcome.PASSED


@pytest.mark.parametrize(
    ("shard", "terms", "change"),
    [
        ("2/2", {"cap": 22}, "gate.cap: 20 -> 22"),
        ("2/2", {"cap": 24}, "gate.cap: 20 -> 24"),
        ("2/2", {"elo0": -300}, "gate.elo0: -400.0 -> -300.0"),
        ("2/3", {}, "shards: 2 -> 3"),
        ("2/3", {"cap": 24}, "shards: 2 -> 3\n  gate.cap: 20 -> 24"),
        (
            "2/2",
            {"bots": {**BOTS, "random": "other"}},
            "bots.random: its files or arguments differ",
        ),
        (
            "2/2",
            {"bots": {**BOTS, "greedy": "other"}},
            "bots.greedy: its files or arguments differ",
        ),
    ],
)
def test_shards_of_different_gates_are_refused_with_the_difference(
    shard: str, terms: dict[str, Any], change: str
) -> None:
    play(ONE)
    play(TWO, shard, **terms)

    parts = f"shard 1/2 (event 1 in 1.db) and shard {shard} (event 1 in 2.db)"
    assert refusal(ONE, TWO) == f"{parts} belong to different gates:\n  {change}"


def test_a_smaller_cap_of_a_later_shard_is_refused_too() -> None:
    play(ONE, cap=24)
    play(TWO, "2/2")

    assert refusal(ONE, TWO).endswith("\n  gate.cap: 24 -> 20")


def test_every_shard_is_compared_with_the_first() -> None:
    for number, cap in enumerate((20, 20, 24), start=1):
        play(Path(f"{number}.db"), f"{number}/3", cap=cap)

    assert "shard 1/3 (event 1 in 1.db) and shard 3/3" in refusal(ONE, TWO, Path("3.db"))


def test_the_same_shard_in_two_files_is_refused() -> None:
    for path in (ONE, TWO):
        play(path, "2/2")

    assert refusal(ONE, TWO) == (
        "shard 2/2 (event 1 in 1.db) and shard 2/2 (event 1 in 2.db) are the same part of the"
        " gate; name one of them"
    )


def test_a_file_without_a_shard_of_the_gate_is_named() -> None:
    play(ONE)
    play(TWO, "2/2", name="other")
    assert refusal(ONE, TWO) == "2.db: it has no shard of g"
    assert refusal(TWO, ONE) == "1.db: it has no shard of other"


def test_files_without_any_shard_are_named() -> None:
    for path in (ONE, TWO):
        with closing(Store(path, is_new_allowed=True)) as store:
            store.add_event("cup", 1, {"name": "cup"}, BOTS)

    assert refusal(ONE, TWO) == (
        "no shard of a gate is in 1.db, 2.db; `arena gate --shard 1/2` plays one"
    )


def test_the_newest_gate_and_the_newest_event_of_each_of_its_shards_count() -> None:
    play(ONE, "1/2", name="old")
    play(ONE, "1/2", none, BOTS, "random")
    play(ONE, "2/2")
    play(ONE, "1/2")
    with closing(Store(TWO, is_new_allowed=True)) as store:
        store.add_event("cup", 1, {"name": "cup"}, BOTS)

    assert essence(merge([ONE], ALL)) == essence(merge(played(TWO, Path("3.db")), Path("b.db")))
    assert [event.name for event in events_of(ALL)] == ["g"]


def test_the_gate_is_that_of_the_first_file_with_a_shard() -> None:
    with closing(Store(ALL, is_new_allowed=True)) as store:
        store.add_event("cup", 1, {"name": "cup"}, BOTS)
    play(ONE, "1/1")

    with pytest.raises(EventError, match=r"^all\.db: it has no shard of g$"):
        merge([ALL, ONE], Path("b.db"))


@pytest.mark.parametrize(
    ("terms", "events"),
    [
        ({}, 1),
        ({"bots": {**BOTS, "random": "newer"}}, 2),
        ({"elo0": -300}, 2),
        ({"name": "another"}, 2),
    ],
)
def test_another_merge_continues_the_same_gate_and_begins_another_one(
    terms: dict[str, Any], events: int
) -> None:
    first = merge(played(ONE, TWO), ALL)
    for number in (1, 2):
        play(Path("later.db"), f"{number}/2", **terms)

    later = merge([Path("later.db")], ALL)

    assert (later.outcome, later.played) == (first.outcome, first.played)
    assert later.event.id == events
    assert len(events_of(ALL)) == events


def test_a_merge_continues_its_gate_after_that_of_another_one() -> None:
    paths = played(ONE, TWO)
    for name in ("g", "another"):
        for number in (1, 2):
            play(Path(f"{name}.db"), f"{number}/2", name=name)
        merge([Path(f"{name}.db")], ALL)

    assert merge(paths, ALL).event.id == 1
    assert [event.name for event in events_of(ALL)] == ["g", "another"]


def test_voids_are_copied_once_with_their_records() -> None:
    paths = played(ONE, TWO)
    (lost, *_) = matches_of(Shard(1, 2).part(gate_of(config(), BOTS).pairs))
    with closing(Store(ONE)) as store:
        for attempt, record in ((1, b"first"), (2, b"")):
            add_void(store.database, 1, VoidRow(lost.key, attempt, "why", "random"), record)

    for _ in range(2):
        merge(paths, ALL)

    with closing(Store(ALL)) as store:
        rows = store.voids(1)
        assert [(row.key, row.attempt, row.reason, row.suspect) for row in rows] == [
            (lost.key, 1, "why", "random"),
            (lost.key, 2, "why", "random"),
        ]
        assert [void_body(store.database, row.number) for row in rows] == [b"first", b""]


@pytest.mark.parametrize(
    ("key", "kept", "players"),
    [
        ("greedy,random/b99/0", "greedy,random/b0/0", NAMES),
        ("greedy,greedy/b0/0", "greedy,greedy/b0/0", ("greedy", "greedy")),
        ("greedy,eve/b0/0", "greedy,eve/b0/0", ("greedy", "eve")),
    ],
)
def test_a_match_of_no_pair_of_the_bots_is_damage(
    key: str, kept: str, players: tuple[str, str]
) -> None:
    first = matches_of(gate_of(config(), BOTS).pairs)[0]
    event = play(ONE, "1/1", lambda pairing: pairing == first)
    with closing(Store(ONE)) as store:
        job = job_of(*players, key=kept)
        add(store, event, first, replace(won_by(job, 0).finished(), key=key))
        (*_, last) = store.matches(event)

    said = rf"^1\.db: match {last.id} is damaged: it is none of this gate$"
    with pytest.raises(StoreError, match=said):
        merge([ONE], ALL)
    assert not ALL.exists()


def test_an_error_of_a_damaged_file_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = played(ONE, TWO)
    merge(paths, ALL)
    for path in (TWO, ALL):
        with closing(Store(path)) as store, store.database.transaction() as db:
            kept = store.events()[0].seed
            db.execute("UPDATE event SET seed = 'many'")
        with pytest.raises(StoreError, match=rf"^{path}: it is damaged: the seed of"):
            merge(paths, ALL)
        with closing(Store(path)) as store, store.database.transaction() as db:
            db.execute("UPDATE event SET seed = ?", (str(kept),))

    def fail(*_: object) -> None:
        raise KeyError("of Arena")

    monkeypatch.setattr("arena.gate.merge.verdict_of", fail)
    for out in (ALL, Path("new.db")):
        with pytest.raises(KeyError, match="of Arena"):
            merge(paths, out)
