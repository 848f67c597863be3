"""ZMTP 3.0 with the NULL mechanism: bytes in, messages out, no sockets.

libzmq is not used because a referee has hostile peers and deadlines; see
docs/decisions/zmtp-in-the-referee.md. The specification is https://rfc.zeromq.org/spec/23/.
"""

from typing import ClassVar

from protocol.errors import MalformedError, OversizeError, WireError
from protocol.wording import shown

SIGNATURE_LENGTH = 10
GREETING_LENGTH = 64
MAX_FRAMES = 2
"""Limit of frames in a message: a REQ peer sends an empty frame before its message."""
MAX_COMMANDS = 10_000
"""Limit of commands between two messages: enough for heartbeats of hours."""
MAX_OUTGOING = 1024
"""Bytes of unsent data above which PINGs are ignored: a peer may never read its answers."""

_MORE, _LONG, _COMMAND = 0x01, 0x02, 0x04
_SHORT = 255
"""Limit of bytes in a frame with its length in one byte."""
_SHORT_HEADERS = [bytes((0, length)) for length in range(_SHORT + 1)]
_MECHANISM = b"NULL".ljust(20, b"\0")

GREETING = b"\xff" + bytes(8) + b"\x7f" + b"\x03\x00" + _MECHANISM + bytes(32)


def frame(payload: bytes, *, flags: int = 0) -> bytes:
    """Encode a ZMTP frame."""
    if len(payload) <= _SHORT:
        return bytes((flags, len(payload))) + payload
    return bytes((flags | _LONG,)) + len(payload).to_bytes(8, "big") + payload


def _metadata(name: bytes, value: bytes) -> bytes:
    return bytes((len(name),)) + name + len(value).to_bytes(4, "big") + value


def _ready(socket_type: bytes) -> bytes:
    metadata = _metadata(b"Socket-Type", socket_type) + _metadata(b"Identity", b"")
    return frame(b"\x05READY" + metadata, flags=_COMMAND)


READY = _ready(b"ROUTER")


class Session:
    """A connection of a ROUTER: takes received bytes, returns messages and bytes to send."""

    _peers: ClassVar[tuple[bytes, ...]] = (b"DEALER", b"REQ")
    _answer: ClassVar = READY
    """Answer to a right greeting."""

    def __init__(self, max_frame: int) -> None:
        self.outgoing = bytearray(GREETING)
        """Bytes for the peer. The owner sends and clears them."""
        self.envelope = b""
        """Prefix of every message to this peer: an empty frame for a REQ peer."""
        self.fault: WireError | None = None
        """Error after the last valid message; the peer sends no more messages."""
        self.is_ready = False
        self._max_frame = max_frame
        self._buffer = bytearray()
        self._frames: list[bytes] = []
        self._commands = 0
        self._is_greeted = False
        self._is_between_messages = False
        """Whether a DEALER is ready, and the next byte begins a message or a command."""

    def feed(self, data: bytes) -> list[bytes]:
        """Add received bytes and return the completed messages.

        Raises MalformedError for bytes other than ZMTP 3 and for messages of too many frames,
        OversizeError once a frame header announces more than `max_frame` bytes. Messages completed
        before the error are returned first, with `fault` set; the next call raises it.
        """
        if self.fault is not None:
            raise self.fault
        self._buffer += data
        messages: list[bytes] = []
        try:
            if self._is_greeted or self._greet():
                self._take_frames(messages)
        except WireError as error:
            self.fault = error
            self._buffer.clear()
            if not messages:
                raise
        finally:
            self._is_between_messages = self.is_ready and not (
                self._buffer or self._frames or self.envelope or self.fault
            )
        return messages

    def feed_short(self, data: bytes) -> bytes | None:
        """Return the message if the bytes are one short message of a DEALER and nothing else.

        `feed` would take three times as long for this usual case. None for any other bytes: pass
        them to `feed`.
        """
        size = len(data) - 2
        if not self._is_between_messages or size < 0 or data[0] or data[1] != size:
            return None
        self._commands = 0
        return data[2:]

    def pack(self, payload: bytes) -> bytes:
        """Encode a message to this peer."""
        if self.envelope or len(payload) > _SHORT:
            return self.envelope + frame(payload)
        return _SHORT_HEADERS[len(payload)] + payload

    def _greet(self) -> bool:
        """Check the received part of the greeting; return whether the greeting is complete."""
        head = self._buffer
        if head and (head[0] != 0xFF or (len(head) >= SIGNATURE_LENGTH and not head[9] & 1)):
            raise MalformedError(f"not a ZMTP greeting: {bytes(head[:64]).hex()}")
        if len(head) > SIGNATURE_LENGTH and head[10] < 3:
            raise MalformedError(f"ZMTP {head[10]} is too old; version 3 is required")
        if len(head) < GREETING_LENGTH:
            return False
        if head[12:32] != _MECHANISM:
            mechanism = bytes(head[12:32]).rstrip(b"\0")
            raise MalformedError(f"the security mechanism must be NULL, not {shown(mechanism)}")
        del head[:GREETING_LENGTH]
        self.outgoing += self._answer
        self._is_greeted = True
        return True

    def _take_frames(self, messages: list[bytes]) -> None:
        while (item := self._next_frame()) is not None:
            flags, body = item
            if flags & _COMMAND:
                self._obey(body)
            elif (message := self._collect(flags, body)) is not None:
                messages.append(message)
                self._commands = 0

    def _next_frame(self) -> tuple[int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        flags, header = buffer[0], 2
        if flags & ~(_MORE | _LONG | _COMMAND):
            raise MalformedError(f"a frame with the unknown flags {flags:#04x}")
        size = buffer[1]
        if flags & _LONG:
            header = 9
            if len(buffer) < header:
                return None
            size = int.from_bytes(buffer[1:9], "big")
        if size > self._max_frame:
            raise OversizeError(f"a frame of {size} bytes; the limit is {self._max_frame}")
        if len(buffer) < header + size:
            return None
        body = bytes(buffer[header : header + size])
        del buffer[: header + size]
        return flags, body

    def _obey(self, body: bytes) -> None:
        self._commands += 1
        if self._commands > MAX_COMMANDS:
            raise MalformedError(f"more than {MAX_COMMANDS} commands without a message")
        if not self.is_ready:
            self._accept(body)
        elif body.startswith(b"\x04PING") and len(self.outgoing) < MAX_OUTGOING:
            self.outgoing += frame(b"\x04PONG" + body[7:23], flags=_COMMAND)

    def _accept(self, body: bytes) -> None:
        if not body.startswith(b"\x05READY"):
            raise MalformedError(f"expected READY, not the command {shown(body[:16])}")
        peer = _properties(body[6:]).get(b"socket-type", b"")
        if peer not in self._peers:
            wanted = b" or ".join(self._peers).decode()
            raise MalformedError(f"the socket type must be {wanted}, not {shown(peer)}")
        self.is_ready = True

    def _collect(self, flags: int, body: bytes) -> bytes | None:
        if not self.is_ready:
            raise MalformedError("a message came before READY")
        self._frames.append(body)
        if len(self._frames) > MAX_FRAMES:
            raise MalformedError(f"a message of more than {MAX_FRAMES} frames")
        if flags & _MORE:
            return None
        frames, self._frames = self._frames, []
        if len(frames) == MAX_FRAMES and frames[0]:
            raise MalformedError("a message must be one frame, not two")
        self.envelope = frame(b"", flags=_MORE) if len(frames) == MAX_FRAMES else b""
        return frames[-1]


class DealerSession(Session):
    """A connection of a DEALER to a ROUTER; messages may follow its first bytes at once."""

    _peers = (b"ROUTER",)
    _answer = b""

    def __init__(self, max_frame: int) -> None:
        super().__init__(max_frame)
        self.outgoing += _ready(b"DEALER")


def _properties(metadata: bytes) -> dict[bytes, bytes]:
    """Return the properties of a READY command by lower-case name; names ignore case."""
    properties = {}
    position = 0
    while position < len(metadata):
        name_start = position + 1
        name_end = name_start + metadata[position]
        value_start = name_end + 4
        position = value_start + int.from_bytes(metadata[name_end:value_start], "big")
        if position > len(metadata):
            raise MalformedError("the READY command is cut off")
        properties[metadata[name_start:name_end].lower()] = metadata[value_start:position]
    return properties
