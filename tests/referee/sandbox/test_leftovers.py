"""What referees that are gone have left behind is found by their pid, and only that."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import PATIENCE_S, all_end, becomes, state_of

from referee.sandbox.leftovers import remove_leftovers, room_prefix

IDLE = [sys.executable, "-I", "-S", "-c", "import signal; print(flush=True); signal.pause()"]


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.fixture
def gone() -> int:
    """The pid of a process that has ended and was reaped."""
    process = subprocess.Popen(["/bin/true"])
    process.wait(PATIENCE_S)
    return process.pid


@pytest.fixture
def zombie() -> Iterator[int]:
    """The pid of a process that has ended and was not reaped."""
    process = subprocess.Popen(["/bin/true"])
    assert becomes(lambda: state_of(process.pid) == "Z")
    yield process.pid
    process.wait()


def room_of(owner: int, temp: Path) -> Path:
    room = temp / f"arena-{owner}-abcdefgh"
    room.mkdir()
    (room / "deep" / "deeper").mkdir(parents=True)
    (room / "deep" / "note").write_text("learnt something")
    return room


def bot_of(owner: int, **others: str) -> subprocess.Popen[bytes]:
    """Start what has the environment of a bot of this referee, in a session of its own."""
    env = {"ARENA_ENDPOINT": f"ipc:///tmp/arena-{owner}-abcdefgh/s", **others}
    process = subprocess.Popen(IDLE, env=env, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    return process


def survives(process: subprocess.Popen[bytes]) -> bool:
    """Return whether it still ran after the leftovers were removed, and end it."""
    remove_leftovers()
    is_there = process.poll() is None
    process.kill()
    process.wait()
    return is_there


def test_a_room_is_named_after_the_process_that_made_it() -> None:
    assert room_prefix() == f"arena-{os.getpid()}-"


def test_the_rooms_of_a_referee_that_is_gone_are_removed(temp: Path, gone: int) -> None:
    room = room_of(gone, temp)
    other = temp / "arena-of-somebody"
    other.mkdir()

    remove_leftovers()

    assert not room.exists()
    assert other.exists()


def test_a_link_that_somebody_has_put_in_the_place_of_a_room_leads_nowhere(
    temp: Path, gone: int
) -> None:
    precious = temp / "precious"
    precious.mkdir()
    (precious / "thesis").write_text("the only copy")
    link = temp / f"arena-{gone}-abcdefgh"
    link.symlink_to(precious)

    remove_leftovers()

    assert (precious / "thesis").read_text() == "the only copy"
    assert not link.is_symlink()


def test_links_in_a_room_are_removed_and_not_what_they_lead_to(temp: Path, gone: int) -> None:
    precious = temp / "precious"
    precious.mkdir()
    (precious / "thesis").write_text("the only copy")
    (room_of(gone, temp) / "deep" / "link").symlink_to(precious)

    remove_leftovers()

    assert [path.name for path in temp.rglob("*")] == ["precious", "thesis"]


def test_the_rooms_of_a_referee_that_runs_stay(temp: Path) -> None:
    room = room_of(os.getpid(), temp)

    remove_leftovers()

    assert (room / "deep" / "note").exists()


def test_a_referee_that_nobody_reaps_is_gone_too(temp: Path, zombie: int) -> None:
    room = room_of(zombie, temp)

    remove_leftovers()

    assert not room.exists()


def test_the_processes_of_a_referee_that_is_gone_are_killed(gone: int) -> None:
    processes = [bot_of(gone) for _ in range(3)]
    pidfds = [os.pidfd_open(process.pid) for process in processes]

    remove_leftovers()

    assert all_end(pidfds)
    assert [process.wait() for process in processes] == [-9, -9, -9]


def test_over_tcp_the_room_of_a_process_tells_whose_it_is(gone: int) -> None:
    process = bot_of(
        0, ARENA_ENDPOINT="tcp://127.0.0.1:5555", TMPDIR=f"/rooms/arena-{gone}-abcdefgh"
    )
    pidfd = os.pidfd_open(process.pid)

    remove_leftovers()

    assert all_end([pidfd])
    process.wait()


def test_the_processes_of_a_referee_that_runs_live_on() -> None:
    assert survives(bot_of(os.getpid()))


def test_what_does_not_carry_the_mark_of_a_bot_lives_on(gone: int) -> None:
    env = {"TMPDIR": f"/rooms/arena-{gone}-abcdefgh"}
    assert survives(subprocess.Popen(IDLE, env=env, stdout=subprocess.DEVNULL))
