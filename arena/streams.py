"""Standard streams tolerant of a closed terminal or pipe, so that events continue."""

import errno
import io
import os
import sys
from typing import Any, TextIO, TypeGuard, cast

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_FULL = (*_NO_ROOM, errno.EIO)


def make_ready() -> None:
    """Make the standard streams accept all text; closed ones are opened on /dev/null."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            lowest_free = os.open(os.devnull, os.O_RDWR)  # the descriptor of the closed stream
            os.set_inheritable(lowest_free, True)  # noqa: FBT003 - it takes no keyword
            setattr(sys, name, os.fdopen(lowest_free, "w" if name != "stdin" else "r"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_full(error: Exception) -> TypeGuard[OSError]:
    """Whether output could not be written for lack of space; errors of named files excluded."""
    return isinstance(error, OSError) and error.errno in _FULL and error.filename is None


def let_go(stream: TextIO) -> None:
    """Redirect the stream to /dev/null, since flushing its buffer at exit would fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def lasting(stream: TextIO) -> TextIO:
    """Return the stream with write errors, such as those of a closed reader, suppressed."""
    return cast("TextIO", _Lasting(stream, ()))


def piped(stream: TextIO) -> TextIO:
    """Return the stream like `lasting`, except for the errors of a full disk."""
    return cast("TextIO", _Lasting(stream, _NO_ROOM))


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
