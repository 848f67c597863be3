"""The command and its referees as forks of a process that has loaded everything already.

They run the same code as the real ones, but start in a hundredth of a second instead of half a
second, so that they can be killed thousands of times within minutes.
"""

import functools
import gc
import importlib
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Self

import typer.main
from pydantic import BaseModel

import arena.cli
from arena.bots import building
from arena.commands.loading import application
from arena.event.slots import local_slots
from referee import __main__ as referee
from referee.sandbox import builder, visible_paths
from referee.sandbox.kept import NETWORKS, ROOTS

_LATE = ("arena.config.loading", "arena.commands.run_event", "pydantic", "referee.service.slot")
for _name in _LATE:
    importlib.import_module(_name)  # the command loads it on demand, which is too late here

MAX_DESCRIPTOR = 1024
OUR_FAULT = 70
MAINS = {"referee": referee.main, "referee.sandbox.builder": builder.main}


class Fork:
    """A child of this process, with what is needed of `subprocess.Popen`."""

    def __init__(
        self, act: Callable[[], None], descriptors: Sequence[int], passed: Sequence[int] = ()
    ) -> None:
        """Start it: `descriptors` become stdin, stdout and stderr; of the others `passed` stay."""
        sys.stdout.flush()
        sys.stderr.flush()
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            code = OUR_FAULT
            try:
                _settle(descriptors, passed)
                code = _code_of(act)
            finally:
                os._exit(code)
        self._pidfd = os.pidfd_open(self.pid)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end and return how it ended; raises subprocess.TimeoutExpired."""
        if self.returncode is None:
            if not select.select([self._pidfd], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a fork", timeout or 0)
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            os.close(self._pidfd)
        return self.returncode

    def send_signal(self, number: signal.Signals) -> None:
        if self.returncode is None:
            signal.pidfd_send_signal(self._pidfd, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


def _settle(descriptors: Sequence[int], passed: Sequence[int]) -> None:
    gc.freeze()  # finalizers of the parent's objects would wait for threads that a fork lacks
    os.setsid()
    for kept_open in (ROOTS, NETWORKS):
        kept_open._open.clear()  # their descriptors are closed below
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
    kept = [len(descriptors) - 1, *sorted(passed), MAX_DESCRIPTOR]
    for before, after in pairwise(kept):
        os.closerange(before + 1, after)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def _code_of(act: Callable[[], None]) -> int:
    try:
        act()
    except SystemExit as wish:
        return wish.code if isinstance(wish.code, int) else 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


class ForkedModule(Fork):
    """The referee of a slot or the builder of a bot: `python -m MODULE`."""

    def __init__(self, command: Sequence[str], pass_fds: Sequence[int] = (), **_: Any) -> None:
        heard, stdin = os.pipe()
        stdout, said = os.pipe()

        def act() -> None:
            module, *arguments = command[command.index("-m") + 1 :]
            Path("/proc/self/comm").write_text(module.rpartition(".")[2])
            sys.argv = [module, *arguments]
            sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
            MAINS[module]()

        super().__init__(act, [heard, said, 2], pass_fds)
        os.close(heard)
        os.close(said)
        self.stdin: IO[bytes] = os.fdopen(stdin, "wb", 0)
        self.stdout: IO[bytes] = os.fdopen(stdout, "rb", 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stdin.close()
        self.stdout.close()
        self.wait()


@functools.cache
def warm_up() -> None:
    """Make here, once, what each command makes at its first use: validators, options, homes."""
    for model in _submodels(BaseModel):
        model.model_rebuild()
    typer.main.get_command = functools.cache(typer.main.get_command)
    typer.main.get_command(application())
    visible_paths._known_homes()


def _submodels(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for below in model.__subclasses__():
        yield below
        yield from _submodels(below)


def fork_modules() -> None:
    """Have this process fork its referees and builders."""
    forking = SimpleNamespace(
        Popen=ForkedModule, PIPE=subprocess.PIPE, TimeoutExpired=subprocess.TimeoutExpired
    )
    vars(local_slots)["subprocess"] = vars(building)["subprocess"] = forking


class ForkedDirector:
    """The command, like `directing.Directing`, with output to files, which never fill up."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.lines: list[str] = []
        self._out, self._said = folder / "stdout.txt", folder / "stderr.txt"
        warm_up()

        def act() -> None:
            os.chdir(folder)
            os.environ["XDG_CACHE_HOME"] = str(folder / "cache")
            sys.argv = ["arena", "tournament", "event.yaml", *arguments]
            fork_modules()
            arena.cli.main()

        with (
            Path(os.devnull).open() as nothing,
            self._out.open("wb") as out,
            self._said.open("wb") as said,
        ):
            self._process = Fork(act, [stream.fileno() for stream in (nothing, out, said)])
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def wait(self) -> int:
        return self._process.wait()

    def wait_until(self, moment_s: float) -> None:
        """Wait for the end; raises TimeoutError at this moment of the monotonic clock."""
        try:
            self._process.wait(max(0.0, moment_s - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise TimeoutError from None

    def end(self) -> tuple[int, str]:
        """Wait for the end; return the exit code and all of stdout."""
        code = self._process.wait()
        self.lines = self._said.read_text().splitlines()
        return code, self._out.read_text()
