"""New files: on a full disk none of them, and a name only for what is on disk."""

import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from full_disks import files_of_at_most

from arena.bots.scaffold import write_bot
from arena.cluster.keys import write_keys
from arena.errors import UsageError
from arena.new_files import SYNCED_AT_ONCE, rename_whole, write_private
from arena.remote.keys import write_key

PATIENCE_S = 60


@pytest.mark.parametrize(
    ("write", "size"),
    [
        (lambda folder: write_key("alice", folder), 20),
        (lambda folder: write_keys(folder / "keys", ["one"]), 20),
        (lambda folder: write_keys(folder / "keys", ["one"]), 300),  # a key fits, no certificate
        (lambda folder: write_bot("python", folder / "mine", None), 20),
        (lambda folder: write_bot("java", folder / "mine", None), 4000),
    ],
)
def test_a_command_that_has_failed_on_a_full_disk_works_again(
    write: Callable[[Path], object], size: int, tmp_path: Path
) -> None:
    with files_of_at_most(size), pytest.raises(UsageError, match="File too large"):
        write(tmp_path)

    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    write(tmp_path)


class Synced(set[int]):
    """The inodes that were synced; each is noted before `place` is there, or after it."""

    def __init__(self, patched: pytest.MonkeyPatch, place: Path) -> None:
        super().__init__()
        self.after: set[int] = set()
        self._place = place
        patched.setattr(os, "fsync", self._note)

    def _note(self, descriptor: int) -> None:
        (self.after if self._place.exists() else self).add(os.fstat(descriptor).st_ino)


def test_a_folder_gets_its_name_when_all_of_it_is_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / ".made"
    (made / "inner").mkdir(parents=True)
    for name in ("bot.yaml", "inner/main.py"):
        (made / name).write_text(name)
    (made / "link").symlink_to("nowhere")
    every = {path.stat().st_ino for path in (made, *made.rglob("*")) if not path.is_symlink()}
    synced = Synced(monkeypatch, tmp_path / "kept")

    rename_whole(made, tmp_path / "kept")

    assert synced == every
    assert synced.after == {tmp_path.stat().st_ino}
    assert (tmp_path / "kept/inner/main.py").read_text() == "inner/main.py"


def test_private_files_are_on_disk_with_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {tmp_path / "key": b"1", tmp_path / "certificate": b"2"}
    synced = Synced(monkeypatch, tmp_path / "none")

    write_private(files)

    assert synced == {path.stat().st_ino for path in (tmp_path, *files)}


def test_many_files_wait_for_the_disk_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = tmp_path / ".made"
    made.mkdir()
    for number in range(SYNCED_AT_ONCE):
        (made / str(number)).touch()
    together = threading.Barrier(SYNCED_AT_ONCE)

    def write(descriptor: int) -> None:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            together.wait(PATIENCE_S)

    monkeypatch.setattr(os, "fsync", write)
    rename_whole(made, tmp_path / "kept")

    assert not together.broken
