"""Programs in each tier that this machine allows."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import Running
from sandboxed import INTRUDER, LIMITS, TIERS, Starter, check_allowed

from referee.sandbox.cgroup import Group, Groups
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.isolation import Access
from referee.sandbox.limits import Limits, Tier
from referee.sandbox.process import environment
from referee.sandbox.program import Program
from referee.sandbox.tiers import process_limit
from referee.seats.program import ASKS_NOT


@pytest.fixture(params=TIERS)
def tier(request: pytest.FixtureRequest) -> Tier:
    """Yield each available tier, or those named by `of_tiers`."""
    asked: Tier = request.param
    check_allowed(asked)
    return asked


@pytest.fixture
def room() -> Iterator[Path]:
    """Give a sandbox directory."""
    made = SandboxDirectory()
    yield made.path
    made.remove()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Yield a world-readable prepared folder inside a private one."""
    made = tmp_path / "bot"
    made.mkdir(mode=0o755)
    (made / "own.txt").write_text("mine")
    shutil.copy(INTRUDER, made / "main.py")
    return made


@pytest.fixture
def start_in(groups: Groups | None, subreaper: None, room: Path, folder: Path) -> Iterator[Starter]:
    """Start Python programs in a tier; they are stopped when the test is over."""
    del subreaper
    running: list[Running] = []
    taken: list[Group] = []

    def starter(
        tier: Tier,
        *arguments: str,
        limits: Limits = LIMITS,
        port: int | None = None,
        processes: bool = True,
    ) -> Running:
        argv = (sys.executable, "-I", "-S", *arguments)
        program = Program(
            name="bot",
            argv=argv,
            folder=str(folder),
            asks_for_processes=processes,
            tier=tier,
            advice=ASKS_NOT,
        )
        access = Access(directory=room, port=port)
        group = groups.take(limits.memory_bytes, process_limit(program, limits)) if groups else None
        if group:
            taken.append(group)
        env = {**environment(program, access), "ARENA_ENDPOINT": f"ipc://{room}/s"}
        running.append(Running(program, limits, env, group, access))
        return running[-1]

    yield starter
    for process in running:
        process.stop()
    for group in taken:
        group.remove()
