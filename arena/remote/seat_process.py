"""The processes of `arena join` for its bots, from the side of `arena join`."""

import os
import subprocess
import sys
from collections.abc import Callable

import zmq

from arena.errors import MachineError
from arena.remote import wire
from arena.remote.poller import Poller

MAX_UNSENT = 8 * 1024 * 1024
"""Limit of bytes not read by the process: several calls of the largest size."""
_CHUNK = 1 << 16


class SeatProcess:
    """A process for one bot at a time."""

    def __init__(
        self, poller: Poller, receive: Callable[["SeatProcess", wire.Head, bytes], None]
    ) -> None:
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "arena.remote.seat_process_main"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
            )
        except OSError as error:
            raise MachineError(f"no bot can be started: {error.strerror}") from None
        self.seat: str | None = None
        """The played seat; None while idle."""
        self.game = ""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018
        self._in, self._out = self._process.stdin, self._process.stdout
        os.set_blocking(self._in.fileno(), False)
        self._poller, self._receive = poller, receive
        self._unsent = bytearray()
        self._reader = wire.PipeReader()

    def fileno(self) -> int:
        """Return the descriptor of its output."""
        return self._out.fileno()

    def send(self, head: wire.Head, payload: bytes = b"") -> None:
        """Send a message without waiting; end a process with too many unread ones."""
        self._unsent += wire.pipe_bytes(head, payload)
        self._flush()
        if len(self._unsent) > MAX_UNSENT:
            self._process.terminate()

    def _flush(self, flags: int = 0) -> None:
        try:
            while self._unsent and (sent := self._in.write(self._unsent)):
                del self._unsent[:sent]
        except OSError:
            self._unsent.clear()
        if self._unsent:
            self._poller.watch(self._in.fileno(), self._flush, zmq.POLLOUT)
        else:
            self._poller.forget(self._in.fileno())

    def read(self) -> bool:
        """Read its messages; return False after its end."""
        data = self._out.read(_CHUNK)
        if not data:
            return False
        for head, payload in self._reader.feed(data):
            self._receive(self, head, payload)
        return True

    def end(self) -> None:
        """End the process and its bot."""
        self._poller.forget(self._in.fileno())
        self._in.close()
        self._process.terminate()
        self._process.wait()
        self._out.close()
