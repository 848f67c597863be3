"""What later bots find in namespaces that root has kept: nothing of the bots before them."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Running, line_of
from sandboxed import IS_ROOT, LIMITS, check_allowed

from referee.sandbox import mounting
from referee.sandbox.cgroup import Group, Groups
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.isolation import Access
from referee.sandbox.kept import MINUTE_NS, MOST, Kept
from referee.sandbox.new_process import FIRST
from referee.sandbox.process import environment
from referee.sandbox.program import Program
from referee.sandbox.tiers import process_limit

MAKE = ("make network",)
OWN_NETWORK = Path("/proc/self/ns/net")
LOOK = """
import os, pathlib, signal, socket
held = socket.socket(socket.AF_UNIX)
held.bind("\\0left")
sockets = pathlib.Path("/proc/net/unix").read_text().count("left")
places = [pathlib.Path("/tmp/left"), pathlib.Path("/dev/shm/left")]
files = sum(place.exists() for place in places)
for place in places:
    place.touch()
interfaces = pathlib.Path("/proc/net/dev").read_text().count(":")
own = pathlib.Path("own.txt").read_text()
terminals = len(os.listdir("/dev/pts"))
pair = os.openpty()
kept, made = os.readlink("/proc/self/ns/net"), os.stat("/dev/pts").st_ctime_ns
print(kept, made, own, sockets, interfaces, files, terminals, flush=True)
signal.pause()
"""


class Bots:
    """Bots in namespaces, each in a sandbox directory of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._first = SandboxDirectory()
        self._clear = contextlib.ExitStack()

    def start(self, group: Group) -> str:
        """Start a bot in a group, and return what it sees."""
        argv = (sys.executable, "-I", "-S", "-c", LOOK)
        player = Program(name="bot", argv=argv, folder=str(self._folder), tier="namespaces")
        room = SandboxDirectory(self._first)
        self._clear.callback(room.remove)
        access = Access(directory=room.path)
        group.hold(LIMITS.memory_bytes, process_limit(player, LIMITS))
        program = Running(player, LIMITS, environment(player, access), group, access)
        self._clear.callback(program.stop)
        return line_of(program)

    def stop(self) -> None:
        """Stop all bots."""
        self._clear.close()

    def close(self) -> None:
        """Stop all bots, and remove their directories."""
        self.stop()
        self._first.remove()


@pytest.fixture
def pair(new_groups: Groups) -> Iterator[list[Group]]:
    """Give two control groups."""
    taken = [new_groups.take(), new_groups.take()]
    yield taken
    for group in taken:
        group.remove()


@pytest.fixture
def bots(pair: list[Group], subreaper: None, folder: Path) -> Iterator[Bots]:
    """Start bots that look around; they end before their groups."""
    del pair, subreaper
    check_allowed("namespaces")
    if not IS_ROOT:
        pytest.skip("only root keeps namespaces")
    started = Bots(folder)
    yield started
    started.close()


def test_a_later_bot_finds_nothing_of_the_bots_before_it(bots: Bots, pair: list[Group]) -> None:
    first = bots.start(pair[0])
    bots.stop()
    second = bots.start(pair[0])

    network, terminals, *seen = first.split()
    # its own socket, the loopback interface, no file, and what makes terminals
    assert seen == ["mine", "1", "1", "0", "1"]
    assert second.split()[0] == network != str(OWN_NETWORK.readlink())
    assert second.split()[1] != terminals
    assert second.split()[2:] == seen


def test_two_bots_at_a_time_share_nothing(bots: Bots, pair: list[Group]) -> None:
    first, second = (bots.start(group).split() for group in pair)

    assert first[0] != second[0]
    assert first[2:] == second[2:]


def test_a_later_bot_sees_a_folder_that_was_replaced(
    bots: Bots, pair: list[Group], folder: Path
) -> None:
    assert "mine" in bots.start(pair[0])
    bots.stop()

    folder.rename(folder.with_name("old"))
    folder.mkdir(mode=0o755)
    (folder / "own.txt").write_text("new")

    assert "new" in bots.start(pair[0])


def test_a_bot_has_namespaces_of_its_own_where_none_can_be_entered(
    bots: Bots, pair: list[Group], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bots.start(pair[0])
    bots.stop()
    monkeypatch.setattr(mounting, "enter", lambda *_: False)
    second = bots.start(pair[0])

    assert second.split()[0] != first.split()[0]
    assert second.split()[2:] == first.split()[2:]


def test_a_kept_namespace_is_entered_through_another_descriptor() -> None:
    networks = Kept("net")
    descriptors: list[int] = []
    assert networks.step("seat", MAKE, descriptors) == MAKE
    networks.keep("seat", os.getpid())

    step = networks.step("seat", MAKE, descriptors)

    assert step == ("enter", FIRST, "net", MAKE)
    assert Path(f"/proc/self/fd/{descriptors[0]}").readlink() == OWN_NETWORK.readlink()
    os.close(descriptors[0])


def test_the_longest_unused_namespaces_are_closed() -> None:
    networks = Kept("net")
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for number in range(2 * MOST):
        networks.keep(number, os.getpid())

    assert len(os.listdir("/proc/self/fd")) == before + MOST  # noqa: PTH208
    assert networks.step(0, MAKE, []) == MAKE


def test_all_are_closed_in_the_next_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    networks = Kept("net")
    descriptors: list[int] = []
    networks.step("seat", MAKE, [])
    networks.keep("seat", os.getpid())
    now_ns = time.monotonic_ns()

    monkeypatch.setattr(time, "monotonic_ns", lambda: now_ns + MINUTE_NS)

    assert networks.step("seat", MAKE, descriptors) == MAKE
    assert not descriptors


def test_nothing_is_kept_of_a_process_that_has_ended() -> None:
    networks = Kept("net")
    networks.keep("seat", 1 << 30)

    assert networks.step("seat", MAKE, []) == MAKE
