"""What a build finds of the builds before it, and leaves for those after it."""

import fcntl
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from builds import Build, bot

from arena.bots import building, workshops
from referee.sandbox import Tier


@pytest.fixture
def starter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the shipped starters by one in the language of this file."""
    root = tmp_path / "arena"
    script = "date +%N >> $HOME/fetched; echo spoilt > $HOME/spoilt"
    path = bot(root / "bots" / "starter" / "sh", script, **{"Cargo.toml": "[fetch]"}).path
    monkeypatch.setattr(building, "data_root", lambda: root)
    monkeypatch.setattr(building, "shipped_bots", lambda: {"starter/sh": path})
    return path


def test_the_first_build_finds_the_packages_of_the_starter_of_its_language(
    build: Build, tier: Tier, starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tier
    assert starter.exists()
    script = "cat $HOME/fetched > out; echo mine >> $HOME/fetched; true"
    one = build(script, "one", language="sh", **{"Cargo.toml": "[mine]"})
    two = build(script, "two", language="sh", **{"Cargo.toml": ""})
    again = build(script, "one", language="sh", **{"Cargo.toml": "[changed]"})

    fetched = (one.folder / "out").read_text()
    assert fetched.strip().isdecimal()
    assert (two.folder / "out").read_text() == fetched
    assert (again.folder / "out").read_text() == f"{fetched}mine\n"
    said = capsys.readouterr().err
    assert said.count("built in") == 4  # the starter once
    assert said.count("one needs the packages of sh, which are fetched once\n") == 1
    assert said.count("fetched once") == 1


@pytest.mark.parametrize(
    ("language", "sources"),
    [("awk", {"Cargo.toml": ""}), (None, {"Cargo.toml": ""}), ("sh", {"pom.xml": ""}), ("sh", {})],
)
def test_a_bot_of_another_language_or_without_packages_starts_with_an_empty_cache(
    build: Build, tier: Tier, starter: Path, language: str | None, sources: dict[str, str]
) -> None:
    assert tier
    assert starter.exists()
    made = build("ls $HOME > out", language=language, **sources)

    assert (made.folder / "out").read_text() == ""


def test_a_bot_is_built_although_the_packages_of_the_starter_are_missing(
    build: Build, tier: Tier, starter: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert tier
    bot(starter.parent, "exit 3", **{"Cargo.toml": "[fetch]"})

    build("true", language="sh", **{"Cargo.toml": ""})

    assert "mine: packages were not fetched, since" in capsys.readouterr().err


def test_links_left_by_a_build_are_not_followed(
    build: Build, tier: Tier, secret: Path, cache: Path
) -> None:
    assert tier
    plant = f"rm -rf target src main.txt; ln -s {secret.parent} target; ln -s {secret.parent} src"
    build(f"{plant}; ln -s {secret} main.txt; mkfifo pipe", "evil", **{"Cargo.toml": ""})
    made = build(
        "true", "evil", **{"Cargo.toml": "", "src/plan.txt": "spoilt", "main.txt": "spoilt"}
    )

    assert secret.read_text() == "open with e4"
    assert (made.folder / "src" / "plan.txt").read_text() == "spoilt"
    assert not (made.folder / "target").exists()
    left = [path for path in cache.rglob("*") if path.is_fifo()]
    assert left == []


def test_a_build_finds_the_cache_of_the_last_one(build: Build, tier: Tier) -> None:
    assert tier
    first = "mkdir target; echo made > target/part; echo kept > $HOME/cache"
    build(first, **{"Cargo.toml": ""})
    made = build("cat target/part $HOME/cache > found", **{"Cargo.toml": "changed"})

    assert (made.folder / "found").read_text() == "made\nkept\n"


def test_caches_of_bots_long_unused_are_removed(
    build: Build, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workshops, "MAX_WORKSHOPS", 2)
    for name in ("one", "two", "three"):
        build("true", name)

    shops = [path for path in (cache.parent / "builds").iterdir() if path.is_dir()]
    assert len(shops) == 2


def test_caches_that_fill_the_disk_are_removed_for_the_next_build_the_largest_first(
    build: Build, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def usage(_: object) -> SimpleNamespace:
        return SimpleNamespace(free=0 if any(shops.rglob("large")) else workshops.ROOM)

    shops = cache.parent / "builds"
    build("echo made > $HOME/small", "small")
    build("head -c 9000 /dev/zero > $HOME/large", "large")
    monkeypatch.setattr(shutil, "disk_usage", usage)

    build("true", "next")

    assert [path.read_text() for path in shops.rglob("small")] == ["made\n"]
    assert len([path for path in shops.iterdir() if path.is_dir()]) == 2


def test_a_workshop_removed_while_a_build_waits_for_it_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unlink_first(lock: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock_file)
        lock_path.unlink()
        lock_file(lock, operation)

    lock_file, lock_path = fcntl.flock, tmp_path / "shop.lock"
    monkeypatch.setattr(fcntl, "flock", unlink_first)

    lock = workshops._lock(lock_path)

    assert os.fstat(lock).st_ino == lock_path.stat().st_ino
    os.close(lock)
