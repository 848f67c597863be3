"""A sandbox for programs one after another, for a process that starts nothing else meanwhile."""

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self

from referee.sandbox.cgroup import Groups
from referee.sandbox.directory import SandboxDirectory
from referee.sandbox.isolation import Access
from referee.sandbox.limits import Limits
from referee.sandbox.orphans import become_subreaper, sweep
from referee.sandbox.process import Process, environment
from referee.sandbox.proctree import live_children
from referee.sandbox.program import Program
from referee.sandbox.tiers import process_limit
from referee.sandbox.unprivileged import NOBODY
from referee.sandbox.users import Users

NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Sandbox:
    """The control groups and users of sandboxed programs, as far as this machine has them.

    Normal use:

        with Sandbox.probe() as sandbox:
            with sandbox.run(program, limits) as process:
                while (ended := process.wait_end(0)) is None:
                    ...  # read `process.output`, look at `process.cpu_ns()`, mind the time
    """

    groups: Groups | None
    """Control groups: without one, CPU time is approximate and memory holds for each process."""
    users: Users | None
    """Users of the programs if this process is root."""

    @classmethod
    def probe(cls) -> Self:
        """Return what this machine allows."""
        return cls(Groups.probe(), Users.probe())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the control groups, and release the users."""
        if self.groups is not None:
            self.groups.close()
        if self.users is not None:
            self.users.close()

    @contextlib.contextmanager
    def run(
        self, program: Program, limits: Limits, variables: Mapping[str, str] = NOTHING
    ) -> Iterator[Process]:
        """Start a program; at the end kill it with all processes below it, and remove its files.

        The processes below it become children of this process when their parents end, so every
        child that was not there before is killed. Raises NoStartError, SandboxError, or OSError
        without resources.
        """
        become_subreaper()
        with contextlib.ExitStack() as clear:
            directory = SandboxDirectory()
            clear.callback(directory.remove)
            user, group = NOBODY, None
            if self.users is not None:
                user = self.users.take()
                clear.callback(self.users.give_back, user)
            if self.groups is not None:
                group = self.groups.take(limits.memory_bytes, process_limit(program, limits))
                clear.callback(self.groups.give_back, group)
            others = set(live_children(os.getpid()))
            access = Access(directory=directory.path, user=user)
            mark = {"ARENA_SANDBOX": str(directory.path)}
            env = {**environment(program, access), **mark, **variables}
            process = Process(program, limits, env, group, access)
            clear.callback(sweep, others)
            clear.callback(process.stop)
            process.confirm()
            yield process
