"""A bot that ends on a full disk: by its own files, or by those of others."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from programs import Running, end_of, line_of, python
from sandboxed import IS_ROOT, LIMITS, MB, Starter, of_tiers

from referee.sandbox.cgroup import Groups
from referee.sandbox.disk import FILE_BYTES, BotDisk, has_room, used_bytes
from referee.sandbox.isolation import Access
from referee.sandbox.limits import Limits, Tier
from referee.sandbox.shortage import filler

SIZE = 16 * MB
"""Size of the small disk."""
WRITER = """
import os, signal, sys
place, size, ending = sys.argv[1:]
file = open(place + "/own", "wb", buffering=0)
left = int(size)
while left:
    left -= file.write(bytes(min(left, 1 << 16)))
if ending == "removed":
    os.unlink(file.name)
print("written", flush=True)
if ending == "crash":
    sys.exit(3)
signal.pause()
"""
"""Writes a file and then waits, waits with the file removed, or crashes."""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Mount a small disk with directories of two bots."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "arena", str(place)]
    if not IS_ROOT or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("only root may mount a file system, and not in every container")
    for name in ("a", "b"):
        (place / name).mkdir()
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def writer(place: Path, size: int, ending: str, limits: Limits = LIMITS) -> Running:
    """Start a bot that writes `size` bytes into its directory."""
    player = python(WRITER, str(place), str(size), ending)
    return Running(replace(player, tier="none"), limits, {}, None, Access(directory=place))


@pytest.mark.usefixtures("subreaper")
def test_a_bot_that_ends_on_a_disk_filled_by_others_has_no_fault(small: Path) -> None:
    (small / "others").write_bytes(bytes(SIZE - 2 * MB))

    process = writer(small / "a", 4 * MB, "wait")

    assert end_of(process) == "exit code 1"
    assert process.lack == "disk"
    assert process.shortage == (
        "too little disk: bot ended there below its own limit, with files of 2 MB; the disk of"
        f" {small} has 0 MB free"
    )
    process.stop()


@pytest.mark.usefixtures("subreaper")
def test_a_bot_that_ends_on_a_disk_with_room_is_at_fault(small: Path) -> None:
    process = writer(small / "a", 2 * MB, "crash")

    assert end_of(process) == "exit code 3"
    assert process.shortage is None
    process.stop()


@pytest.mark.usefixtures("subreaper")
def test_a_bot_that_fills_the_disk_beyond_its_own_limit_is_at_fault(small: Path) -> None:
    limits = replace(LIMITS, disk_bytes=SIZE // 2)
    for number in range(3):  # each file is limited, not their number
        (small / "a" / str(number)).write_bytes(bytes(SIZE // 4))

    process = writer(small / "a", SIZE // 2, "wait", limits)

    assert end_of(process) == "exit code 1"
    assert process.shortage is None
    process.stop()


@pytest.mark.usefixtures("subreaper")
@pytest.mark.parametrize("ending", ["wait", "removed"])
@pytest.mark.parametrize("groups", ["tree", "groups"], indirect=True)
def test_the_rival_that_has_filled_the_disk_is_suspected(
    small: Path, groups: Groups | None, ending: str
) -> None:
    del groups
    limits = replace(LIMITS, disk_bytes=SIZE)
    greedy = writer(small / "a", SIZE - 2 * MB, ending, limits)
    line_of(greedy)
    poor = writer(small / "b", 4 * MB, "wait", limits)
    end_of(poor)

    uses = {seat: process.use("disk") for seat, process in enumerate((greedy, poor))}

    assert (greedy.lack, poor.lack) == (None, "disk")
    assert filler({seat: use for seat, use in uses.items() if use is not None}) == 0
    greedy.stop()
    poor.stop()


def disk_with(monkeypatch: pytest.MonkeyPatch, free: int, files: int = 10**6) -> None:
    """Show so much room on every disk."""
    status = SimpleNamespace(f_bavail=free, f_frsize=1, f_files=10**6, f_favail=files)
    monkeypatch.setattr(os, "statvfs", lambda _: status)


@pytest.mark.parametrize(
    ("room", "output", "denies"),
    [
        ((0, 10**6), "", True),
        ((100 * MB, 0), "", True),
        ((20 * MB, 10**6), "", False),
        ((20 * MB, 10**6), "OSError: [Errno 28] No space left on device", True),
        ((100 * MB, 10**6), "OSError: [Errno 28] No space left on device", False),
        ((100 * MB, 100), "SQLITE_FULL: database or disk is full", True),
    ],
)
def test_a_message_is_believed_where_less_than_the_limit_is_free(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    room: tuple[int, int],
    output: str,
    denies: bool,  # noqa: FBT001 - a parameter of a test
) -> None:
    disk_with(monkeypatch, *room)

    assert BotDisk(tmp_path, 64 * MB).denies(output) is denies


def test_many_empty_files_count_as_well(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    for number in range(10):
        (inner / str(number)).touch()

    assert used_bytes(tmp_path, MB) >= 11 * FILE_BYTES
    assert used_bytes(tmp_path, 5 * FILE_BYTES) > 5 * FILE_BYTES


def test_a_removed_folder_has_the_disk_of_the_one_above(tmp_path: Path) -> None:
    disk = BotDisk(tmp_path / "removed" / "b", MB)

    assert has_room(tmp_path / "removed", 0, 0)
    assert not disk.denies("")
    assert disk.use([os.getpid()]).amount == 0


@of_tiers("namespaces")
def test_a_file_system_of_its_own_fills_no_disk(start_in: Starter, room: Path, tier: Tier) -> None:
    program = (
        "import os; home = os.environ['HOME']; found = os.statvfs(home);"
        " print(os.stat(home).st_dev, found.f_blocks * found.f_frsize, flush=True);"
        " open(home + '/own', 'wb', buffering=0).write(bytes(9 << 20));"
        " open(home + '/more', 'wb', buffering=0).write(b'1')"
    )

    process = start_in(tier, "-c", program)
    device, size = map(int, line_of(process).split())

    assert device != room.stat().st_dev
    assert size == LIMITS.disk_bytes
    assert end_of(process) == "exit code 1"
    assert "No space left on device" in process.tail()
    assert process.use("disk") is None
    assert process.shortage is None


@of_tiers("landlock", "limits")
def test_what_a_bot_shares_with_others_may_be_full(
    start_in: Starter, tier: Tier, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start_in(tier, "-c", "raise SystemExit('database or disk is full')")
    end_of(process)

    assert process.lack is None
    disk_with(monkeypatch, LIMITS.disk_bytes - 1)
    assert process.lack == "disk"
