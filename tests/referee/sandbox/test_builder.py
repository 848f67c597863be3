"""Limits of a build that its own files could hide."""

import contextlib
import errno
import os
import resource
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from referee.job import SECOND_NS
from referee.sandbox import builder
from referee.sandbox.builder import BuildOrder, _built, _excess, _wait, build
from referee.sandbox.directory import remove_directory
from referee.sandbox.disk import Disk
from referee.sandbox.limits import Limits
from referee.sandbox.process import Process
from referee.sandbox.unprivileged import NOBODY

MB = 1 << 20


class EndlessBuild:
    """A process of a build that never ends and prints nothing."""

    output_bytes = 0

    def __init__(self, silent: int) -> None:
        """`silent` is a descriptor that never becomes readable."""
        self.pidfd = self.output = silent

    def tail(self) -> str:
        return "compiling"


@pytest.fixture
def silent() -> Iterator[int]:
    """Yield a descriptor that never becomes readable."""
    reader, writer = os.pipe()
    yield reader
    os.close(reader)
    os.close(writer)


@pytest.fixture
def ordinary_user() -> Iterator[None]:
    """Be an ordinary user if this is root, who may read everything."""
    if os.geteuid():
        yield
        return
    os.seteuid(NOBODY)
    yield
    os.seteuid(0)


def order(folder: Path) -> BuildOrder:
    return BuildOrder(
        director=1,
        argv=("make",),
        folder=str(folder),
        home=str(folder),
        env={},
        tier="none",
        has_network=False,
        limits=Limits(),
        wall_ns=3600 * SECOND_NS,
    )


def disk(*free_mb: int) -> Any:
    """Return a stand-in for statvfs of a disk with less space at each look."""
    left = iter(free_mb)
    return lambda _: SimpleNamespace(f_bavail=next(left), f_frsize=MB)


def test_a_build_that_fills_the_disk_by_removed_files_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, silent: int
) -> None:
    monkeypatch.setattr(os, "statvfs", disk(9000, 300, 250))

    built = _wait(cast("Process", EndlessBuild(silent)), order(tmp_path), (), (Disk("/"),))

    assert built.fault == "left less than 256 MB free on its disk"


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize("after", ["sleep 60", "exit 0"])
def test_a_build_that_prints_too_much_is_refused_also_if_it_ends_at_once(
    tmp_path: Path, after: str
) -> None:
    argv = ("sh", "-c", f"head -c 100000000 /dev/zero; {after}")

    built = build(replace(order(tmp_path), argv=argv), None, NOBODY)

    assert built.fault == "printed more than 64 MB"


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize(
    ("most", "files"), [(100, "100\n"), (300, "200\n"), (resource.RLIM_INFINITY, "200\n")]
)
def test_a_build_has_no_more_open_files_than_the_machine_allows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, files: str
) -> None:
    """An ordinary user may not raise the limit, and a build with more would not start."""
    found = resource.getrlimit

    def limits_of(kind: int) -> tuple[int, int]:
        soft, hard = found(kind)
        return soft, most if kind == resource.RLIMIT_NOFILE else hard

    monkeypatch.setattr(resource, "getrlimit", limits_of)
    wanted = replace(order(tmp_path), argv=("sh", "-c", "ulimit -n"), limits=Limits(files=200))

    built = build(wanted, None, NOBODY)

    assert (built.fault, built.output) == (None, files)


@pytest.mark.usefixtures("subreaper")
def test_a_build_is_over_with_its_command_though_a_child_holds_its_output(tmp_path: Path) -> None:
    argv = ("sh", "-c", "echo done; sleep 600 &")

    built = build(replace(order(tmp_path), argv=argv), None, NOBODY)

    assert (built.fault, built.output) == (None, "done\n")


@pytest.mark.usefixtures("subreaper")
def test_temporary_files_of_a_build_count_towards_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builder, "SIZE_LOOK_NS", 0)
    argv = ("sh", "-c", "truncate -s 40M $TMPDIR/one $TMPDIR/two; sleep 60")

    built = build(replace(order(tmp_path), argv=argv), None, NOBODY)

    assert built.fault == "wrote more than 64 MB"


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize(
    ("free_mb", "left_mb", "reserve_mb"), [(9000, 255, 256), (9000, 280, 256), (400, 190, 200)]
)
def test_a_build_that_leaves_no_room_for_others_is_removed_and_at_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free_mb: int, left_mb: int, reserve_mb: int
) -> None:
    def room(_: object) -> SimpleNamespace:
        free = left_mb if result.exists() else free_mb
        return SimpleNamespace(f_bavail=free, f_frsize=MB, f_files=0)

    result = tmp_path / "result"
    monkeypatch.setattr(os, "statvfs", room)
    monkeypatch.setattr(os, "sync", lambda: None)

    built = build(replace(order(tmp_path), argv=("truncate", "-s", "30M", "result")), None, NOBODY)

    assert (built.fault, built.lack) == (
        f"left less than {reserve_mb} MB free on its disk, with a copy of its result",
        None,
    )
    assert not result.exists()


@pytest.mark.usefixtures("subreaper")
def test_a_build_that_a_machine_without_memory_ends_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Process, "shortage", "too little memory")

    built = build(replace(order(tmp_path), argv=("sh", "-c", "exit 1")), None, NOBODY)

    assert built.lack == "too little memory"


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize(
    ("after_mb", "files", "lack"),
    [
        (300, ["result"], "No space left on device"),  # the others' files are still there
        (
            9000,
            ["result"],
            None,
        ),  # all files were those of the build, or of others who left in time
        (300, ["result", "more"], None),  # above its own limit as well
    ],
)
def test_a_disk_that_others_fill_during_a_build_is_no_fault_of_its_bot(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    after_mb: int,
    files: list[str],
    lack: str | None,
) -> None:
    def room(_: object) -> SimpleNamespace:
        if result.exists():
            free.append(after_mb)
            return SimpleNamespace(f_bavail=270, f_frsize=MB, f_files=0)
        return SimpleNamespace(f_bavail=free[-1], f_frsize=MB, f_files=0)

    result, free = tmp_path / "result", [9000]
    monkeypatch.setattr(os, "statvfs", room)
    monkeypatch.setattr(os, "sync", lambda: None)

    built = build(replace(order(tmp_path), argv=("truncate", "-s", "30M", *files)), None, NOBODY)

    assert built.fault
    assert built.lack == lack
    assert not result.exists()


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize(
    ("room", "said", "lack"),
    [
        ((255, 9000), "bot.o: No space left on device", "No space left on device"),
        ((9000, 999), "bot.o: No space left on device", "No space left on device"),
        ((255, 9000), "main.c:1: error", None),
        ((9000, 9000), "bot.o: No space left on device", None),
    ],
)
def test_a_compiler_that_fails_on_a_full_disk_is_no_fault_of_its_bot(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    room: tuple[int, int],
    said: str,
    lack: str | None,
) -> None:
    free_mb, files = room
    status = SimpleNamespace(f_bavail=free_mb, f_frsize=MB, f_files=10_000, f_favail=files)
    monkeypatch.setattr(os, "statvfs", lambda _: status)
    argv = ("sh", "-c", f"echo '{said}'; exit 1")

    built = build(replace(order(tmp_path), argv=argv), None, NOBODY)

    assert (built.fault, built.lack) == ("ended with exit code 1", lack)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EMFILE])
def test_a_builder_without_resources_blames_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "mkdir", refuse)

    assert os.strerror(number) in str(_built(order(tmp_path), None, NOBODY).lack)


@pytest.mark.usefixtures("ordinary_user")
def test_a_folder_that_hides_its_files_is_refused() -> None:
    with tempfile.TemporaryDirectory() as folder:
        hidden = Path(folder) / "hidden"
        hidden.mkdir()
        assert _excess((Path(folder),), MB) is None

        hidden.chmod(0)

        assert _excess((Path(folder),), MB) == "made a folder that cannot be read"


def test_a_folder_with_too_long_a_path_is_refused(tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        for _ in range(20):
            os.mkdir("x" * 250)  # noqa: PTH102 - the whole path is too long for the kernel
            os.chdir("x" * 250)
    try:
        assert _excess((tmp_path,), MB) == "made a folder that cannot be read"
    finally:
        remove_directory(tmp_path)
