"""A child process from fork to end; unlike `subprocess.Popen` it does not wait for the exec."""

import contextlib
import marshal
import os
import select
import signal
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from referee.sandbox.new_process import IN_PREPARE, JOINED, SIZE, Task, execute
from referee.sandbox.steps import Step

SECOND_NS = 1_000_000_000
_HELD_BACK = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


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
    steps: Sequence[Step]
    """What the child does before the exec (`steps.py`)."""
    groups: Sequence[int] = ()
    """Descriptors of `cgroup.procs` of the control groups that the child joins."""

    def task(self) -> Task:
        """Return the plain values that the child needs."""
        return list(self.argv), self.folder, dict(self.env), list(self.steps)


class Standby:
    """A child of this process that waits in its control groups for a command (`launcher.py`)."""

    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid = pid
        self._channel = channel

    def execute(self, command: Command, output: int, errors: int) -> bool:
        """Make the standby process execute the command; return False if it has ended."""
        data = marshal.dumps(command.task())
        data = SIZE.pack(len(data)) + data
        passed = [output, errors, *command.descriptors]
        with self._channel:
            try:
                if self._channel.recv(1) != JOINED:
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


class Child:
    """A process with an output pipe, in its own session."""

    def __init__(self, command: Command, standby: Standby | None = None) -> None:
        """Start it, by a standby process if one is there; `confirm` reports a failure."""
        # An exception of a signal handler here would leave a child that nobody knows of.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)
        try:
            with contextlib.ExitStack() as ends:
                self.output, output = _pipe(ends)
                self._errors, errors = _pipe(ends)
                if standby is not None and standby.execute(command, output, errors):
                    self.pid = standby.pid
                elif (pid := os.fork()) == 0:
                    execute(
                        command.task(),
                        command.descriptors,
                        output,
                        errors,
                        groups=command.groups,
                        signals=before,
                    )
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
        """Wait for the exec; raises PrepareError, or OSError with the name of program or folder."""
        with os.fdopen(self._errors, "rb") as reader:
            self._errors = -1
            text = reader.read().decode(errors="surrogateescape")
        if not text:
            return
        self.wait(SECOND_NS)
        number, _, name = text.partition(" ")
        if number == IN_PREPARE:
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
