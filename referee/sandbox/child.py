"""A child process, from its fork to its end.

Unlike `subprocess.Popen` it does not wait for the exec: the children of a match start at once.
"""

import contextlib
import os
import resource
import select
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

SECOND_NS = 1_000_000_000
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_HELD_BACK = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_OUTPUTS = (1, 2)
_IN_PREPARE = "prepare"


class PrepareError(Exception):
    """The preparation of the child between fork and exec failed."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A program to execute in a child."""

    argv: Sequence[str]
    folder: str
    env: Mapping[str, str]
    descriptors: Sequence[int]
    """Descriptors that the program inherits, beside the standard ones."""
    prepare: Callable[[], None]
    """Function that the child calls before the exec."""


class Child:
    """A process with an output pipe, in its own session."""

    def __init__(self, command: Command) -> None:
        """Fork; `confirm` reports whether the program could be executed."""
        # An exception of a signal handler here would leave a child that nobody knows of.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
        try:
            with contextlib.ExitStack() as ends:
                self.output, output = _pipe(ends)
                self._errors, errors = _pipe(ends)
                self.pid = os.fork()
                if self.pid == 0:
                    _become(command, output, errors, before)
                ends.pop_all()
            os.close(output)
            os.close(errors)
            self.pidfd = os.pidfd_open(self.pid)
            self._code: int | None = None
            os.set_blocking(self.output, False)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def confirm(self) -> None:
        """Wait for the exec.

        Raises OSError, with the name of the program or its folder, or PrepareError.
        """
        with os.fdopen(self._errors, "rb") as reader:
            self._errors = -1
            text = reader.read().decode(errors="surrogateescape")
        if not text:
            return
        self.wait(SECOND_NS)
        number, _, name = text.partition(" ")
        if name == _IN_PREPARE:
            raise PrepareError
        raise OSError(int(number), os.strerror(int(number)), name)

    def wait(self, wait_ns: int) -> int | None:
        """Return the exit code, or minus the signal; None if it runs longer than this."""
        if self._code is None and select.select([self.pidfd], [], [], wait_ns / SECOND_NS)[0]:
            self._code = _reaped(self.pid)
        return self._code

    def kill(self) -> None:
        """Kill the process, but not its children."""
        if self._code is None:
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Close the descriptors of the process."""
        for descriptor in (self.pidfd, self.output, self._errors):
            if descriptor >= 0:
                os.close(descriptor)


def _pipe(ends: contextlib.ExitStack) -> tuple[int, int]:
    reader, writer = os.pipe()
    ends.callback(os.close, reader)
    ends.callback(os.close, writer)
    return reader, writer


def _reaped(pid: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:
        return 0  # reaped elsewhere, as `subprocess` reports it


def _become(command: Command, output: int, errors: int, signals: set[int]) -> NoReturn:
    """Execute the program in this new process, with these signals blocked, or report the error."""
    at = command.folder
    try:
        highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        os.setsid()
        with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - quick
            os.dup2(nothing.fileno(), 0)
        for descriptor in _OUTPUTS:
            os.dup2(output, descriptor)
        os.chdir(command.folder)
        for ignored in _IGNORED_BY_PYTHON:
            signal.signal(ignored, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        at = _IN_PREPARE
        command.prepare()
        at = command.argv[0]
        _close_others({*command.descriptors, errors}, highest)
        for descriptor in command.descriptors:
            os.set_inheritable(descriptor, True)  # noqa: FBT003 - no other form
        os.execvpe(command.argv[0], list(command.argv), command.env)  # noqa: S606 - no shell
    except BaseException as error:  # noqa: BLE001 - nothing of the parent may go on here
        number = error.errno if isinstance(error, OSError) and error.errno else 0
        os.write(errors, f"{number} {at}".encode(errors="surrogateescape"))
    finally:
        os._exit(255)


def _close_others(kept: set[int], highest: int) -> None:
    """Close all descriptors except the standard ones and `kept`."""
    first = len(_OUTPUTS) + 1
    for descriptor in sorted(kept):
        # The kernel refuses an empty range, and Python then closes all above the lowered limit.
        if first < descriptor:
            os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, highest)
