"""msgpack encoded by hand: the vectors also need bytes that no library writes.

Values are plain; an `As` inserts chosen bytes together with their meaning.
"""

from dataclasses import dataclass
from typing import Any

UINT8, UINT16, UINT32, UINT64 = 0xCC, 0xCD, 0xCE, 0xCF
INT8, INT16, INT32, INT64 = 0xD0, 0xD1, 0xD2, 0xD3
STR8, STR16, STR32 = 0xD9, 0xDA, 0xDB
ARRAY16, ARRAY32 = 0xDC, 0xDD
MAP16, MAP32 = 0xDE, 0xDF

_INTEGER_BYTES = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
_SIZE_BYTES = {0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4, 0xDE: 2, 0xDF: 4}


@dataclass(frozen=True)
class As:
    """A value with its bytes, or bytes without a value."""

    data: bytes
    value: Any = None


def wide(number: int, lead: int) -> As:
    """Return an integer in the encoding of `lead`, even if a shorter one exists."""
    size = _INTEGER_BYTES[lead]
    return As(bytes([lead]) + number.to_bytes(size, "big", signed=lead >= INT8), number)


def sized(value: str | list[Any] | dict[Any, Any], lead: int) -> As:
    """Return a text, list or map with its size encoded by `lead`, even if longer than needed."""
    body = value.encode() if isinstance(value, str) else _items(value)
    size = len(body) if isinstance(value, str) else len(value)
    return As(bytes([lead]) + size.to_bytes(_SIZE_BYTES[lead], "big") + body, value)


def pairs(items: list[Any]) -> As:
    """Return a map of alternating keys and values; keys may repeat and have any type."""
    body = b"".join(map(pack, items))
    return As(_head(0x80, 16, MAP16, len(items) // 2) + body)


def nested(depth: int, value: Any) -> Any:
    """Return a value inside `depth` nested lists."""
    for _ in range(depth):
        value = [value]
    return value


def pack(value: Any) -> bytes:
    """Return the shortest encoding of a value."""
    if isinstance(value, As):
        return value.data
    if value is None or isinstance(value, bool):
        return {None: b"\xc0", False: b"\xc2", True: b"\xc3"}[value]
    if isinstance(value, int):
        return _integer(value)
    if isinstance(value, str):
        data = value.encode()
        head = b"\xd9" + bytes([len(data)]) if 32 <= len(data) < 256 else None
        return (head or _head(0xA0, 32, STR16, len(data))) + data
    if isinstance(value, dict):
        return _head(0x80, 16, MAP16, len(value)) + _items(value)
    return _head(0x90, 16, ARRAY16, len(value)) + _items(value)


def meaning(value: Any) -> Any:
    """Return the decoded value of the bytes of a value."""
    if isinstance(value, As):
        return meaning(value.value)
    if isinstance(value, dict):
        return {meaning(key): meaning(item) for key, item in value.items()}
    return [meaning(item) for item in value] if isinstance(value, list | tuple) else value


def _integer(number: int) -> bytes:
    if -32 <= number < 128:
        return bytes([number & 0xFF])
    leads = range(UINT8, UINT64 + 1) if number >= 0 else range(INT8, INT64 + 1)
    for lead in leads:
        bits = 8 * _INTEGER_BYTES[lead]
        if number < 1 << bits if number >= 0 else -number <= 1 << bits - 1:
            return wide(number, lead).data
    raise OverflowError(number)


def _items(value: Any) -> bytes:
    parts = (
        value
        if isinstance(value, list | tuple)
        else [part for pair in value.items() for part in pair]
    )
    return b"".join(map(pack, parts))


def _head(fixed: int, few: int, lead: int, size: int) -> bytes:
    if size < few:
        return bytes([fixed | size])
    if size < 1 << 16:
        return bytes([lead]) + size.to_bytes(2, "big")
    return bytes([lead + 1]) + size.to_bytes(4, "big")
