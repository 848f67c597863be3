"""Where the tests of real processes run: with control groups, if there are any, and without."""

import ctypes
import os
from collections.abc import Callable, Iterator

import pytest
from programs import Program

from referee.cgroup import Group, Groups
from referee.job import Limits, Player
from referee.process import become_subreaper, sweep
from referee.proctree import live_children

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
    """Give control groups, all of which are gone afterwards."""
    groups = Groups.probe()
    if groups is None:
        pytest.skip(NO_GROUPS)
    yield groups
    groups.close()


@pytest.fixture(params=["groups", "tree"])
def groups(request: pytest.FixtureRequest) -> Groups | None:
    """Give control groups or none: what is tested must be so with and without."""
    found: Groups | None = None
    if request.param == "groups":
        found = request.getfixturevalue("new_groups")
    return found


Starter = Callable[..., Program]


@pytest.fixture
def start(groups: Groups | None, subreaper: None) -> Iterator[Starter]:
    """Start programs that are stopped when the test is over."""
    del subreaper
    running: list[Program] = []
    taken: list[Group] = []

    def starter(what: Player, limits: Limits | None = None, **env: str) -> Program:
        group = groups.take() if groups else None
        if group:
            taken.append(group)
        running.append(Program(what, limits or Limits(), {"PATH": os.defpath, **env}, group))
        return running[-1]

    yield starter
    for process in running:
        process.stop()
    for group in taken:
        group.remove()
