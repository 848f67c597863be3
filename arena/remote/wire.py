"""Messages between the door and `arena join`, and between the latter and its processes for bots.

A message is a head, a small flat map of JSON, and a payload: the bytes of a bot's message, or
nothing.

| head | from | payload |
|---|---|---|
| `{"do": "join", "version": 2, "bot": ..., "games": [...], "matches": ...}` | join | |
| `{"do": "welcome", "name": ...}`, `{"do": "leave", "why": ...}` | door | |
| `{"do": "start", "seat": ..., "game": ..., "start_ms": ...}` | door | |
| `{"do": "hello", "seat": ...}` | join | the bot's hello, its token left out |
| `{"do": "call", "seat": ...}` | door | a call of the referee |
| `{"do": "reply", "seat": ...}` | join | a message of the bot |
| `{"do": "ended", "seat": ..., "how": ...}` | join | |
| `{"do": "stop", "seat": ...}` | door | |
| `{"do": "beat", "number": ...}` | door, and back from join at once | |
"""

import json
import struct
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

VERSION = 2
MAX_HEAD = 8 * 1024
"""Limit of a head in bytes."""
_SIZES = struct.Struct(">II")

Head = dict[str, Any]


class BadMessageError(Exception):
    """Bytes that are no message, with the reason."""


def pack(head: Mapping[str, Any], payload: bytes = b"") -> list[bytes]:
    """Return the two frames of a message."""
    return [json.dumps(head).encode(), payload]


def read(frames: Sequence[bytes]) -> tuple[Head, bytes]:
    """Return head and payload of a message from a stranger; raises BadMessageError."""
    if len(frames) != 2 or len(frames[0]) > MAX_HEAD:
        raise BadMessageError("a message has a short head and a payload")
    try:
        head = json.loads(frames[0])
    except (ValueError, RecursionError):
        raise BadMessageError("a head is not JSON") from None
    if not isinstance(head, dict) or not isinstance(head.get("do"), str):
        raise BadMessageError("a head is a map with `do`")
    lists = [value if isinstance(value, list) else [value] for value in head.values()]
    if any(isinstance(item, dict | list) for items in lists for item in items):
        raise BadMessageError("a head has values and lists of them, nothing deeper")
    return head, frames[1]


def pipe_bytes(head: Mapping[str, Any], payload: bytes = b"") -> bytes:
    """Return a message for the pipe of a process."""
    first, second = pack(head, payload)
    return _SIZES.pack(len(first), len(second)) + first + second


class PipeReader:
    """Takes the bytes of a pipe and yields the complete messages."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[Head, bytes]]:
        """Add received bytes and yield the completed messages."""
        self._buffer += data
        while len(self._buffer) >= _SIZES.size:
            first, second = _SIZES.unpack_from(self._buffer)
            end = _SIZES.size + first + second
            if len(self._buffer) < end:
                return
            message = bytes(self._buffer[_SIZES.size : end])
            del self._buffer[:end]
            yield json.loads(message[:first]), message[first:]
