"""A child process, from its fork to its end.

Unlike `subprocess.Popen` it does not wait for the exec: the children of a match start at once.
"""

import contextlib
import fcntl
import os
import pickle
import resource
import select
import signal
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

SECOND_NS = 1_000_000_000
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
_HELD_BACK = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
FIRST = 3
"""Number of the first inherited descriptor beside the standard ones."""
_OUTPUTS = (1, 2)
_IN_PREPARE = "prepare"
_MAX_ERROR = 4096
_JOINED = b"+"
_SIZE = struct.Struct("!Q")
_CHUNK = 1 << 16
_MAX_PASSED = 64


class PrepareError(Exception):
    """The preparation of the child between fork and exec failed; its text is the reason."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """A program to execute in a child."""

    argv: Sequence[str]
    folder: str
    env: Mapping[str, str]
    descriptors: Sequence[int]
    """Descriptors that the program inherits, beside the standard ones, as `FIRST` and following."""
    prepare: Callable[[], None]
    """Function that the child calls before the exec; a standby process receives it pickled."""
    groups: Sequence[int] = ()
    """Descriptors of `cgroup.procs` of the control groups that the child joins."""


class Standby:
    """A child of this process that waits in its control groups for a command (`launcher.py`)."""

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid = pid
        self._channel = channel

    def execute(self, command: Command, output: int, errors: int) -> bool:
        """Have it execute the command; False if it has ended."""
        data = pickle.dumps(command)
        data = _SIZE.pack(len(data)) + data
        passed = [output, errors, *command.descriptors]
        with self._channel:
            try:
                if self._channel.recv(1) != _JOINED:
                    return False
                sent = socket.send_fds(self._channel, [data], passed)
                if sent < len(data):  # otherwise it may have closed the channel for its exec
                    self._channel.sendall(data[sent:])
            except OSError:
                return False
        return True

    def end(self) -> None:
        """Kill it, without a command."""
        self._channel.close()
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def stand_by(channel: socket.socket, groups: Sequence[int]) -> NoReturn:
    """Join the control groups, wait for a command and execute it, in this new process."""
    for group in groups:
        os.write(group, b"0")
    channel.send(_JOINED)
    data, passed, _, _ = socket.recv_fds(channel, _CHUNK, _MAX_PASSED)
    while len(data) < _SIZE.size or len(data) < _SIZE.size + _SIZE.unpack_from(data)[0]:
        if not (more := channel.recv(_CHUNK)):
            os._exit(1)  # not needed any more
        data += more
    command: Command = pickle.loads(data[_SIZE.size :])  # noqa: S301 - from the referee
    output, errors, *descriptors = passed
    _become(replace(command, descriptors=descriptors, groups=()), output, errors, set())


class Child:
    """A process with an output pipe, in its own session."""

    def __init__(self, command: Command, standby: Standby | None = None) -> None:
        """Start it, by a standby process if one is there; otherwise fork.

        `confirm` reports whether the program could be executed.
        """
        # An exception of a signal handler here would leave a child that nobody knows of.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
        try:
            with contextlib.ExitStack() as ends:
                self.output, output = _pipe(ends)
                self._errors, errors = _pipe(ends)
                if standby is not None and standby.execute(command, output, errors):
                    self.pid = standby.pid
                elif (pid := os.fork()) == 0:
                    _become(command, output, errors, before)
                else:
                    self.pid = pid
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
        if number == _IN_PREPARE:
            raise PrepareError(name)
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
    at = _IN_PREPARE
    try:
        highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        for group in command.groups:
            os.write(group, b"0")
        at = command.folder
        output, errors = _place(command.descriptors, output, errors)
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
        close_others({*range(FIRST, FIRST + len(command.descriptors)), errors}, highest)
        os.execvpe(command.argv[0], list(command.argv), command.env)  # noqa: S606 - no shell
    except BaseException as error:  # noqa: BLE001 - nothing of the parent may go on here
        number = error.errno if isinstance(error, OSError) and error.errno else 0
        text = f"{at} {error}" if at == _IN_PREPARE else f"{number} {at}"
        os.write(errors, text.encode(errors="surrogateescape")[:_MAX_ERROR])
    finally:
        os._exit(255)


def _place(descriptors: Sequence[int], *others: int) -> list[int]:
    """Move these descriptors to `FIRST` and following, and return the new numbers of the others.

    Small numbers are within any limit of open files. What had these numbers before is closed.
    """
    above = FIRST + len(descriptors)
    moved = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, above) for each in (*others, *descriptors)]
    for number, source in enumerate(moved[len(others) :], start=FIRST):
        os.dup2(source, number)
    return moved[: len(others)]


def close_others(kept: set[int], highest: int) -> None:
    """Close all descriptors except the standard ones and `kept`."""
    first = len(_OUTPUTS) + 1
    for descriptor in sorted(kept):
        # The kernel refuses an empty range, and Python then closes all above the lowered limit.
        if first < descriptor:
            os.closerange(first, descriptor)
        first = descriptor + 1
    os.closerange(first, highest)
