"""Where the tests of real processes run: with control groups, if there are any, and without."""

import ctypes
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hosting import Bots
from preloaded import PreloadedModule
from programs import Running
from referee_process import Referee

from referee.sandbox.cgroup import Group, Groups
from referee.sandbox.controllers import own_group
from referee.sandbox.limits import Limits
from referee.sandbox.orphans import become_subreaper, sweep
from referee.sandbox.proctree import live_children
from referee.sandbox.program import Program
from referee.service.slot import Slot

NO_GROUPS = "this machine lets nobody make a version 2 control group"


@pytest.fixture
def subreaper() -> Iterator[None]:
    """Inherit every orphan, as a referee does, and leave none of them to the next test."""
    others = set(live_children(os.getpid()))
    become_subreaper()
    yield
    sweep(others)
    ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


@pytest.fixture
def new_groups() -> Iterator[Groups]:
    """Yield control groups; check that all are gone afterwards."""
    groups = Groups.probe()
    if groups is None:
        pytest.skip(NO_GROUPS)
    yield groups
    groups.close()


@pytest.fixture(params=["groups", "tree"])
def groups(request: pytest.FixtureRequest) -> Groups | None:
    """Give control groups or none: tests must pass with and without.

    With `memory`, the groups limit the memory of all their processes.
    """
    if request.param == "tree":
        return None
    found: Groups = request.getfixturevalue("new_groups")
    if request.param == "memory" and "memory" not in found.controllers:
        pytest.skip("no control group here counts the memory of several processes")
    return found


Starter = Callable[..., Running]


@pytest.fixture
def start(groups: Groups | None, subreaper: None) -> Iterator[Starter]:
    """Start programs that are stopped when the test is over."""
    del subreaper
    running: list[Running] = []
    taken: list[Group] = []

    def starter(what: Program, limits: Limits | None = None, **env: str) -> Running:
        group = groups.take() if groups else None
        if group:
            taken.append(group)
        running.append(Running(what, limits or Limits(), {"PATH": os.defpath, **env}, group))
        return running[-1]

    yield starter
    for process in running:
        process.stop()
    for group in taken:
        group.remove()


@pytest.fixture
def rooms(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Give the folder of sandbox directories: its path is short enough for a socket."""
    tmp_path_factory.getbasetemp()  # found now, before everything temporary goes elsewhere
    home = Path(tempfile.mkdtemp(prefix="rooms-", dir="/tmp"))
    monkeypatch.setattr(tempfile, "tempdir", str(home))
    yield home
    shutil.rmtree(home)


@pytest.fixture
def slot(groups: Groups | None, subreaper: None, rooms: Path) -> Iterator[Slot]:
    """Give a slot that must leave no process, no directory and no control group."""
    del subreaper
    before = set(live_children(os.getpid()))
    home = own_group()
    earlier = _groups_in(home)
    made = Slot(groups)
    yield made
    made.close()
    assert set(live_children(os.getpid())) <= before
    assert list(rooms.iterdir()) == []
    if groups:
        groups.close()
        assert _groups_in(home) <= earlier


def _groups_in(home: Path | None) -> set[Path]:
    """Return the control groups of this process; other tests of it may have some of their own."""
    return set(home.glob(f"arena-{os.getpid()}-*")) if home else set()


@pytest.fixture
def bots(tmp_path: Path) -> Bots:
    return Bots(tmp_path)


@pytest.fixture
def referee(tmp_path: Path) -> Iterator[Referee]:
    """Start the process of a referee, which must end when its jobs are over."""
    running = Referee(tmp_path, ["referee.__main__"], PreloadedModule)
    try:
        yield running
        running.ended()
    finally:
        running.kill()
