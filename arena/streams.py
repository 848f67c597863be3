"""Standard streams tolerant of a closed terminal or pipe, so that events continue."""

import errno
import fcntl
import io
import os
import sys
from typing import Any, TextIO, cast

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FULL = (*_NO_ROOM, errno.EIO)


def make_ready() -> None:
    """Make the standard streams accept all text; closed ones are opened on /dev/null.

    Writing to a closed stdout still fails, so that no result is lost without a word.
    """
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            mode = os.O_RDONLY if name == "stdout" else os.O_RDWR
            lowest_free = os.open(os.devnull, mode)  # the descriptor of the closed stream
            os.set_inheritable(lowest_free, True)  # noqa: FBT003 - it takes no keyword
            setattr(sys, name, os.fdopen(lowest_free, "w" if name != "stdin" else "r"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def unwritten(error: Exception, stream: TextIO) -> str | None:
    """Return why output to a stream was not written; None for errors of named files, and others."""
    if not isinstance(error, OSError) or error.filename is not None:
        return None
    if error.errno in _FULL:
        return f"{error.strerror}; make room"
    if error.errno == errno.EBADF and _is_read_only(stream):
        return "stdout is closed"
    return None


def _is_read_only(stream: TextIO) -> bool:
    return fcntl.fcntl(stream, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY


def let_go(stream: TextIO) -> None:
    """Redirect the stream to /dev/null, since flushing its buffer at exit would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def lasting(stream: TextIO) -> TextIO:
    """Return the stream with write errors, such as those of a closed reader, suppressed."""
    return cast("TextIO", _Lasting(stream, ()))


def piped(stream: TextIO) -> TextIO:
    """Return the stream like `lasting`, except for the errors of a full disk and closed stdout."""
    return cast("TextIO", _Lasting(stream, (*_NO_ROOM, errno.EBADF)))


class _Lasting:
    def __init__(self, stream: TextIO, raised: tuple[int, ...]) -> None:
        self._stream = stream
        self._raised = raised

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError as error:
            self._let_go(error)
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._let_go(error)

    def _let_go(self, error: OSError) -> None:
        if error.errno in self._raised:
            raise error
        let_go(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
