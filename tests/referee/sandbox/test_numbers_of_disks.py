"""Free space and used bytes in exact numbers, on a disk that a test fills by its own words."""

import os
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.sandbox import disk as subject
from referee.sandbox.disk import (
    FILE_BYTES,
    MAX_NAMES,
    MIN_FREE,
    MIN_FREE_FILES,
    NEARLY_NO_FILES,
    NEARLY_NONE,
    BotDisk,
    Disk,
    has_room,
    used_bytes,
)
from referee.sandbox.shortage import Use

MB = 1 << 20
FULL = "write: No space left on device"
BLOCK = 512


class Free:
    """What every disk shows as free."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bytes, self.files, self.all_files = 10**12, 10**6, 10**7
        self.folders: list[str] = []
        self.syncs = 0
        monkeypatch.setattr(os, "statvfs", self._status)
        monkeypatch.setattr(os, "sync", self._sync)

    def _status(self, folder: Path) -> Any:
        self.folders.append(str(folder))
        size = 1 if self.bytes % BLOCK else BLOCK
        return SimpleNamespace(
            f_bavail=self.bytes // size,
            f_bfree=10**12,
            f_frsize=size,
            f_bsize=4096,
            f_files=self.all_files,
            f_favail=self.files,
            f_ffree=10**9,
        )

    def _sync(self) -> None:
        self.syncs += 1


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Free:
    return Free(monkeypatch)


def test_a_build_needs_bytes_and_files(free: Free, tmp_path: Path) -> None:
    free.bytes, free.files = MIN_FREE, MIN_FREE_FILES
    assert has_room(tmp_path)
    assert has_room(str(tmp_path), MIN_FREE, MIN_FREE_FILES)
    assert not has_room(tmp_path, MIN_FREE + 1)
    assert not has_room(tmp_path, 0, MIN_FREE_FILES + 1)

    free.bytes -= BLOCK
    assert not has_room(tmp_path)
    free.bytes, free.files = MIN_FREE, MIN_FREE_FILES - 1
    assert not has_room(tmp_path)
    free.all_files = 1
    assert not has_room(tmp_path)
    free.all_files = 0  # a file system without a limit of files
    assert has_room(tmp_path)
    assert set(free.folders) == {str(tmp_path)}


@pytest.mark.parametrize(
    ("at_start", "reserve"), [(100 * MIN_FREE, MIN_FREE), (MIN_FREE, MIN_FREE // 2), (1025, 512)]
)
def test_the_reserve_is_a_part_of_what_is_free_at_the_start(
    free: Free, tmp_path: Path, at_start: int, reserve: int
) -> None:
    free.bytes = at_start
    disk = Disk(tmp_path)

    assert (disk.least, disk.reserve, disk.is_short) == (at_start, reserve, False)
    free.bytes = reserve + BLOCK
    disk.look(BLOCK)
    assert (disk.least, disk.is_short) == (reserve, False)
    disk.look(BLOCK + 1)
    free.bytes = at_start
    disk.look()
    assert (disk.least, disk.is_short) == (reserve - 1, True), "the fewest bytes seen"
    assert set(free.folders) == {str(tmp_path)}


@pytest.mark.parametrize(("others", "was_filled"), [(0, 0), (155, 0), (156, 1), (600, 1)])
def test_space_that_comes_back_with_the_files_of_a_build_was_its_own(
    free: Free, tmp_path: Path, others: int, was_filled: int
) -> None:
    """Of 1024 MB, 100 are left at last; without the build's own files all but those of others.

    With those of the build alone 100 MB more than those of others would be free: enough for the
    reserve of 256, if the others took 156.
    """
    free.bytes = 1024 * MB
    disk = Disk(tmp_path)
    free.bytes = 100 * MB
    disk.look()
    free.bytes = (1024 - others) * MB

    assert disk.is_filled_by_others() is bool(was_filled)
    assert free.syncs == 1


def test_a_disk_that_was_never_short_was_not_filled(free: Free, tmp_path: Path) -> None:
    assert not Disk(tmp_path).is_filled_by_others()
    assert free.syncs == 0, "it may take long, and nothing is to be learnt"


@pytest.mark.parametrize(
    ("bytes_free", "files_free", "output", "is_denied"),
    [
        (NEARLY_NONE, NEARLY_NO_FILES, "", False),
        (NEARLY_NONE - BLOCK, NEARLY_NO_FILES, "", True),
        (NEARLY_NONE, NEARLY_NO_FILES - 1, "", True),
        (64 * MB, MIN_FREE_FILES, FULL, False),
        (64 * MB - BLOCK, MIN_FREE_FILES, FULL, True),
        (64 * MB, MIN_FREE_FILES - 1, FULL, True),
    ],
)
def test_a_bot_lacks_space_on_a_full_disk_or_by_its_word_below_its_limit(
    free: Free, tmp_path: Path, bytes_free: int, files_free: int, output: str, *, is_denied: bool
) -> None:
    disk = BotDisk(tmp_path, 64 * MB)
    free.bytes, free.files = bytes_free, files_free

    assert disk.denies(output) is is_denied


def test_a_bot_that_has_used_its_own_limit_lacks_nothing(free: Free, tmp_path: Path) -> None:
    (tmp_path / "own").touch()
    free.bytes = 0

    assert BotDisk(tmp_path, FILE_BYTES).denies(FULL)
    assert not BotDisk(tmp_path, FILE_BYTES - 1).denies(FULL)


def test_the_disk_of_a_bot_is_named_by_its_mount(
    free: Free, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "disk" / "bots" / "a"
    place.mkdir(parents=True)
    monkeypatch.setattr(Path, "is_mount", lambda path: path in (tmp_path, tmp_path / "disk"))
    free.bytes = 12 * MB + 1023 * 1024

    assert str(BotDisk(place, MB)) == f"the disk of {tmp_path / 'disk'} has 12 MB free"


def test_the_bytes_of_a_folder_are_those_of_its_blocks_and_a_block_for_each_name(
    tmp_path: Path,
) -> None:
    place = tmp_path / "bot"
    (place / "a" / "b").mkdir(parents=True)
    for file in (place / "a" / "b" / "large", tmp_path / "far"):
        file.write_bytes(bytes(300_000))
    (place / "link").symlink_to(tmp_path / "far")
    (place / "empty").touch()
    large = (place / "a" / "b" / "large").stat().st_blocks * BLOCK
    folders = [(place / name).stat().st_blocks * BLOCK for name in ("a", "a/b")]
    total = large + sum(max(FILE_BYTES, each) for each in folders) + 2 * FILE_BYTES

    assert used_bytes(place, 10**9) == total
    assert used_bytes(place, total) == total
    assert total > used_bytes(place, 0) > 0, "the rest need not be counted"
    assert used_bytes(place / "gone", 10**9) == 0
    assert used_bytes(place / "empty", 10**9) == 0


def test_no_more_is_counted_than_shows_that_it_is_too_much(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for number in range(10):
            (tmp_path / folder / str(number)).touch()

    assert used_bytes(tmp_path, 15 * FILE_BYTES) == 16 * FILE_BYTES
    assert used_bytes(tmp_path / "a", 9 * FILE_BYTES) == 10 * FILE_BYTES
    assert used_bytes(tmp_path / "a", 10 * FILE_BYTES) == 10 * FILE_BYTES


class Gone:
    """An entry of a folder that is removed before it is looked at."""

    def stat(self, *, follow_symlinks: bool) -> Any:
        raise FileNotFoundError(follow_symlinks)

    def is_dir(self, *, follow_symlinks: bool) -> bool:
        return follow_symlinks


def test_a_name_that_is_gone_when_it_is_looked_at_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "scandir", lambda _: nullcontext([Gone()]))

    assert used_bytes(tmp_path, 1000) == 0


def test_a_folder_that_cannot_be_read_may_hold_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: str) -> Any:
        raise PermissionError

    monkeypatch.setattr(os, "scandir", refuse)

    assert used_bytes(tmp_path, 1000) == 1001


@pytest.fixture
def descriptors() -> Iterator[list[int]]:
    """Yield a list; its descriptors are closed after the test."""
    opened: list[int] = []
    yield opened
    for descriptor in opened:
        os.close(descriptor)


def test_files_that_a_process_holds_after_their_removal_count_once(
    tmp_path: Path, descriptors: list[int]
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for place, size in ((own / "one", 200_000), (own / "two", 50_000), (tmp_path / "far", 70_000)):
        place.write_bytes(bytes(size))
        descriptors += [os.open(place, os.O_RDONLY) for _ in range(2)]
    (own / "left").write_bytes(bytes(90_000))
    descriptors.append(os.open(own / "left", os.O_RDONLY))
    (own / "folder").mkdir()
    descriptors.append(os.open(own / "folder", os.O_RDONLY))
    sizes = {name: (own / name).stat().st_blocks * BLOCK for name in ("one", "two", "left")}
    for name in ("one", "two"):
        (own / name).unlink()
    (own / "folder").rmdir()
    (tmp_path / "far").unlink()

    use = BotDisk(own, MB).use([os.getpid(), 10**9])

    assert use.amount == sizes["one"] + sizes["two"] + sizes["left"]
    assert BotDisk(own, MB).use([]).amount == sizes["left"]


def test_the_use_of_a_disk_has_the_limit_of_the_bot_and_what_was_free_at_its_start(
    free: Free, tmp_path: Path
) -> None:
    disk = BotDisk(tmp_path, 7 * MB)
    at_start, free.bytes = free.bytes, 0

    assert disk.use(()) == Use(0, 7 * MB, at_start)


class Proc:
    """Two directories of a process, one of them with names of mapped files alone."""

    def __init__(self, top: Path, names: int) -> None:
        self.top, self.names = top, names

    def listdir(self, place: str) -> list[str]:
        if place != "/proc/7/map_files":
            raise PermissionError(place)
        return [str(number) for number in range(self.names)]

    def readlink(self, path: str) -> str:
        return f"{self.top.resolve()}/{path.rpartition('/')[2]} (deleted)"

    def stat(self, path: str) -> Any:
        inode = int(path.rpartition("/")[2])
        return SimpleNamespace(st_mode=0o100600, st_nlink=0, st_ino=inode, st_blocks=8)


def test_mapped_files_count_too_and_at_most_so_many_of_each_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proc = Proc(tmp_path, MAX_NAMES + 1)
    monkeypatch.setattr(subject, "live_place", lambda pid: f"/proc/{pid}")
    kept = {name: getattr(os, name) for name in ("scandir", "fspath", "statvfs")}
    own = SimpleNamespace(**kept, listdir=proc.listdir, readlink=proc.readlink, stat=proc.stat)
    monkeypatch.setattr(subject, "os", own)

    assert BotDisk(tmp_path, MB).use([7]).amount == MAX_NAMES * 8 * BLOCK
    proc.names = 3
    assert BotDisk(tmp_path, MB).use([7]).amount == 3 * 8 * BLOCK
