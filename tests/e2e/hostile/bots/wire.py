"""The wire by hand, without any library: every byte of it can be said wrongly."""

import _socket as socket
import os
import struct
import time

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
MORE, LONG, COMMAND = 1, 2, 4
FOREVER_S = 3600
MOVE = {"row": True, "line": 0, "start": 0, "end": 0}
"""A legal first move of the game that the hostile bots play."""


def command(name, body=b""):
    return frame(bytes((len(name),)) + name + body, COMMAND)


def frame(body, flags=0):
    """Return one frame of ZMTP."""
    if len(body) < 256:
        return bytes((flags, len(body))) + body
    return header(len(body), flags) + body


def header(size, flags=0):
    """Return the header of a long frame, which promises `size` bytes."""
    return bytes((flags | LONG,)) + struct.pack(">Q", size)


def ready(kind=b"DEALER"):
    return command(b"READY", b"\x0bSocket-Type" + struct.pack(">I", len(kind)) + kind)


def pack(value):
    """Return a value as MessagePack, in forms that are right but not always the shortest."""
    return PACKERS[type(value)](value)


def _pack_map(value):
    pairs = b"".join(pack(name) + pack(item) for name, item in value.items())
    return struct.pack(">BI", 0xDF, len(value)) + pairs


def _pack_int(value):
    if 0 <= value < 0x80:
        return bytes((value,))
    return struct.pack(">BQ", 0xCF, value) if value > 0 else struct.pack(">Bq", 0xD3, value)


class Packed(bytes):
    """Bytes that `pack` leaves as they are."""

    __slots__ = ()


PACKERS = {
    type(None): lambda _: b"\xc0",
    bool: lambda value: b"\xc3" if value else b"\xc2",
    int: _pack_int,
    float: lambda value: struct.pack(">Bd", 0xCB, value),
    bytes: lambda value: struct.pack(">BI", 0xC6, len(value)) + value,
    str: lambda value: struct.pack(">BI", 0xDB, len(value.encode())) + value.encode(),
    list: lambda value: struct.pack(">BI", 0xDD, len(value)) + b"".join(map(pack, value)),
    dict: _pack_map,
    Packed: bytes,
}


def unpack(data):
    """Return the value that the referee has packed."""
    return _Reader(data).value()


class _Reader:
    def __init__(self, data):
        self.data = data
        self.at = 0

    def take(self, size):
        self.at += size
        return self.data[self.at - size : self.at]

    def number(self, size, *, signed=False):
        return int.from_bytes(self.take(size), "big", signed=signed)

    def value(self):
        lead = self.number(1)
        if lead < 0x80 or lead >= 0xE0:
            return lead if lead < 0x80 else lead - 0x100
        if lead < 0xC0:
            return self.items(lead & 0xE0 if lead >= 0xA0 else lead & 0xF0, lead)
        if lead in (0xC0, 0xC2, 0xC3):
            return {0xC0: None, 0xC2: False, 0xC3: True}[lead]
        if lead in (0xCC, 0xCD, 0xCE, 0xCF):
            return self.number(1 << (lead - 0xCC))
        if lead in (0xD0, 0xD1, 0xD2, 0xD3):
            return self.number(1 << (lead - 0xD0), signed=True)
        kind, width = {
            0xD9: (0xA0, 1), 0xDA: (0xA0, 2), 0xDB: (0xA0, 4), 0xDC: (0x90, 2),
            0xDD: (0x90, 4), 0xDE: (0x80, 2), 0xDF: (0x80, 4),
        }[lead]  # fmt: skip
        return self.sized(kind, self.number(width))

    def items(self, kind, lead):
        return self.sized(kind, lead & (0x1F if kind == 0xA0 else 0x0F))

    def sized(self, kind, size):
        if kind == 0xA0:
            return self.take(size).decode()
        if kind == 0x90:
            return [self.value() for _ in range(size)]
        return {self.value(): self.value() for _ in range(size)}


def connect():
    """Return a socket that is connected to this bot's own door."""
    transport, _, address = os.environ["ARENA_ENDPOINT"].partition("://")
    if transport == "ipc":
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address)
        return connection
    host, _, port = address.rpartition(":")
    connection = socket.socket(socket.AF_INET)
    connection.connect((host, int(port)))
    return connection


_OPEN: list[object] = []
"""Every seat ever taken: none is to close because nobody thinks of it any more."""


class Seat:
    """A bot's end of the wire: plays correctly on request, and can send anything."""

    def __init__(self, *, kind=b"DEALER"):
        self.connection = connect()
        _OPEN.append(self)
        self.raw(GREETING + ready(kind))

    def raw(self, data):
        """Send bytes as they are; a referee that is gone ends the bot."""
        self.connection.sendall(data)

    def say(self, payload, flags=0):
        """Send bytes as a frame."""
        self.raw(frame(payload, flags))

    def send(self, **fields):
        """Send a message."""
        self.say(pack(fields))

    def hello(self, **changes):
        """Say hello, with these fields changed."""
        fields = {
            "type": "hello",
            "protocol": 1,
            "token": os.environ["ARENA_TOKEN"],
            "name": "hostile",
            "wants": ["legal"],
        }
        self.send(**{**fields, **changes})

    def heard(self, size):
        data = b""
        while len(data) < size:
            piece = self.connection.recv(size - len(data))
            if not piece:
                raise SystemExit(0)
            data += piece
        return data

    def call(self):
        """Return the next call."""
        if not hasattr(self, "is_greeted"):
            self.is_greeted = True
            self.heard(len(GREETING))
            self.frame()
        return unpack(self.frame())

    def frame(self):
        flags, size = self.heard(2)
        if flags & LONG:
            size = int.from_bytes(bytes((size,)) + self.heard(7), "big")
        return self.heard(size)

    def answer(self, call):
        """Reply to a call as a good bot does."""
        reply = {"id": call["id"]}
        if call["type"] == "move":
            legal = call.get("legal") or [MOVE]
            reply |= {"type": "play", "move": legal[0]}
        else:
            kinds = {"init": "ready", "ping": "pong", "term": "bye"}
            reply["type"] = kinds[call["type"]]
        self.send(**reply)

    def until(self, *kinds):
        """Answer every call until one of these kinds comes; return that one unanswered."""
        while True:
            call = self.call()
            if call["type"] == "error":
                raise SystemExit(0)
            if call["type"] in kinds:
                return call
            self.answer(call)

    def play_on(self):
        """Be good until the end."""
        self.answer(self.until("term"))


def seated(**changes):
    """Return a seat that has said hello."""
    seat = Seat()
    seat.hello(**changes)
    return seat


def at_move():
    """Return a seat and the first move call, which is still open."""
    seat = seated()
    return seat, seat.until("move")


def hang():
    """Do nothing, for longer than any limit."""
    time.sleep(FOREVER_S)
