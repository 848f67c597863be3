"""Sockets: a listener accepts the connection of one bot, a link exchanges messages with it."""

import contextlib
import hmac
import os
import select
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path

from protocol.codec import MAX_REPLY_BYTES, decode, encode
from protocol.errors import MalformedError, WireError
from protocol.messages import Error, Hello, parse
from protocol.vocabulary import PROTOCOL, Termination
from protocol.wording import shown
from protocol.zmtp import Session

FRAME_LIMIT = 4 * MAX_REPLY_BYTES
"""Limit of a frame in bytes, checked in its header; the codec then checks the message."""
MAX_CALLERS = 8
"""Limit of open connections of a listener; a new one replaces the oldest."""
DRAIN_NS = 50_000_000
"""Limit in ns for receiving the last messages of an ended process."""

MAX_BELLS = 4
"""Events per epoll call. A bot registers three descriptors, `arena join` a fourth."""
SOON_NS = 2_000_000
"""Limit in ns of a read without a poll before; the kernel rounds up to its next tick."""
_SOON = struct.pack("@ll", 0, SOON_NS // 1000)
"""The same limit as a `struct timeval`."""

_CHUNK = 64 * 1024
"""Bytes per read. From 128 KiB, malloc maps new pages for each read, 7 times slower."""
_SHORT = 479
"""Bytes of the first read, enough for nearly every reply: a `bytes` of Python's own allocator."""
_LAST_LOOKS = FRAME_LIMIT // _CHUNK + 1
"""Limit of reads after the deadline: enough for a full frame, and an end for a flood."""


_Look = Callable[[float, int], list[tuple[int, int]]]


class ClosedError(Exception):
    """The peer ended or closed the connection."""


class RefusedHelloError(Exception):
    """A hello with the right token but invalid content. Names the accepted values."""


class Link:
    """Connection to one bot. Sends without blocking; waits for one message at a time.

    Normal use, after `Listener.on_readable` has returned the link with the bot's hello:

        link.send(payload)
        while (reply := link.receive(until_ns)) is None:
            ...  # a slice of time has passed: read the bot's clocks, then wait again
        link.close()

    `receive` raises ClosedError after the bot's end, and WireError for bytes that are no message.
    """

    def __init__(self, connection: socket.socket, session: Session) -> None:
        self._connection = connection
        connection.setblocking(True)  # noqa: FBT003 - the name of the standard library
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _SOON)
        self._session = session
        self._waiting: list[bytes] = []
        self._unsent = bytearray()
        self._bells: dict[int, Callable[[], bool]] = {}
        self._is_dead = False
        # one look at an epoll takes half as long as a poll of the same descriptors
        self._bell_poll = select.epoll()
        self._ringing: _Look = self._bell_poll.poll
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._poll.register(self._bell_poll, select.POLLIN)

    @property
    def unsent(self) -> int:
        """Number of bytes not in the socket's buffer yet, since the peer has not read."""
        return len(self._unsent)

    def watch(self, descriptor: int, bell: Callable[[], bool]) -> None:
        """Call `bell` when the descriptor becomes readable; True means the end of the peer."""
        self._bells[descriptor] = bell
        self._bell_poll.register(descriptor, select.EPOLLIN)

    def send(self, payload: bytes) -> None:
        """Send one message; `receive` sends the part that does not fit into the socket's buffer.

        An ended peer cannot reply any more, not even through a surviving child process.
        """
        self.send_packed(self._session.pack(payload))

    def pack(self, payload: bytes) -> bytes:
        """Encode a message for `send_packed`."""
        return self._session.pack(payload)

    def send_packed(self, packed: bytes) -> None:
        """Send encoded messages, or a part of one."""
        if not self._is_dead and (events := self._ringing(0, MAX_BELLS)):
            self._ring(events)
        if self._unsent:
            self._unsent += packed
            return
        try:
            sent = self._connection.send(packed, socket.MSG_DONTWAIT)
        except BlockingIOError:
            sent = 0
        except OSError:
            return  # the peer is gone; the next receive raises ClosedError
        if sent < len(packed):
            self._unsent += packed[sent:]
            self._poll.modify(self._connection, select.POLLIN | select.POLLOUT)

    def receive(self, until_ns: int) -> bytes | None:
        """Return the next message, or None after the deadline `until_ns` (monotonic).

        A received message takes precedence over the peer's end, and the end over the deadline.
        Raises ClosedError for an ended peer, MalformedError or OversizeError for invalid bytes.
        """
        if self._waiting:
            return self._waiting.pop(0)
        if self._session.fault is not None:
            raise self._session.fault
        # Most replies come at once. This read notices neither the end of the process nor output nor
        # room for unsent bytes, so it ends after 2 ms and leaves them to the poll.
        if not self._unsent and until_ns - time.monotonic_ns() > SOON_NS:
            message = self._read(_SHORT)
            if message is not None:
                return message
        return self._wait(until_ns)

    def _wait(self, until_ns: int) -> bytes | None:
        looks = 0
        while True:
            left_ns = until_ns - time.monotonic_ns()
            events = self._poll.poll(max(0, left_ns) / 1_000_000)
            message = self._serve(events)
            if message is not None:
                return message
            if left_ns <= 0:
                looks += 1
                if not events or looks == _LAST_LOOKS:
                    return None

    def forget(self, descriptor: int) -> None:
        """Stop watching the descriptor."""
        del self._bells[descriptor]
        self._bell_poll.unregister(descriptor)

    def close(self) -> None:
        """Close the connection at once."""
        self._is_dead = True
        self._bell_poll.close()
        self._connection.close()

    def _serve(self, events: list[tuple[int, int]]) -> bytes | None:
        own = self._connection.fileno()
        for descriptor, event in events:
            if descriptor == own and (message := self._on_socket(event)) is not None:
                return message
        if self._is_dead or self._ring(self._ringing(0, MAX_BELLS)):
            return self._last_words()
        return None

    def _ring(self, events: list[tuple[int, int]]) -> bool:
        """Call the bells; after the peer's end, read only the bytes it has already sent.

        They are called in the order of `watch`, the peer's end first, and no other bell meanwhile:
        a bell may send, and one called before its turn may be forgotten by then.
        """
        if not events:
            return self._is_dead
        readable = dict(events)
        self._ringing = _nothing
        try:
            for descriptor in [own for own in self._bells if own in readable]:
                if self._bells[descriptor]():
                    self._is_dead = True
                    with contextlib.suppress(OSError):
                        self._connection.shutdown(socket.SHUT_RD)
        finally:
            self._ringing = self._bell_poll.poll
        return self._is_dead

    def _on_socket(self, event: int) -> bytes | None:
        if event & select.POLLOUT:
            self._flush()
        if event & ~select.POLLOUT:
            return self._read()
        return None

    def _read(self, size: int = _CHUNK) -> bytes | None:
        try:
            data = self._connection.recv(size)
        except BlockingIOError:
            return None
        except ConnectionResetError:
            data = b""  # depends on whether the peer had read all calls before it closed
        except OSError as error:
            raise ClosedError(error.strerror) from None
        if not data:
            raise ClosedError("its process ended" if self._is_dead else "closed its connection")
        message = self._session.feed_short(data)
        if message is not None:
            return message
        messages = self._session.feed(data)
        if self._session.outgoing:
            self._flush()
        if not messages:
            return None
        self._waiting += messages[1:]
        return messages[0]

    def _flush(self) -> None:
        """Send the rest of the messages, and between two messages the answers of the session."""
        if not self._unsent:
            self._unsent += self._session.outgoing
            self._session.outgoing.clear()
        try:
            sent = self._connection.send(self._unsent, socket.MSG_DONTWAIT)
        except BlockingIOError:
            sent = 0
        except OSError:
            sent = len(self._unsent)
        del self._unsent[:sent]
        is_more = self._unsent or self._session.outgoing
        self._poll.modify(
            self._connection, select.POLLIN | select.POLLOUT if is_more else select.POLLIN
        )

    def _last_words(self) -> bytes:
        """Return a message sent before the peer's end, or raise ClosedError."""
        until_ns = time.monotonic_ns() + DRAIN_NS
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        while (left_ns := until_ns - time.monotonic_ns()) > 0:
            if poll.poll(left_ns / 1_000_000) and (message := self._read()) is not None:
                return message
        raise ClosedError("its process ended")


def _nothing(_wait_s: float, _most: int) -> list[tuple[int, int]]:
    """Return no events, in the place of a look at the bells."""
    return []


class Listener:
    """Listening socket for one bot. Accepts the first hello with the right token."""

    def __init__(self, token: str, path: Path | None) -> None:
        """Listen on the unix socket `path`, or without a path on a free port of 127.0.0.1."""
        self.refused: list[str] = []
        """Reasons of the first refused connections, at most MAX_CALLERS."""
        self.port: int | None = None
        """Port of a TCP endpoint, None for a unix socket."""
        self._token = token
        self._path = path
        self._folder: int | None = None
        """Descriptor of the socket's directory, valid even if its path is replaced."""
        self._callers: dict[int, tuple[socket.socket, Session]] = {}
        family = socket.AF_INET if path is None else socket.AF_UNIX
        self._listener = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            self.endpoint = self._listen()
        except BaseException:
            self.close()
            raise

    def descriptors(self) -> list[int]:
        """Return the descriptors to poll for input."""
        return [self._listener.fileno(), *self._callers]

    def on_readable(self, descriptor: int) -> tuple[Link, Hello] | None:
        """Read a descriptor; return link and hello of an accepted bot. Raises RefusedHelloError."""
        if descriptor == self._listener.fileno():
            self._let_in()
            return None
        if descriptor not in self._callers:
            return None  # just refused
        connection, session = self._callers[descriptor]
        try:
            messages = self._hear(connection, session)
            if not messages:
                return None
            hello = self.read_hello(messages[0])
        except WireError as error:
            self._refuse(descriptor, str(error))
            return None
        except RefusedHelloError as error:
            notice = Error(code=Termination.NO_SHOW, detail=str(error))
            session.outgoing += session.pack(encode(notice))
            self._speak(connection, session)
            raise
        except OSError:
            self._drop(descriptor)
            return None
        del self._callers[descriptor]
        link = Link(connection, session)
        link._waiting += messages[1:]  # noqa: SLF001 - messages received with the hello
        self.close()
        return link, hello

    def close(self) -> None:
        """Stop listening, close the other connections and remove the socket's path."""
        self._listener.close()
        for descriptor in list(self._callers):
            self._drop(descriptor)
        if self._path is not None and self._folder is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path.name, dir_fd=self._folder)
            os.close(self._folder)
            self._folder = None

    def _listen(self) -> str:
        """Listen, and return the endpoint."""
        path = self._path
        if path is None:
            self._listener.bind(("127.0.0.1", 0))
        else:
            # every process can see the name of a bound socket, so bind to a name without the path
            self._folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self._listener.bind(f"/proc/self/fd/{self._folder}/{path.name}")
        self._listener.listen(MAX_CALLERS)
        if path is not None:
            return f"ipc://{path}"
        self.port = self._listener.getsockname()[1]
        return f"tcp://127.0.0.1:{self.port}"

    def _let_in(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # closed before it was accepted
        connection.setblocking(False)  # noqa: FBT003 - the name of the standard library
        if self._path is None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        session = Session(FRAME_LIMIT)
        if len(self._callers) == MAX_CALLERS:
            self._refuse(next(iter(self._callers)), "connected without sending hello")
        self._callers[connection.fileno()] = (connection, session)
        self._speak(connection, session)

    def _hear(self, connection: socket.socket, session: Session) -> list[bytes]:
        try:
            data = connection.recv(_CHUNK)
        except BlockingIOError:
            return []
        if not data:
            raise ConnectionError
        messages = session.feed(data)
        self._speak(connection, session)
        return messages

    def _speak(self, connection: socket.socket, session: Session) -> None:
        # A greeting and a READY fit into any socket buffer; a peer that never reads loses the rest.
        with contextlib.suppress(OSError):
            connection.send(session.outgoing)
        session.outgoing.clear()

    def read_hello(self, payload: bytes) -> Hello:
        """Return the hello of a caller; raises WireError or RefusedHelloError."""
        fields = decode(payload)
        if fields.get("type") != "hello":
            raise MalformedError(f"expected hello, not {shown(fields.get('type'))}")
        token = fields.get("token")
        if not isinstance(token, str) or not hmac.compare_digest(
            token.encode(), self._token.encode()
        ):
            raise MalformedError(
                "a hello with a wrong token" if token else "a hello without a token"
            )
        protocol = fields.get("protocol")
        if type(protocol) is not int or protocol != PROTOCOL:
            raise RefusedHelloError(
                f"the bot speaks protocol {shown(protocol)}; this referee speaks {PROTOCOL}"
            )
        try:
            return parse(Hello, fields)
        except MalformedError as error:
            raise RefusedHelloError(str(error)) from None

    def _refuse(self, descriptor: int, why: str) -> None:
        if len(self.refused) < MAX_CALLERS:
            self.refused.append(why)
        self._drop(descriptor)

    def _drop(self, descriptor: int) -> None:
        connection, _ = self._callers.pop(descriptor)
        connection.close()
