"""Isolation of an event's bots by config and machine, and its report."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from arena.config.event import Config
from arena.config.loading import make_config
from arena.config.same_event import conflicts
from arena.errors import ConfigError, IsolationError, MachineError
from arena.machine import tier_choice
from arena.machine.tier_choice import best_tier, isolated
from referee.job import Player
from referee.sandbox import TIERS, Tier, TierFinding

MISSING = "bubblewrap is not installed"


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> dict[Tier, str]:
    """Yield the refusals of the machine, to be filled in."""
    refused: dict[Tier, str] = {}

    def found(*, has_tcp: bool) -> TierFinding:
        del has_tcp
        best = next(tier for tier in TIERS if tier not in refused)
        return TierFinding(tier=best, refusals=dict(refused))

    monkeypatch.setattr(tier_choice, "find_tier", found)
    return refused


def config(folder: Path, *bots: Mapping[str, Any], **more: Any) -> Config:
    for name in ("ann", "bob"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "bot.yaml").write_text("run: [./bot]\n")
    given = tuple(
        {"bot": f"./{name}", **terms}
        for name, terms in zip(("ann", "bob"), (*bots, {}, {}), strict=False)
    )
    values = {"name": "cup", "game": {"name": "pente"}, "bots": given, **more}
    return make_config(values, folder=folder, origin="cup.yaml")


PLAYERS = {
    name: Player(name=name, argv=("./bot",), folder="/", content=name) for name in ("ann", "bob")
}


def test_a_machine_without_resources_is_at_fault_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: object) -> None:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    monkeypatch.setattr(tier_choice, "find_tier", fail)

    with pytest.raises(MachineError, match=os.strerror(errno.EMFILE)):
        best_tier()


def test_bots_get_the_best_tier_and_one_line_names_it(
    machine: dict[Tier, str], tmp_path: Path
) -> None:
    assert machine == {}
    placed, said = isolated(config(tmp_path), PLAYERS, tmp_path / "arena.db")

    assert {player.tier for player in placed.values()} == {"namespaces"}
    assert said == "isolation: namespaces by bubblewrap"


@pytest.mark.parametrize(
    ("can_set", "more", "count"),
    [
        (False, {"time": {"ponder": True}}, 1),
        (True, {"time": {"ponder": True}}, 0),
        (False, {"time": {"ponder": True}, "isolation": "none"}, 0),  # bots of this user
        (False, {}, 0),
    ],
)
def test_one_line_says_that_bots_ponder_on_shared_cores(
    machine: dict[Tier, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    can_set: bool,
    more: dict[str, Any],
    count: int,
) -> None:
    assert machine == {}
    monkeypatch.setattr(tier_choice, "can_set_cores", lambda: can_set)

    _, said = isolated(config(tmp_path, cores=2, **more), PLAYERS, tmp_path / "arena.db")

    assert said.count("share cores") == count
    assert len(said.splitlines()) == 1 + count


def test_a_refused_tier_is_a_warning_with_reason_and_cure(
    machine: dict[Tier, str], tmp_path: Path
) -> None:
    machine["namespaces"] = MISSING

    placed, said = isolated(config(tmp_path), PLAYERS, tmp_path / "arena.db")

    assert {player.tier for player in placed.values()} == {"landlock"}
    first, second, third = said.splitlines()
    assert first == "isolation: REDUCED: Landlock and seccomp"
    assert second == "isolation: namespaces by bubblewrap: bubblewrap is not installed"
    assert third.startswith("isolation: cure: ")


def test_isolation_that_is_required_is_the_best_or_an_error(
    machine: dict[Tier, str], tmp_path: Path
) -> None:
    required = config(tmp_path, {}, {"isolation": "require"})
    isolated(required, PLAYERS, tmp_path / "arena.db")
    machine["namespaces"] = MISSING

    with pytest.raises(IsolationError, match="required for bob, and this machine") as caught:
        isolated(required, PLAYERS, tmp_path / "arena.db")

    assert caught.value.exit_code == 2
    assert "cure: " in str(caught.value)


@pytest.mark.usefixtures("machine")
def test_required_isolation_has_no_tcp_since_a_port_is_that_of_all_addresses(
    tmp_path: Path,
) -> None:
    required = config(tmp_path, {"isolation": "require"}, transport="tcp")
    isolated(config(tmp_path, transport="tcp"), PLAYERS, tmp_path / "arena.db")

    with pytest.raises(IsolationError, match=r"for ann, and with transport: tcp .* other machines"):
        isolated(required, PLAYERS, tmp_path / "arena.db")


def test_isolation_of_a_bot_overrides_that_of_the_event(
    machine: dict[Tier, str], tmp_path: Path
) -> None:
    assert machine == {}
    mixed = config(tmp_path, {"isolation": "none"})

    placed, said = isolated(mixed, PLAYERS, tmp_path / "arena.db")

    assert (placed["ann"].tier, placed["bob"].tier) == ("none", "namespaces")
    assert said == "isolation: none for ann; namespaces by bubblewrap for bob"


def test_without_isolation_no_tier_is_tried(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tier_choice, "best_tier", None)

    placed, said = isolated(config(tmp_path, isolation="none"), PLAYERS, tmp_path / "arena.db")

    assert {player.tier for player in placed.values()} == {"none"}
    assert said == "isolation: none"


def test_a_lasting_folder_is_beside_the_database_and_only_on_request(
    machine: dict[Tier, str], tmp_path: Path
) -> None:
    assert machine == {}
    learning = config(tmp_path, {"scratch": "keep"})

    placed, _ = isolated(learning, PLAYERS, tmp_path / "arena.db")

    assert placed["ann"].scratch == str(tmp_path.resolve() / "arena.db.scratch" / "ann")
    assert placed["bob"].scratch is None


def test_an_event_resumes_with_other_isolation_but_not_with_other_scratch(tmp_path: Path) -> None:
    begun = config(tmp_path, isolation="none")
    tighter = config(tmp_path, {"isolation": "require"}, isolation="auto")
    learning = config(tmp_path, {"scratch": "keep"}, limits={"disk": "1MB"})

    assert conflicts(begun, tighter) == []
    assert conflicts(begun, learning) == [
        "bots.ann.scratch: none -> keep",
        "limits.disk: 64MB -> 1MB",
    ]


@pytest.mark.parametrize("path", ["/", "all", "/home", "no-such-folder", "/proc/self/root"])
def test_an_installation_in_a_private_folder_is_an_error_of_the_config(
    tmp_path: Path, path: str
) -> None:
    (tmp_path / "all").symlink_to("/")

    with pytest.raises(ConfigError, match=r"installations\[0\]"):
        config(tmp_path, installations=(path,))


def test_visible_installations_may_change_between_runs(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    before = config(tmp_path)
    after = config(tmp_path, installations=("tools",), build_network="allow")

    assert conflicts(before, after) == []
