"""A new process from fork to exec, perhaps of the launcher: this module imports little."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found] # `signal` and `socket` import `enum`
import _socket as socket
import fcntl
import marshal
import os
import resource
import struct
import warnings  # noqa: F401 - `os.execvpe` imports it, when its file may be out of reach

from referee.sandbox import steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NoReturn

Task = tuple[list[str], str, dict[str, str], list[steps.Step]]
"""Arguments, folder and environment of a program, and the steps before its exec."""

FIRST = 3
"""Number of the first inherited descriptor beside the standard ones."""
IN_PREPARE = "prepare"
JOINED = b"+"
SIZE = struct.Struct("!Q")
_DESCRIPTOR = struct.Struct("i")
_MAYBE_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
"""Signals that Python ignores, or whoever started Arena."""
_OUTPUTS = (1, 2)
_MAX_ERROR = 4096
_CHUNK = 1 << 16
_MAX_PASSED = 64


def receive(channel: socket.socket, length: int, most: int) -> tuple[bytes, list[int]]:
    """Receive up to `length` bytes, and up to `most` file descriptors sent with them."""
    space = socket.CMSG_LEN(most * _DESCRIPTOR.size)
    data, ancillary, _, _ = channel.recvmsg(length, space)
    passed = []
    for level, kind, body in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            whole = body[: len(body) - len(body) % _DESCRIPTOR.size]
            passed += [number for (number,) in _DESCRIPTOR.iter_unpack(whole)]
    return data, passed


def stand_by(channel: socket.socket, groups: Iterable[int]) -> NoReturn:
    """Join the control groups, wait for a task and execute it, in this new process."""
    for group in groups:
        os.write(group, b"0")
    channel.send(JOINED)
    data, passed = receive(channel, _CHUNK, _MAX_PASSED)
    while len(data) < SIZE.size or len(data) < SIZE.size + SIZE.unpack_from(data)[0]:
        if not (more := channel.recv(_CHUNK)):
            os._exit(1)  # not needed any more
        data += more
    task: Task = marshal.loads(data[SIZE.size :])  # noqa: S302 - from the referee
    output, errors, *descriptors = passed
    execute(task, descriptors, output, errors)


def execute(
    task: Task,
    descriptors: Sequence[int],
    output: int,
    errors: int,
    *,
    groups: Iterable[int] = (),
    signals: Iterable[int] = (),
) -> NoReturn:
    """Execute the program in this new process, or write the error to `errors`.

    The process joins `groups` first. The program starts with `signals` blocked and no others.
    """
    argv, folder, env, before = task
    at = IN_PREPARE
    try:
        highest = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        for group in groups:
            os.write(group, b"0")
        at = folder
        output, errors = _place(descriptors, output, errors)
        os.setsid()
        nothing = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        os.dup2(nothing, 0)
        for descriptor in _OUTPUTS:
            os.dup2(output, descriptor)
        os.chdir(folder)
        for ignored in _MAYBE_IGNORED:
            signal.signal(ignored, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, signals)
        at = IN_PREPARE
        steps.take(before)
        at = argv[0]
        close_others({*range(FIRST, FIRST + len(descriptors)), errors}, highest)
        os.execvpe(argv[0], argv, env)  # noqa: S606 - no shell
    except BaseException as error:  # noqa: BLE001 - nothing of the parent may go on here
        number = error.errno if isinstance(error, OSError) and error.errno else 0
        text = f"{at} {error}" if at == IN_PREPARE else f"{number} {at}"
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
