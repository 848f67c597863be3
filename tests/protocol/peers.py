"""Peers that connect to a listener in the tests, and their messages."""

import select
import socket
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from packing import pack

from protocol.link import FRAME_LIMIT, Link, Listener
from protocol.messages import Hello
from protocol.zmtp import GREETING, Session, frame

MORE, COMMAND = 1, 4


def ready(kind: bytes, name: bytes = b"Socket-Type") -> bytes:
    """Return the command READY of a socket of this kind."""
    value = len(kind).to_bytes(4, "big") + kind
    return frame(b"\x05READY" + bytes([len(name)]) + name + value, flags=COMMAND)


DEALER = GREETING + ready(b"DEALER")
REQ = GREETING + ready(b"REQ")
PING = frame(b"\x04PING\x00\x0acontext", flags=COMMAND)
PONG = frame(b"\x04PONGcontext", flags=COMMAND)
EMPTY_MORE = frame(b"", flags=MORE)

TOKEN = "the right one"  # noqa: S105 - guards nothing
FAR_NS = 10_000_000_000
"""Limit of waiting, exceeded only by a hang."""
PAST = 0


def hello(**fields: Any) -> bytes:
    """Return a valid hello with these fields added or replaced."""
    return pack({"type": "hello", "protocol": 1, "token": TOKEN, **fields})


class Peer:
    """A hand-written client."""

    def __init__(self, endpoint: str) -> None:
        kind, _, address = endpoint.partition("://")
        if kind == "ipc":
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.connect(address)
        else:
            host, _, port = address.rpartition(":")
            self.socket = socket.create_connection((host, int(port)))
        self.socket.settimeout(FAR_NS / 1e9)

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def read(self, size: int) -> bytes:
        """Return exactly `size` bytes, or fewer if the listener closes before."""
        data = b""
        while len(data) < size and (more := self.socket.recv(size - len(data))):
            data += more
        return data

    def close(self) -> None:
        self.socket.close()


class House:
    """A listener and its peers; closes all of them at the end."""

    def __init__(self, path: Path | None, stack: ExitStack) -> None:
        self.listener = Listener(TOKEN, path)
        self._stack = stack
        stack.callback(self.listener.close)

    def visitor(self, said: bytes) -> Peer:
        """Return a connected and served peer that has sent these bytes."""
        peer = Peer(self.listener.endpoint)
        self._stack.callback(peer.close)
        self.serve()
        peer.send(said)
        return peer

    def serve(self) -> tuple[Link, Hello] | None:
        """Serve all ready peers."""
        poll = select.poll()
        for descriptor in self.listener.descriptors():
            poll.register(descriptor, select.POLLIN)
        events = poll.poll(FAR_NS / 1e6)
        assert events, "nobody has anything to say"
        for descriptor, _ in events:
            if (opened := self.listener.on_readable(descriptor)) is not None:
                self._stack.callback(opened[0].close)
                return opened
        return None

    def let_in(self) -> tuple[Link, Hello]:
        """Serve until a peer is accepted."""
        for _ in range(1000):
            if (opened := self.serve()) is not None:
                return opened
        raise AssertionError("nobody was let in")


def until(nanoseconds: int = FAR_NS) -> int:
    """Return the monotonic time in ns after this delay."""
    return time.monotonic_ns() + nanoseconds


Pair = tuple[Link, socket.socket]


class Process:
    """A bot's process for its link: a descriptor that becomes readable at the end."""

    def __init__(self, link: Link, stack: ExitStack) -> None:
        ours, self._its_own = (stack.enter_context(end) for end in socket.socketpair())
        link.watch(ours.fileno(), lambda: True)

    def end(self) -> None:
        self._its_own.close()


def pair_of(stack: ExitStack, opening: bytes = DEALER) -> Pair:
    """Return a link over a pair of sockets after the greetings, and the bot's end."""
    ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
    ours.settimeout(0)
    session = Session(FRAME_LIMIT)
    session.feed(opening)
    session.outgoing.clear()
    theirs.settimeout(FAR_NS / 1e9)
    return Link(ours, session), theirs
