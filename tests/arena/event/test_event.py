"""Starting and resuming an event: allowed and refused changes."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from events import job_of, keep, player, won_by

from arena.bots import shipped
from arena.config.event import Config
from arena.config.loading import load_config
from arena.errors import DiskError, EventError
from arena.event.resume.held_event import held_event
from arena.results.store import EventRow, Store
from referee.job import Player

NAMES = ("ann", "bob", "cat")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in NAMES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "bot.yaml").write_text("run: [./bot]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def config_of(*names: str, more: str = "") -> Config:
    bots = ", ".join(f"./{name}" for name in names or NAMES[:2])
    text = f"name: cup\ngame: {{name: pente}}\nbots: [{bots}]\n{more}"
    Path("cup.yaml").write_text(text)
    return load_config("cup.yaml")


def players(*names: str) -> dict[str, Player]:
    return {name: player(name) for name in names or NAMES[:2]}


def held(
    store: Store, config: Config, given: Mapping[str, Player] | None = None, *, is_new: bool = False
) -> EventRow:
    """Hold the event for a moment."""
    names = [entrant.name for entrant in config.bots]
    with held_event(store, config, given or players(*names), is_new=is_new) as event:
        return event


def begun(store: Store, config: Config) -> EventRow:
    """Return the event of the config with one match played."""
    event = held(store, config)
    keep(store, event.id, won_by(job_of("ann", "bob"), 0))
    return event


def objection(store: Store, config: Config, given: Mapping[str, Player] | None = None) -> list[str]:
    before = store.events()
    with pytest.raises(EventError) as caught:
        held(store, config, given)
    assert store.events() == before
    first, *changes, last = str(caught.value).splitlines()
    assert first == f"event 1 (cup) in {store.path} was begun differently:"
    assert last == "restore this to resume it, or start over with --new (finished matches are kept)"
    return [change.strip() for change in changes]


def test_a_new_event_keeps_its_config_and_entrants(store: Store) -> None:
    event = held(store, config_of(more="seed: 5\n"))

    assert (event.id, event.name, event.seed) == (1, "cup", 5)
    assert event.config["game"]["name"] == "pente"
    assert event.config["seed"] == 5
    assert event.entrants == {"ann": "content of ann", "bob": "content of bob"}


def test_a_missing_seed_is_drawn_once_and_kept(store: Store) -> None:
    config = config_of()

    drawn = begun(store, config).seed

    assert 2**64 < drawn < 2**128  # all but surely
    assert held(store, config).seed == drawn
    assert store.latest_event("cup") == held(store, config)


def test_the_same_config_resumes_and_new_starts_another_event(store: Store) -> None:
    config = config_of()
    begun(store, config)

    assert held(store, config).id == 1
    assert held(store, config, is_new=True).id == 2
    assert held(store, config).id == 2
    assert store.keys(1) == {"ann,bob/b0/0"}


def test_bots_may_be_added_at_the_end(store: Store) -> None:
    begun(store, config_of())

    event = held(store, config_of(*NAMES))

    assert event.id == 1
    assert list(event.entrants) == list(NAMES)
    assert [bot["name"] for bot in event.config["bots"]] == list(NAMES)


def test_repeat_and_boards_may_grow(store: Store) -> None:
    begun(store, config_of(more="repeat: 2\n"))

    event = held(store, config_of(more="repeat: 4\nboards: 3\n"))

    assert (event.id, event.config["repeat"], event.config["boards"]) == (1, 4, 3)
    assert objection(store, config_of(more="repeat: 2\nboards: 3\n")) == ["repeat: 4 -> 2"]


def test_machine_settings_may_change(store: Store) -> None:
    begun(store, config_of(more="slots: 1\n"))

    event = held(store, config_of(more="slots: 2\npin: none\nbonus: {ann: 0.1}\n"))

    assert (event.id, event.config["slots"], event.config["pin"]) == (1, 2, "none")


@pytest.mark.parametrize(
    ("more", "change"),
    [
        ("time: {per_move: 1s}\n", "time.per_move: 2s -> 1s"),
        ("claims: required\n", "claims: checked -> required"),
        ("seed: 1\n", None),
        ("withdraw_after: 5\n", "withdraw_after: 3 -> 5"),
        ("limits: {memory: 1GB}\n", "limits.memory: 512MB -> 1GB"),
    ],
)
def test_changes_that_make_matches_incomparable_are_refused(
    store: Store, more: str, change: str | None
) -> None:
    event = begun(store, config_of())

    changes = objection(store, config_of(more=more))

    assert changes == [change or "seed: a random one -> 1"]
    assert str(event.seed) not in str(changes)


def test_a_removed_or_changed_bot_is_refused(store: Store) -> None:
    begun(store, config_of(*NAMES))

    assert objection(store, config_of("ann", "bob")) == ["bots: cat is gone"]
    changed = {**players(*NAMES), "bob": player("robert")}
    says = "bots.bob: its files or arguments have changed"
    assert objection(store, config_of(*NAMES), changed) == [says]


def test_a_change_of_arenas_own_files_in_a_bot_is_reported_as_such(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kit = tmp_path / "sdk/arena_bot.py"
    kit.parent.mkdir()
    monkeypatch.setattr(shipped, "shipped_sources", lambda: (kit.parent,))
    Path("bob/bot.yaml").write_text("run: [./bot]\nfiles: [../sdk/arena_bot.py]\n")
    kit.write_text("old")
    begun(store, config_of())
    changed = {**players(), "bob": player("robert")}

    kit.write_text("new")
    with pytest.raises(EventError) as caught:
        held(store, config_of(), changed)

    assert (
        "bots.bob: its files or arguments have changed, with Arena's own files in it (kit, bridge)"
        in str(caught.value)
    )
    assert "the version that began the event resumes it as before" in str(caught.value)
    kit.write_text("old")
    assert objection(store, config_of(), changed) == [
        "bots.bob: its files or arguments have changed"
    ]


def test_all_changes_are_reported_together(store: Store) -> None:
    begun(store, config_of(*NAMES))

    changes = objection(store, config_of("ann", "bob", more="claims: required\n"))

    assert changes == ["bots: cat is gone", "claims: checked -> required"]


def test_a_skipped_bot_stays_an_entrant(store: Store) -> None:
    config = config_of(*NAMES)
    begun(store, config)

    event = held(store, config, players("ann", "bob"))

    assert list(event.entrants) == list(NAMES)


def test_an_event_without_matches_may_change_freely(store: Store) -> None:
    held(store, config_of(*NAMES, more="seed: 1\n"))

    event = held(store, config_of("bob", "ann", more="seed: 2\nclaims: required\n"))

    assert (event.id, event.seed, event.config["claims"]) == (1, 2, "required")
    assert list(event.entrants) == ["bob", "ann"]


def test_an_event_names_its_director_only_while_it_runs(store: Store) -> None:
    config = config_of()

    with held_event(store, config, players(), is_new=False) as event:
        assert (store.director(event.id) or "").startswith("process ")

    assert store.director(event.id) is None


def test_a_lock_file_that_cannot_be_opened_is_reported(store: Store) -> None:
    Path(f"{store.path}.lock").mkdir()

    with pytest.raises(EventError, match=r"arena\.db\.lock: Is a directory"):
        held(store, config_of())


def test_a_full_disk_for_the_lock_is_an_error_of_the_disk(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    config = config_of()
    monkeypatch.setattr(os, "open", full)

    with pytest.raises(DiskError, match=r"arena\.db\.lock: the disk is full; make room"):
        held(store, config)
