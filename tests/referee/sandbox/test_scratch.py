"""The folder that lasts: copied in whole, kept whole or not at all, and nothing but files."""

import errno
import fcntl
import os
import signal
import stat
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from referee.sandbox import scratch as subject
from referee.sandbox.scratch import MAX_FILES, MAX_PATH, SCRATCH_LEVELS, Scratch

LIMIT = 1000
ROOT = Path(__file__).parents[3]


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "made" / "lasting" / "bot"


def after(kept: Path, place: Path) -> str | None:
    """Let a bot leave the files at this place."""
    scratch = Scratch(kept, LIMIT)
    scratch.hold(place)
    return scratch.keep()


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_files_left_by_a_bot_are_found_in_its_next_match(kept: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    Scratch(kept, LIMIT).give(first)
    assert tree(first) == {}
    (first / "deep").mkdir()
    (first / "deep" / "a").write_text("learnt")

    assert after(kept, first) is None
    Scratch(kept, LIMIT).give(second)

    assert tree(second) == {"deep/a": "learnt"}


def test_files_removed_by_a_bot_are_gone(kept: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "a").write_text("a")
    after(kept, place)
    (place / "a").unlink()
    (place / "b").write_text("b")

    assert after(kept, place) is None

    assert tree(kept) == {"b": "b"}
    assert [path.name for path in kept.parent.iterdir() if path.is_dir()] == ["bot"]


def test_the_quota_counts_all_files_together(kept: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "a").write_bytes(bytes(LIMIT // 2))
    (place / "b").write_bytes(bytes(LIMIT // 2))
    assert after(kept, place) is None

    (place / "c").write_bytes(b"x")

    assert after(kept, place) == "its scratch folder is not kept: more than 1000 bytes"
    assert sorted(tree(kept)) == ["a", "b"]
    assert [path.name for path in kept.parent.iterdir() if path.is_dir()] == ["bot"]


def test_only_files_and_folders_are_kept(kept: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    place = tmp_path / "place"
    place.mkdir()
    (place / "link").symlink_to(secret)
    (place / "folder").symlink_to(tmp_path)
    os.mkfifo(place / "pipe")
    (place / "file").write_text("kept")

    assert after(kept, place) is None

    assert [path.name for path in kept.iterdir()] == ["file"]


def test_too_many_files_and_too_deep_folders_are_not_kept(kept: Path, tmp_path: Path) -> None:
    many, deep = tmp_path / "many", tmp_path / "deep"
    many.mkdir()
    for number in range(MAX_FILES + 1):
        (many / str(number)).touch()
    deep.joinpath(*["d"] * (SCRATCH_LEVELS + 1)).mkdir(parents=True)

    assert after(kept, many) == f"its scratch folder is not kept: more than {MAX_FILES} files"
    assert after(kept, deep) == (
        f"its scratch folder is not kept: folders more than {SCRATCH_LEVELS} deep"
    )
    assert tree(kept) == {}


def test_a_path_that_cannot_be_copied_everywhere_is_not_kept(kept: Path, tmp_path: Path) -> None:
    """The next match of the bot could not begin, and a bot must not make matches void."""
    place, inner = tmp_path / "place", tmp_path / "place"
    for length in (200,) * 5:
        inner /= "d" * length
    inner.mkdir(parents=True)
    longest = inner / ("f" * (MAX_PATH - len(str(inner.relative_to(place))) - 1))
    longest.touch()
    assert after(kept, place) is None

    longest.rename(f"{longest}f")

    said = f"its scratch folder is not kept: a path of more than {MAX_PATH} bytes"
    assert after(kept, place) == said
    Scratch(kept, LIMIT).give(tmp_path / "next")
    assert len(tree(tmp_path / "next")) == 1


def test_a_bot_that_never_started_leaves_its_files_unchanged(kept: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "a").write_text("a")
    after(kept, place)

    assert after(kept, tmp_path / "gone") is None

    assert tree(kept) == {"a": "a"}


def test_a_link_in_place_of_the_folder_is_not_followed(kept: Path, tmp_path: Path) -> None:
    secret, place = tmp_path / "secret", tmp_path / "place"
    secret.mkdir()
    (secret / "key").write_text("of somebody else")
    scratch = Scratch(kept, LIMIT)
    scratch.give(place)
    place.rmdir()
    place.symlink_to(secret)

    scratch.hold(place)

    assert scratch.keep() is None
    assert tree(kept) == {}


def test_the_folder_opened_before_the_start_is_the_one_kept(kept: Path, tmp_path: Path) -> None:
    secret, place = tmp_path / "secret", tmp_path / "place"
    secret.mkdir()
    (secret / "key").write_text("of somebody else")
    scratch = Scratch(kept, LIMIT)
    scratch.give(place)
    scratch.hold(place)
    (place / "a").write_text("learnt")
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(secret)

    assert scratch.keep() is None

    assert tree(kept) == {"a": "learnt"}


def test_as_many_files_and_folders_as_allowed_are_kept(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subject, "MAX_FILES", 4)
    monkeypatch.setattr(subject, "SCRATCH_LEVELS", 2)
    place = tmp_path / "place"
    inner = place / "a" / "b"
    inner.mkdir(parents=True)
    for name in ("one", "two"):
        (inner / name).write_text(name)
    assert after(kept, place) is None
    found = tree(kept)
    assert sorted(found) == ["a/b/one", "a/b/two"]

    (place / "three").touch()
    assert after(kept, place) == "its scratch folder is not kept: more than 4 files"
    (place / "three").unlink()
    (inner / "two").unlink()
    (inner / "c").mkdir()
    assert after(kept, place) == "its scratch folder is not kept: folders more than 2 deep"
    assert tree(kept) == found


def test_a_file_in_place_of_the_folder_leaves_the_files_unchanged(
    kept: Path, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    place.touch()

    assert after(kept, place) is None


def test_a_kept_folder_is_open_to_all_bots_and_written_by_one_user(
    kept: Path, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    place.mkdir(mode=0o700)
    before = os.umask(0)
    try:
        assert after(kept, place) is None
    finally:
        os.umask(before)

    assert stat.S_IMODE(kept.stat().st_mode) == 0o755


def test_no_descriptor_stays_open_and_each_step_is_locked(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked: list[int] = []
    monkeypatch.setattr(fcntl, "flock", lambda _, kind: locked.append(kind))
    before = os.listdir("/proc/self/fd")  # noqa: PTH208 - numbers, not paths
    place = tmp_path / "place"
    scratch = Scratch(kept, LIMIT)
    scratch.give(place)
    (place / "a").mkdir()
    (place / "a" / "b").touch()
    scratch.hold(place)
    assert scratch.keep() is None
    assert scratch.keep() is None, "there is nothing more to keep"
    scratch.hold(place)
    scratch.drop()
    scratch.drop()

    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208 - as above
    assert locked == [fcntl.LOCK_EX] * 3, "to make, give and keep the folder"


@pytest.mark.parametrize(
    ("before", "after_it", "is_kept"),
    [
        ("folder", "link to a folder", False),
        ("folder", "pipe", False),
        ("file", "link to a file", False),
        ("file", "pipe", True),
    ],
)
def test_what_is_replaced_while_it_is_copied_is_not_followed_and_not_waited_for(
    kept: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    before: str,
    after_it: str,
    *,
    is_kept: bool,
) -> None:
    secret, place = tmp_path / "secret", tmp_path / "place"
    place.mkdir()
    secret.mkdir()
    (secret / "key").write_text("of somebody else")
    own = place / "own"
    own.mkdir() if before == "folder" else own.touch()
    opened = os.open

    def swapping(path: str, *rest: int, **more: int) -> int:
        """Let a process of the bot act between the look at a name and its opening."""
        if path == "own":
            own.rename(tmp_path / "away")
            if after_it == "pipe":
                os.mkfifo(own)
            else:
                own.symlink_to(secret if before == "folder" else secret / "key")
        return opened(path, *rest, **more)

    scratch = Scratch(kept, LIMIT)
    scratch.hold(place)
    monkeypatch.setattr(os, "open", swapping)

    assert (scratch.keep() is None) is is_kept
    assert list(kept.iterdir()) == []


def test_a_huge_file_is_not_read_as_a_whole(kept: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "huge").touch()
    os.truncate(place / "huge", 64 << 20)  # takes no space on the disk
    scratch = Scratch(kept, LIMIT)
    scratch.hold(place)
    tracemalloc.start()
    try:
        assert scratch.keep() == "its scratch folder is not kept: more than 1000 bytes"
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def test_files_put_aside_by_an_interrupted_replacement_are_found_again(
    kept: Path, tmp_path: Path
) -> None:
    Scratch(kept, LIMIT)
    kept.rename(old := kept.with_name(".bot.old"))
    (old / "a").write_text("learnt")

    Scratch(kept, LIMIT).give(tmp_path / "next")

    assert tree(tmp_path / "next") == {"a": "learnt"}
    assert not old.exists()


KILLED = """
import os, signal, sys
from pathlib import Path
from referee.sandbox import scratch

kept, place, at = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
calls = 0


def count(event, arguments):
    global calls
    if event in ("os.mkdir", "os.rename", "os.rmdir", "os.remove", "shutil.rmtree", "open"):
        calls += 1
        if calls > at:
            os.kill(os.getpid(), signal.SIGKILL)


subject = scratch.Scratch(kept, 10**6)
subject.hold(place)
sys.addaudithook(count)
subject.keep()
"""
"""A program that keeps a copy and is killed before its nth change of the disk."""


def test_a_kill_at_any_moment_leaves_the_old_files_or_the_new_ones(
    kept: Path, tmp_path: Path
) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for place, name in ((old, "old"), (new, "new")):
        place.mkdir()
        for number in range(3):
            (place / f"{name}{number}").write_text(name)
    seen = set()
    for moment in range(100):
        assert after(kept, old) is None
        done = subprocess.run(
            [sys.executable, "-c", KILLED, str(kept), str(new), str(moment)],
            cwd=ROOT,
            check=False,
            timeout=60,
        )
        Scratch(kept, LIMIT).give(place := tmp_path / f"next{moment}")
        assert sorted(tree(place)) in (sorted(tree(old)), sorted(tree(new)))
        assert [path.name for path in kept.parent.iterdir() if path.is_dir()] == ["bot"]
        seen.add((done.returncode, *sorted(tree(place))))
        if done.returncode == 0:
            break
    assert {code for code, *_ in seen} == {0, -signal.SIGKILL}
    assert len(seen) == 3  # killed with the old files, killed with the new ones, not killed


def test_a_full_disk_is_a_warning_and_keeps_the_old_files(
    kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "a").write_text("a")
    after(kept, place)

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for call in ("mkdir", "rename", "open", "write_bytes"):
        scratch = Scratch(kept, LIMIT)
        scratch.hold(place)
        with monkeypatch.context() as patch:
            patch.setattr(Path, call, full)
            warning = scratch.keep()
        assert warning is not None
        assert "No space left on device" in warning
        assert tree(kept) == {"a": "a"}
