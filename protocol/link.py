"""Sockets: the door through which one bot comes in, and the link to it once it has said hello."""

import contextlib
import hmac
import os
import select
import socket
import time
from collections.abc import Callable
from pathlib import Path

from protocol.codec import MAX_REPLY_BYTES, decode, encode
from protocol.errors import MalformedError, WireError, shown
from protocol.messages import Error, Hello, parse
from protocol.vocabulary import PROTOCOL, Termination
from protocol.zmtp import Session

FRAME_LIMIT = 4 * MAX_REPLY_BYTES
"""Frames above this are refused by their header; between the limits the codec names the size."""
MAX_CALLERS = 8
"""Connections that a door listens to at once; for one more the oldest is turned away."""
DRAIN_NS = 50_000_000
"""How long the last messages of a process that has ended may take to come out of its socket."""

_CHUNK = 64 * 1024
"""How much is read at once. From 128 KiB on, malloc maps fresh pages for each read: 7 x slower."""
_LAST_LOOKS = FRAME_LIMIT // _CHUNK + 1
"""Reads that what is there at the deadline may take; then a peer that floods has had its time."""


class ClosedError(Exception):
    """The peer is gone: its process ended or it closed the connection."""


class RefusedHelloError(Exception):
    """A hello with the right token that cannot be accepted. Says what would be."""


class Link:
    """One connected bot. Sends without ever blocking; waits for one message at a time."""

    def __init__(self, connection: socket.socket, session: Session) -> None:
        self._connection = connection
        self._session = session
        self._waiting: list[bytes] = []
        self._unsent = bytearray()
        self._bells: dict[int, Callable[[], bool]] = {}
        self._is_dead = False
        self._poll = select.poll()
        self._poll.register(connection, select.POLLIN)
        self._bell_poll = select.poll()

    def watch(self, descriptor: int, bell: Callable[[], bool]) -> None:
        """Call `bell` when the descriptor becomes readable; True from it means the peer is dead."""
        self._bells[descriptor] = bell
        self._poll.register(descriptor, select.POLLIN)
        self._bell_poll.register(descriptor, select.POLLIN)

    def send(self, payload: bytes) -> None:
        """Send one message. What does not fit into the socket goes out while waiting.

        A peer that is dead by now cannot reply any more, not even through a child it has left.
        """
        self.send_packed(self.pack(payload))

    def pack(self, payload: bytes) -> bytes:
        """Return a message as the bytes that `send` would send."""
        return self._session.pack(payload)

    def send_packed(self, packed: bytes) -> None:
        """Send bytes as they are, whatever part of messages they make."""
        if not self._is_dead:
            self._ring(self._bell_poll.poll(0))
        if self._unsent:
            self._unsent += packed
            return
        try:
            sent = self._connection.send(packed)
        except BlockingIOError:
            sent = 0
        except OSError:
            return  # the peer is gone, which the next receive tells
        if sent < len(packed):
            self._unsent += packed[sent:]
            self._poll.modify(self._connection, select.POLLIN | select.POLLOUT)

    def receive(self, until_ns: int) -> bytes | None:
        """Return the next message, or None when `until_ns` (monotonic) has passed without one.

        A message that is there beats the peer's death, and the death beats the deadline.
        Raises ClosedError when the peer is gone, MalformedError or OversizeError for its bytes.
        """
        if self._waiting:
            return self._waiting.pop(0)
        if self._session.fault is not None:
            raise self._session.fault
        looks = 0
        while True:
            left_ns = until_ns - time.monotonic_ns()
            events = self._poll.poll(max(0, left_ns) / 1_000_000)
            if (message := self._serve(events)) is not None:
                return message
            if left_ns <= 0:
                looks += 1
                if not events or looks == _LAST_LOOKS:
                    return None

    def forget(self, descriptor: int) -> None:
        """Stop watching the descriptor."""
        del self._bells[descriptor]
        self._poll.unregister(descriptor)
        self._bell_poll.unregister(descriptor)

    def close(self) -> None:
        """Close the connection; nothing lingers."""
        self._connection.close()

    def _serve(self, events: list[tuple[int, int]]) -> bytes | None:
        own = self._connection.fileno()
        for descriptor, event in events:
            if descriptor == own and (message := self._on_socket(event)) is not None:
                return message
        if self._ring([event for event in events if event[0] != own]):
            return self._last_words()
        return None

    def _ring(self, events: list[tuple[int, int]]) -> bool:
        """Serve the bells; once the peer is dead, only what it has already sent is listened to."""
        for descriptor, _ in events:
            if self._bells[descriptor]():
                self._is_dead = True
                with contextlib.suppress(OSError):
                    self._connection.shutdown(socket.SHUT_RD)
        return self._is_dead

    def _on_socket(self, event: int) -> bytes | None:
        if event & select.POLLOUT:
            self._flush()
        if event & ~select.POLLOUT:
            return self._read()
        return None

    def _read(self) -> bytes | None:
        try:
            data = self._connection.recv(_CHUNK)
        except BlockingIOError:
            return None
        except ConnectionResetError:
            data = b""  # whether it had read all our calls before it closed is chance
        except OSError as error:
            raise ClosedError(error.strerror) from None
        if not data:
            raise ClosedError("its process ended" if self._is_dead else "closed its connection")
        messages = self._session.feed(data)
        if self._session.outgoing:
            self._flush()
        if not messages:
            return None
        self._waiting += messages[1:]
        return messages[0]

    def _flush(self) -> None:
        """Send what is left of our messages, and between two of them what the session answers."""
        if not self._unsent:
            self._unsent += self._session.outgoing
            self._session.outgoing.clear()
        try:
            sent = self._connection.send(self._unsent)
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
        """Return a message that the dead peer had sent, or raise ClosedError."""
        until_ns = time.monotonic_ns() + DRAIN_NS
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        while (left_ns := until_ns - time.monotonic_ns()) > 0:
            if poll.poll(left_ns / 1_000_000) and (message := self._read()) is not None:
                return message
        raise ClosedError("its process ended")


class Door:
    """Where one bot is let in. Everyone may knock; only a hello with the token opens it."""

    def __init__(self, token: str, path: Path | None) -> None:
        """Listen on the unix socket `path`, or on a free port of 127.0.0.1 without one."""
        self.refused: list[str] = []
        """What was wrong with those who came without a valid hello, the first few."""
        self.port: int | None = None
        """Of the endpoint, if that is one of TCP."""
        self._token = token
        self._path = path
        self._folder: int | None = None
        """Where the socket lies, even if somebody puts another in the place of that."""
        self._callers: dict[int, tuple[socket.socket, Session]] = {}
        family = socket.AF_INET if path is None else socket.AF_UNIX
        self._listener = socket.socket(family, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        if path is None:
            self._listener.bind(("127.0.0.1", 0))
        else:
            # the kernel shows everybody by what name a socket was bound: none that leads here
            self._folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            self._listener.bind(f"/proc/self/fd/{self._folder}/{path.name}")
        self._listener.listen(MAX_CALLERS)
        if path is None:
            self.port = self._listener.getsockname()[1]
            self.endpoint = f"tcp://127.0.0.1:{self.port}"
        else:
            self.endpoint = f"ipc://{path}"

    def descriptors(self) -> list[int]:
        """Return what to poll for input."""
        return [self._listener.fileno(), *self._callers]

    def on_readable(self, descriptor: int) -> tuple[Link, Hello] | None:
        """Serve one of the descriptors; return the link and its hello once one is accepted.

        Raises RefusedHelloError when the bot itself (the token is right) says something unusable.
        """
        if descriptor == self._listener.fileno():
            self._let_in()
            return None
        if descriptor not in self._callers:
            return None  # turned away a moment ago
        connection, session = self._callers[descriptor]
        try:
            messages = self._hear(connection, session)
            if not messages:
                return None
            hello = self._hello(messages[0])
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
        link._waiting += messages[1:]  # noqa: SLF001 - what came with the hello
        self.close()
        return link, hello

    def close(self) -> None:
        """Stop listening, drop everybody else and remove the socket's path."""
        self._listener.close()
        for descriptor in list(self._callers):
            self._drop(descriptor)
        if self._path is not None and self._folder is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path.name, dir_fd=self._folder)
            os.close(self._folder)
            self._folder = None

    def _let_in(self) -> None:
        try:
            connection, _ = self._listener.accept()
        except OSError:
            return  # it left again before we came to the door
        connection.setblocking(False)  # noqa: FBT003 - the name of the standard library
        if self._path is None:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        session = Session(FRAME_LIMIT)
        if len(self._callers) == MAX_CALLERS:
            self._refuse(next(iter(self._callers)), "connected without ever saying hello")
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
        # A greeting and a READY fit into any socket's buffer; who never reads loses the rest.
        with contextlib.suppress(OSError):
            connection.send(session.outgoing)
        session.outgoing.clear()

    def _hello(self, payload: bytes) -> Hello:
        fields = decode(payload)
        if fields.get("type") != "hello":
            raise MalformedError(f"hello was expected, not {shown(fields.get('type'))}")
        token = fields.get("token")
        if not isinstance(token, str) or not hmac.compare_digest(
            token.encode(), self._token.encode()
        ):
            raise MalformedError("a hello with a wrong token" if token else "a hello without token")
        protocol = fields.get("protocol")
        if type(protocol) is not int or protocol != PROTOCOL:
            raise RefusedHelloError(
                f"it speaks protocol {shown(protocol)}; this referee speaks {PROTOCOL}"
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
