"""What nothing has used for a long time leaves the cache of bots."""

import os
import time
import zipfile
from pathlib import Path

import pytest

from arena.bots import archives, prepare, unused
from arena.bots.manifest import find_bot
from arena.bots.unused import UNUSED_S, mark_used, remove_unused


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    for name in ("old-1", "new-2", ".half-made"):
        (tmp_path / "kept" / name / "deep").mkdir(parents=True)
    for name in ("old-1", ".half-made"):
        grow_old(tmp_path / "kept" / name)
    return tmp_path / "kept"


def grow_old(folder: Path) -> None:
    long_ago_s = time.time() - UNUSED_S - 10
    os.utime(folder, (long_ago_s, long_ago_s))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_only_folders_without_a_use_for_long_are_removed(kept: Path) -> None:
    (kept / "a-file").touch()
    grow_old(kept / "a-file")

    remove_unused(kept)

    assert names(kept) == ["a-file", "new-2"]


def test_a_folder_in_use_stays(kept: Path) -> None:
    mark_used(kept / "old-1")

    remove_unused(kept)

    assert names(kept) == ["new-2", "old-1"]


def test_a_link_is_no_folder_of_the_cache(kept: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    grow_old(tmp_path / "elsewhere")
    (kept / "link").symlink_to(tmp_path / "elsewhere")

    remove_unused(kept)

    assert (tmp_path / "elsewhere").is_dir()


def test_what_is_missing_or_not_ours_is_no_error(tmp_path: Path) -> None:
    remove_unused(tmp_path / "none")
    mark_used(tmp_path / "none")


def test_to_prepare_a_bot_anew_removes_old_ones_and_marks_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "bots"
    (cache / "old-1").mkdir(parents=True)
    grow_old(cache / "old-1")
    manifest = find_bot("random", tmp_path)

    bot = prepare.prepare(manifest, cache)
    assert names(cache) == [bot.folder.name]

    grow_old(bot.folder)
    monkeypatch.setattr(unused, "UNUSED_S", 5)
    prepare.prepare(manifest, cache)
    assert time.time() - bot.folder.stat().st_mtime < UNUSED_S


def test_to_unpack_an_archive_removes_old_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "arena_cache", lambda: tmp_path)
    (tmp_path / "hand-ins/old").mkdir(parents=True)
    grow_old(tmp_path / "hand-ins/old")
    archive = tmp_path / "tim.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("bot.yaml", "run: [./main.sh]\n")

    folder = archives.unpacked(archive, "tim")

    assert names(tmp_path / "hand-ins") == [folder.name]
