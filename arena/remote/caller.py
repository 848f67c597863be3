"""One connection to the door, from its first byte to a joined entrant.

The door accepts the connection itself and so has its descriptor: for the limits of each address,
and for the kernel's measured round trip. Behind each one that begins as CURVE does stands a CURVE
server of libzmq, on a private unix socket; the door copies the bytes between the two. So the
entrant of a connection is never in doubt, and a silent connection costs one descriptor.
"""

import contextlib
import os
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

import zmq

from arena.remote.poller import Poller
from protocol.link import FRAME_LIMIT
from protocol.zmtp import GREETING_LENGTH, SIGNATURE_LENGTH

DOMAIN = "arena"
"""Name of the domain in which libzmq asks for authentication; the number of the caller follows."""
MAX_UNREAD = 4 * FRAME_LIMIT
"""Received bytes without a complete message, or not yet handed to the server behind the
connection, after which no more are read."""
HEARTBEATS = 32
"""Bytes a second allowed beyond MAX_UNREAD: a waiting `arena join` sends 42 in 5 s."""
MAX_UNSENT = 4 * FRAME_LIMIT
"""Limit of bytes not read by a caller."""
SILENT_S = 10
"""Seconds before the kernel ends a connection without an answer."""
GREETING = (
    b"\xff" + bytes(7) + b"\x01\x7f\x03\x01" + b"CURVE".ljust(20, b"\0") + b"\x01" + bytes(31)
)
"""The greeting of a CURVE server."""
_FIRST_LENGTH = SIGNATURE_LENGTH + 1
"""Bytes of the greeting to send at once. The rest follows the client's first bytes, the proof of
ZeroMQ: a client without a key leaves after reading the rest.
"""
NO_KEY = "has no key: its connection is not encrypted by CURVE"
"""Reason to refuse a connection."""
ENDED = "it ended the handshake; probably its --server is not the key of this host"
_CHUNK = 64 * 1024
_MIN_ROUND_TRIP = struct.Struct("148xI")
"""Place of `tcpi_min_rtt`, in microseconds, in Linux's `struct tcp_info`."""
_UNKNOWN = 0xFFFFFFFF


class Caller:
    """A connection over TCP."""

    def __init__(self, connection: socket.socket, address: str, number: int) -> None:
        """Greet the caller."""
        self.address = address
        self.number = number
        self.key: bytes | None = None
        """Public key of the signed-in client; None before."""
        self.name: str | None = None
        """Name of the entrant; None before joining."""
        self.is_refused = False
        """Whether the door has refused it; its next message then closes the connection.

        To read a message costs the door far more than it costs the caller to send one.
        """
        self.server: zmq.Socket[bytes] | None = None
        """The CURVE server behind the connection; None before the greeting."""
        self.on_greeting: Callable[[], None] = lambda: None
        """Called for each part of the greeting; puts a server behind a right one, or closes."""
        self._tcp = connection
        self._inner: socket.socket | None = None
        self._to_inner = bytearray()
        self._to_peer = bytearray(GREETING[:_FIRST_LENGTH])
        self._greeting_left = GREETING[_FIRST_LENGTH:]
        self._to_skip = GREETING_LENGTH
        """Bytes of the server's own greeting, sent already."""
        self._unread = 0
        self._message_at = time.monotonic()
        self._full_at: float | None = None
        """Time since when nothing more is read."""
        self._is_closed = False
        self._poller: Poller | None = None
        self._close: Callable[[str], None] = lambda _: None

    def open(self, poller: Poller, close: Callable[[str], None]) -> None:
        """Begin to read; `close` receives the reason for the end of the connection."""
        self._poller, self._close = poller, close
        for option, value in (
            (socket.TCP_NODELAY, 1),
            (socket.TCP_KEEPIDLE, SILENT_S // 2),
            (socket.TCP_KEEPINTVL, 1),
            (socket.TCP_KEEPCNT, SILENT_S // 2),
            (socket.TCP_USER_TIMEOUT, SILENT_S * 1000),
        ):
            self._tcp.setsockopt(socket.IPPROTO_TCP, option, value)
        self._tcp.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._tcp.setblocking(False)  # noqa: FBT003 - the name of the standard library
        self._flush()

    def serve(self, context: "zmq.Context[zmq.Socket[bytes]]", secret: str, folder: Path) -> None:
        """Put a CURVE server behind the connection, and hand over the bytes so far."""
        path = folder / str(self.number)
        server = self.server = context.socket(zmq.DEALER)
        server.linger = 0
        server.rcvhwm = server.sndhwm = 64
        server.maxmsgsize = FRAME_LIMIT
        server.curve_server = True
        server.curve_secretkey = secret.encode()
        server.zap_domain = f"{DOMAIN}/{self.number}".encode()
        server.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)
        server.bind(f"ipc://{path}")
        self._inner = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._inner.connect(str(path))
        self._inner.setblocking(False)  # noqa: FBT003 - the name of the standard library
        path.unlink()
        self._flush()

    @property
    def greeting(self) -> bytes:
        """The bytes received before the server, at most a greeting's."""
        return bytes(self._to_inner[:GREETING_LENGTH])

    def round_trip_ns(self) -> int:
        """Return the shortest round trip measured by this kernel, in nanoseconds; 0 if unknown."""
        try:
            found = self._tcp.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _MIN_ROUND_TRIP.size)
            (micros,) = _MIN_ROUND_TRIP.unpack(found)
        except (OSError, struct.error):
            return 0
        return 0 if micros == _UNKNOWN else micros * 1000

    def note_message(self) -> None:
        """Count the received bytes anew after a complete message."""
        was_full, self._unread = self._is_full(), 0
        self._message_at = time.monotonic()
        if was_full:
            self._flush()

    def is_stuck(self, since: float) -> bool:
        """Whether it has sent more than a message may have, since before this time."""
        return self._full_at is not None and self._full_at < since

    def send(self, frames: list[bytes]) -> None:
        """Send a message; close a caller with too many unread ones."""
        if self.server is None:
            return
        try:
            self.server.send_multipart(frames, zmq.NOBLOCK)
        except zmq.ZMQError:
            self._close("it does not read its messages")

    def end(self) -> None:
        """Close the connection and its server at once."""
        self._is_closed = True
        poller, self._close = self._poller, lambda _: None
        for end in (self._tcp, self._inner):
            if end is not None:
                if poller is not None:
                    poller.forget(end.fileno())
                end.close()
        if self.server is not None:
            if poller is not None:
                poller.forget(self.server)
            self.server.close(0)

    def _on_peer(self, flags: int) -> None:
        try:
            if flags & zmq.POLLIN or not flags & zmq.POLLOUT:
                data = self._tcp.recv(_CHUNK)
                if not data:
                    self._close(self._without_key())
                    return
                self._to_peer += self._greeting_left
                self._greeting_left = b""
                self._to_inner += data
                self._unread += len(data)
                if self.server is None:
                    self.on_greeting()
            self._flush()
        except BlockingIOError:
            return
        except OSError as error:
            self._close(self._without_key() or os.strerror(error.errno or 0))
            return

    def _without_key(self) -> str:
        """Return the reason for the end of a connection by a client without a key."""
        return NO_KEY if self.server is None and self._to_inner else ""

    def _on_inner(self, flags: int) -> None:
        assert self._inner is not None  # noqa: S101 - otherwise not watched
        try:
            if flags & zmq.POLLIN or not flags & zmq.POLLOUT:
                data = self._inner.recv(_CHUNK)
                if not data:
                    self._flush()
                    self._close(ENDED if self.name is None else "refused")
                    return
                skipped = min(self._to_skip, len(data))
                self._to_skip -= skipped
                self._to_peer += data[skipped:]
            self._flush()
        except BlockingIOError:
            return
        except OSError as error:
            self._close(os.strerror(error.errno or 0))

    def _is_full(self) -> bool:
        return self._is_endless() or len(self._to_inner) > MAX_UNREAD

    def _is_endless(self) -> bool:
        heartbeats = HEARTBEATS * (time.monotonic() - self._message_at)
        return self._unread > MAX_UNREAD + heartbeats

    def _flush(self) -> None:
        """Send as much as possible, and watch for the rest."""
        assert self._poller is not None  # noqa: S101 - `open` comes first
        if self._is_closed:
            return
        _send(self._tcp, self._to_peer)
        if self._inner is not None:
            _send(self._inner, self._to_inner)
        self._full_at = (self._full_at or time.monotonic()) if self._is_endless() else None
        is_full = self._is_full()
        self._poller.watch(self._tcp.fileno(), self._on_peer, _flags(self._to_peer, is_full))
        if self._inner is None:
            return
        is_full = len(self._to_peer) > MAX_UNSENT
        self._poller.watch(self._inner.fileno(), self._on_inner, _flags(self._to_inner, is_full))


def _send(target: socket.socket, buffer: bytearray) -> None:
    if buffer:
        with contextlib.suppress(BlockingIOError):
            del buffer[: target.send(buffer)]


def _flags(unsent: bytearray, is_full: bool) -> int:  # noqa: FBT001 - two halves of one answer
    return (0 if is_full else zmq.POLLIN) | (zmq.POLLOUT if unsent else 0)
