"""Encode messages as msgpack; decode them with all limits checked before."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import msgpack

from protocol.errors import MalformedError, OversizeError
from protocol.explaining import encoding_fault
from protocol.messages import Message
from protocol.vocabulary import MAX_INTEGER, MESSAGE_DEPTH
from protocol.wording import shown

MAX_REPLY_BYTES = 64 * 1024
SENTENCE = "a text instead of a message: "
"""Begin of the complaint about a text; a bridge sends its own or its engine's sentence so."""
MANY_CONTAINERS = 1000
"""Number of containers in a reply that is decoded before it is checked, in bytes like theirs."""
MAX_CALL_BYTES = 1024 * 1024
MAX_STORED_ITEMS = 20_000_000
"""Limit of the values in one payload from a database."""
MAX_STORED_TEXT = 64 * 1024 * 1024
"""Limit in bytes of one text in it: the longest is a runner's account of a match, in which each
byte that is no text takes three."""

packed: Callable[[Any], bytes] = msgpack.Packer().pack
"""Encode a value of a message.

The method of one shared packer itself: a new packer would allocate its buffer for each message, and
a function around this one would take twice as long.
"""
list_header: Callable[[int], bytes] = msgpack.Packer().pack_array_header
"""Encode the beginning of a list with this number of items."""

# No float, bin, ext or 64-bit integer begins with one of these bytes, so a message of these bytes
# alone contains no forbidden type. Nearly all messages pass this test in a fraction of a
# microsecond; the others are checked item by item.
_PLAIN = bytes(
    [*range(0xC1), 0xC2, 0xC3, 0xCC, 0xCD, 0xCE, 0xD0, 0xD1, 0xD2, 0xD9, *range(0xE0, 0x100)]
)
_MAP_HEADERS = [bytes((0x80 | pairs,)) for pairs in range(16)]
_NOT_CONTAINERS = bytes([*range(0x80), *range(0xA0, 0xDC), *range(0xE0, 0x100)])


class PackedFields(Mapping[str, Any]):
    """Encoded fields of a call, sent unchanged by `encode_call`; reading decodes them."""

    __slots__ = ("parts",)

    def __init__(self, parts: Sequence[bytes]) -> None:
        """Take names and values in turns, each encoded."""
        self.parts = parts

    def __getitem__(self, name: str) -> Any:
        return self._decoded()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._decoded())

    def __len__(self) -> int:
        return len(self.parts) // 2

    def _decoded(self) -> dict[str, Any]:
        fields: dict[str, Any] = msgpack.unpackb(_MAP_HEADERS[len(self)] + b"".join(self.parts))
        return fields


stored: Callable[[Any], bytes] = msgpack.Packer(unicode_errors="surrogatepass").pack
"""Encode a value to be kept; its file names need not be UTF-8."""


def read_stored(payload: bytes) -> Any:
    """Decode the bytes of `stored`; raises ValueError, also above a limit of stored values.

    They may be a stranger's: half a gigabyte of empty lists would take 40 GB, and one text of this
    size a multiple of it wherever it is shown.
    """
    limits = _StoredItems().limits() if len(payload) > MAX_STORED_ITEMS // 4 else {}
    try:
        return msgpack.unpackb(
            payload,
            strict_map_key=True,
            unicode_errors="surrogatepass",
            max_str_len=MAX_STORED_TEXT,
            max_bin_len=MAX_STORED_TEXT,
            **limits,
        )
    except (msgpack.UnpackException, msgpack.ExtraData) as error:
        raise ValueError(f"not msgpack: {error}") from None


class _StoredItems:
    """A count of the items in all lists and maps of one payload."""

    def __init__(self) -> None:
        self._left = MAX_STORED_ITEMS

    def limits(self) -> dict[str, Any]:
        """Return the options of the decoder; decoding with them takes twice as long."""
        most = MAX_STORED_ITEMS // 4
        hooks = {"list_hook": self._count, "object_hook": self._count}
        return {**hooks, "max_array_len": most, "max_map_len": most}

    def _count(self, items: Any) -> Any:
        self._left -= len(items) + 1
        if self._left < 0:
            raise ValueError(f"more than {MAX_STORED_ITEMS:,} values")
        return items


def packed_list(items: Sequence[bytes]) -> bytes:
    """Encode a list of encoded items."""
    return b"".join((list_header(len(items)), *items))


def encode(message: Message) -> bytes:
    """Encode a message without fields of None; raises OversizeError above MAX_CALL_BYTES."""
    return encode_fields(_plain_map(message))


def encode_call(name: str, number: int, fields: Mapping[str, Any]) -> bytes:
    """Encode a call of at most 15 fields with its type and id, like `encode`."""
    if type(fields) is not PackedFields:
        return encode_fields({"type": name, "id": number, **fields})
    parts = fields.parts
    payload = b"".join((_call_head(name, len(parts) // 2 + 2), packed(number), *parts))
    return payload if len(payload) <= MAX_CALL_BYTES else _limited(payload)


def encode_fields(fields: Mapping[str, Any]) -> bytes:
    """Encode a message given as a plain map, like `encode`."""
    return _limited(packed(fields))


def _limited(payload: bytes) -> bytes:
    if len(payload) > MAX_CALL_BYTES:
        raise OversizeError(f"a call of {len(payload)} bytes; the limit is {MAX_CALL_BYTES}")
    return payload


def decode(payload: bytes, *, limit: int = MAX_REPLY_BYTES) -> dict[str, Any]:
    """Decode a message; raises OversizeError above `limit` bytes, and MalformedError."""
    if len(payload) > limit:
        raise OversizeError(f"a message of {len(payload)} bytes; the limit is {limit}")
    try:
        return _decode(payload)
    except MalformedError as error:
        raise MalformedError(encoding_fault(payload) or str(error)) from None


def _decode(payload: bytes) -> dict[str, Any]:
    decoded = _unpacked(payload)
    if isinstance(decoded, str):
        raise MalformedError(f"{SENTENCE}{shown(decoded, 200)}")
    if not isinstance(decoded, dict):
        raise MalformedError(f"a message must be a map, not {shown(decoded, 200)}")
    return decoded


def _unpacked(payload: bytes) -> Any:
    depth_bound = len(payload.translate(None, _NOT_CONTAINERS))
    is_plain = depth_bound <= MESSAGE_DEPTH and not payload.translate(None, _PLAIN)
    if depth_bound > MANY_CONTAINERS:
        check_items(payload)  # before a flood of them takes a hundred times its size in memory
    try:
        decoded = msgpack.unpackb(payload, use_list=False, strict_map_key=True)
        if not is_plain:
            _check_values((decoded,), 0)
        if b"\x80" in payload or len(packed(decoded)) != len(payload):
            # A map may be empty or have a duplicate key, or a value may not be in its shortest
            # form. Decode again and check the pairs of every map.
            return msgpack.unpackb(
                payload, use_list=False, strict_map_key=True, object_pairs_hook=distinct
            )
    except MalformedError:
        raise
    except msgpack.ExtraData as error:
        raise MalformedError(f"{len(error.extra)} extra bytes after the message") from None
    except Exception as error:  # noqa: BLE001 - msgpack raises a dozen types
        if not is_plain:
            check_items(payload)  # knows the place of the fault
        detail = str(error) or type(error).__name__
        raise MalformedError(f"not msgpack: {detail}: {payload[:64].hex()}") from None
    return decoded


@cache
def _call_head(name: str, count: int) -> bytes:
    """Return the beginning of a call with this number of fields, up to its id."""
    return _MAP_HEADERS[count] + packed("type") + packed(name) + packed("id")


def _plain_map(message: Message) -> dict[str, Any]:
    return {name: _plain(value) for name, value in message.__dict__.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, Message):
        return _plain_map(value)
    if type(value) is tuple:
        return [_plain(item) for item in value]
    return value


def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a map; raises MalformedError for a repeated key."""
    fields = dict(pairs)
    if len(fields) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice, _ = counts.most_common(1)[0]
        raise MalformedError(f"duplicate key {shown(twice)} in a map")
    if not pairs:
        raise MalformedError("an empty map is not allowed")
    return fields


_FIXED = {0xC0: 0, 0xC2: 0, 0xC3: 0, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xD0: 1, 0xD1: 2, 0xD2: 4}
_SIZED = {0xD9: 1, 0xDA: 2, 0xDB: 4}
_ARRAYS = {0xDC: 2, 0xDD: 4}
_MAPS = {0xDE: 2, 0xDF: 4}
_FORBIDDEN = {
    0xC1: "the reserved byte c1",
    **dict.fromkeys((0xC4, 0xC5, 0xC6), "binary data"),
    **dict.fromkeys((0xCA, 0xCB), "a float"),
    **dict.fromkeys((0xC7, 0xC8, 0xC9, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8), "an extension type"),
}


def _check_values(values: Iterable[Any], depth: int) -> None:
    """Raise an error if the types, integers and depth of decoded values are not allowed.

    The values are created before, and there are never too many. Most replies of engines need this,
    for their scores and lines of play; `check_items` would take several times as long.
    """
    for value in values:
        kind = type(value)
        if kind is str or kind is bool or value is None:
            continue
        if kind is int:
            if not -MAX_INTEGER <= value <= MAX_INTEGER:
                raise ValueError
        elif kind is dict or kind is tuple:
            if value and depth >= MESSAGE_DEPTH:
                raise ValueError
            if kind is dict:
                "".join(value)  # raises an error for names that are no text
            _check_values(value.values() if kind is dict else value, depth + 1)
        else:
            raise ValueError


def check_items(payload: bytes) -> None:
    """Check types, integer range and depth item by item, without creating objects."""
    open_items = [1]  # missing items of each open container
    position = 0
    while open_items:
        if open_items[-1] == 0:
            open_items.pop()
            continue
        open_items[-1] -= 1
        position, inside = _item(payload, position)
        if inside:
            open_items.append(inside)
            if len(open_items) > MESSAGE_DEPTH + 1:
                raise MalformedError(f"nested deeper than {MESSAGE_DEPTH}")
    if position > len(payload):
        raise MalformedError("not msgpack: the message is cut off")


def _item(payload: bytes, position: int) -> tuple[int, int]:
    """Return the position of the next item and the number of items inside the current one."""
    if position >= len(payload):
        raise MalformedError(f"not msgpack: the message is cut off at byte {position}")
    lead = payload[position]
    position += 1
    if lead in _FORBIDDEN:
        raise MalformedError(f"{_FORBIDDEN[lead]} at byte {position - 1} is not allowed")
    if lead < 0x80 or lead >= 0xE0:
        return position, 0
    if lead in _FIXED:
        return position + _FIXED[lead], 0
    if lead in (0xCF, 0xD3):
        return position + 8, _checked_integer(payload[position : position + 8], lead == 0xD3)
    return _sized_item(payload, position, lead)


def _sized_item(payload: bytes, position: int, lead: int) -> tuple[int, int]:
    if lead < 0x90:
        return position, _checked_map(lead & 0x0F, payload, position)
    if lead < 0xA0:
        return position, _checked_count(lead & 0x0F, payload, position)
    if lead < 0xC0:
        return position + (lead & 0x1F), 0
    width = _SIZED.get(lead) or _ARRAYS.get(lead) or _MAPS[lead]
    size = int.from_bytes(payload[position : position + width], "big")
    position += width
    if lead in _SIZED:
        return position + size, 0
    if lead in _MAPS:
        return position, _checked_map(size, payload, position)
    return position, _checked_count(size, payload, position)


def _checked_map(pairs: int, payload: bytes, position: int) -> int:
    if pairs == 0:
        raise MalformedError("an empty map is not allowed")
    return _checked_count(2 * pairs, payload, position)


def _checked_count(items: int, payload: bytes, position: int) -> int:
    # Every item takes at least one byte, so refuse a larger count before reading the items.
    if items > len(payload) - position:
        raise MalformedError(f"not msgpack: the message is cut off: {items} items announced")
    return items


def _checked_integer(digits: bytes, signed: bool) -> int:  # noqa: FBT001 - as in from_bytes
    number = int.from_bytes(digits, "big", signed=signed)
    if abs(number) > MAX_INTEGER:
        raise MalformedError(f"the integer {number} is outside +-2^53")
    return 0
