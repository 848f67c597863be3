"""The door's link to a seat's socket: a ZMTP DEALER like that of a bot, on a plain socket.

libzmq would send in a thread of its own, so the news of a bot's end could overtake its last
message.
"""

import socket
from collections.abc import Callable

import zmq

from arena.remote.poller import Poller
from protocol.codec import MAX_CALL_BYTES
from protocol.errors import WireError
from protocol.zmtp import DealerSession, frame

MAX_UNSENT = 1 << 20
"""Limit of bytes not read by the referee: a flood of unrequested messages."""
_CHUNK = 64 * 1024


class SeatLink:
    """A connection to the socket of one seat."""

    def __init__(self, path: str, poller: Poller, receive: Callable[[bytes], None]) -> None:
        """Connect; `receive` gets each message of the referee. Raises OSError."""
        self._poller, self._receive = poller, receive
        self._session = DealerSession(MAX_CALL_BYTES)
        self._unsent = self._session.outgoing
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
            self._poller.forget(self._socket.fileno())
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
            messages = self._session.feed(data)
        except BlockingIOError:
            return False
        except (OSError, WireError):
            data, messages = b"", []
        for message in messages:
            self._receive(message)
        if not data:
            self.close()  # the referee's connection ends as well, and with it the seat
        return bool(data)

    def _flush(self) -> None:
        if self._socket.fileno() < 0:
            return
        try:
            del self._unsent[: self._socket.send(self._unsent)]
        except BlockingIOError:
            pass
        except OSError:
            self._unsent.clear()
        self._poller.watch(
            self._socket.fileno(),
            self._on_event,
            zmq.POLLIN | (zmq.POLLOUT if self._unsent else 0),
        )
