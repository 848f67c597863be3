"""Output that outlives its reader: a terminal or a pipe that closes ends no event."""

import os
from typing import Any, TextIO, cast


def lasting(stream: TextIO) -> TextIO:
    """Return the stream, but without the errors of writing to where nobody reads any more."""
    return cast("TextIO", _Lasting(stream))


class _Lasting:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except OSError:
            self._let_go()
            return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError:
            self._let_go()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _let_go(self) -> None:
        """Lead the descriptor nowhere: what is still buffered would fail again when we exit."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
