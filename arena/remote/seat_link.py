"""The door's link to a seat's socket: a ZMTP DEALER like that of a bot, on a plain socket.

libzmq would send in a thread of its own, so the news of a bot's end could overtake its last
message.
"""

import socket
from collections.abc import Callable

import zmq

from arena.remote.events import Events
from protocol.zmtp import GREETING, GREETING_LENGTH, frame

MAX_UNSENT = 1 << 20
"""Limit of bytes not read by the referee: a flood of unrequested messages."""
_READY = frame(
    b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x00", flags=4
)
_CHUNK = 64 * 1024
_LONG, _COMMAND = 2, 4


class SeatLink:
    """A connection to the socket of one seat."""

    def __init__(self, path: str, events: Events, receive: Callable[[bytes], None]) -> None:
        """Connect; `receive` gets each message of the referee. Raises OSError."""
        self._events, self._receive = events, receive
        self._unsent = bytearray(GREETING + _READY)
        self._buffer = bytearray()
        self._to_skip = GREETING_LENGTH
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.connect(path)
        except OSError:
            self._socket.close()
            raise
        self._socket.setblocking(False)  # noqa: FBT003 - the name of the standard library
        self._flush()

    def send(self, payload: bytes) -> bool:
        """Send a message of the bot; return False if the referee has too many of them."""
        self._unsent += frame(payload)
        self._flush()
        return len(self._unsent) <= MAX_UNSENT

    def close(self) -> None:
        """Close the connection."""
        if self._socket.fileno() >= 0:
            self._events.forget(self._socket.fileno())
            self._socket.close()

    def drain(self) -> None:
        """Read the referee's last messages, before the link is closed."""
        while self._read():
            pass

    def _on_event(self, flags: int) -> None:
        if flags & zmq.POLLOUT:
            self._flush()
        if flags & ~zmq.POLLOUT:
            self._read()

    def _read(self) -> bool:
        try:
            data = self._socket.recv(_CHUNK) if self._socket.fileno() >= 0 else b""
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self.close()  # the order for the seat ends as well, and with it the seat
            return False
        skipped = min(self._to_skip, len(data))
        self._to_skip -= skipped
        self._buffer += data[skipped:]
        while (item := self._next()) is not None:
            flags, body = item
            if not flags & _COMMAND:
                self._receive(body)
        return True

    def _next(self) -> tuple[int, bytes] | None:
        buffer, start = self._buffer, 2
        if len(buffer) < start:
            return None
        size = buffer[1]
        if buffer[0] & _LONG:
            start = 9
            if len(buffer) < start:
                return None
            size = int.from_bytes(buffer[1:9], "big")
        if len(buffer) < start + size:
            return None
        flags, body = buffer[0], bytes(buffer[start : start + size])
        del buffer[: start + size]
        return flags, body

    def _flush(self) -> None:
        if self._socket.fileno() < 0:
            return
        try:
            del self._unsent[: self._socket.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent.clear()
        self._events.watch(
            self._socket.fileno(),
            self._on_event,
            zmq.POLLIN | (zmq.POLLOUT if self._unsent else 0),
        )
