"""The codec: accepted and refused messages, with only wire errors raised."""

import contextlib
from collections.abc import Callable
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from packing import As, meaning, nested, pack, pairs, wide

from protocol import codec
from protocol.codec import (
    MAX_CALL_BYTES,
    MAX_REPLY_BYTES,
    PackedFields,
    decode,
    encode,
    encode_call,
    encode_fields,
    packed,
)
from protocol.errors import MalformedError, OversizeError, WireError
from protocol.messages import Bye, Error, Play, parse
from protocol.vocabulary import Termination

INTEGERS = st.integers(-(2**53), 2**53)
SCALARS = st.none() | st.booleans() | INTEGERS | st.text(max_size=40)


def _maps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.text(max_size=8), values, min_size=1, max_size=4)


VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | _maps(inner), max_leaves=20
)
MESSAGES = _maps(VALUES)

LEADS = range(0xCC, 0xD4)
FORBIDDEN = st.sampled_from(
    [
        As(b"\xc1"),
        As(b"\x80"),
        As(b"\xde\0\0"),
        As(b"\xca" + bytes(4)),
        As(b"\xcb" + bytes(8)),
        As(b"\xc4\x01a"),
        As(b"\xd4\x01\x01"),
        As(b"\xc7\x00\x01"),
        As(b"\xcf" + b"\xff" * 8),
        As(b"\xd3\x80" + bytes(7)),
        As(b"\xa1\xff"),
        As(b"\x9f"),
        pairs(["a", 1, "a", 2]),
        pairs([1, 1]),
        nested(17, 0),
    ]
)
ODD = st.recursive(
    SCALARS | FORBIDDEN | st.builds(wide, st.integers(0, 127), st.sampled_from(LEADS)),
    lambda inner: st.lists(inner, max_size=4) | _maps(inner),
    max_leaves=20,
)


def _slow(payload: bytes) -> dict[str, Any]:
    """Decode with all checks item by item, without the fast path."""
    codec.check_items(payload)
    decoded = msgpack.unpackb(
        payload, use_list=False, strict_map_key=True, object_pairs_hook=codec.distinct
    )
    if not isinstance(decoded, dict):
        raise MalformedError("a message is a map")
    return decoded


def _outcome(read: Any, payload: bytes) -> Any:
    try:
        return repr(read(payload))  # so that True is not 1
    except Exception:  # noqa: BLE001 - msgpack raises a dozen types
        return "refused"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


@given(MESSAGES)
def test_an_encoded_message_decodes_to_itself(fields: dict[str, Any]) -> None:
    assert _plain(decode(encode_fields(fields), limit=MAX_CALL_BYTES)) == fields


@given(MESSAGES)
def test_encodings_are_the_shortest_and_standard(fields: dict[str, Any]) -> None:
    assert encode_fields(fields) == pack(fields)


@given(st.dictionaries(st.text(max_size=4), ODD, min_size=1, max_size=4))
def test_the_fast_path_agrees_with_the_slow_one(fields: dict[str, Any]) -> None:
    payload = pack(fields)

    assert _outcome(decode, payload) == _outcome(_slow, payload)


@given(MESSAGES, st.data())
def test_the_fast_path_agrees_with_the_slow_one_on_damaged_bytes(
    fields: dict[str, Any], data: st.DataObject
) -> None:
    payload = bytearray(pack(fields))
    for _ in range(data.draw(st.integers(1, 3))):
        payload[data.draw(st.integers(0, len(payload) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(payload)))
    damaged = bytes(payload[:end]) + data.draw(st.binary(max_size=3))

    assert _outcome(decode, damaged) == _outcome(_slow, damaged)


@given(st.binary(max_size=300))
def test_random_bytes_raise_nothing_but_wire_errors(payload: bytes) -> None:
    try:
        fields = decode(payload)
        parse(Play, fields)
    except WireError as error:
        assert len(str(error)) < 400  # noqa: PT017 - most of them raise, some do not


@given(MESSAGES, st.data())
def test_damaged_replies_raise_nothing_but_wire_errors(
    claims: dict[str, Any], data: st.DataObject
) -> None:
    reply = pack({"type": "play", "id": 1, "move": {"v": 0, "h": -4}, "claims": claims})
    payload = bytearray(reply)
    payload[data.draw(st.integers(0, len(payload) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        parse(Play, decode(bytes(payload)))
    except WireError as error:
        assert str(error).isprintable()  # noqa: PT017 - most of them raise, some do not


@pytest.mark.parametrize("inside", [b"\x91", b"\x81\xa1a", b"\x81\x91", b"\x81\x91\x81\xa1a"])
@pytest.mark.parametrize("before", [b"\x81", b"\x81\xa1a", b"\x81\xa1a\x81", b"\x91", b""])
def test_whatever_is_nested_anywhere_raises_nothing_but_wire_errors(
    inside: bytes, before: bytes
) -> None:
    for depth in range(1, 1100, 7):  # msgpack itself decodes up to 1024 levels
        payload = before + inside * depth + b"\x01" * (depth + 2)
        for end in range(len(payload) - depth - 2, len(payload) + 1, 1 + depth // 2):
            with contextlib.suppress(WireError):
                decode(payload[:end])


@given(INTEGERS, st.sampled_from(LEADS))
def test_an_integer_may_be_longer_than_needed(number: int, lead: int) -> None:
    try:
        value = wide(number, lead)
    except OverflowError:
        return  # too large for that form
    message = {"type": "ready", "id": value}

    assert decode(pack(message)) == meaning(message)


@pytest.mark.parametrize("limit", [MAX_REPLY_BYTES, MAX_CALL_BYTES])
def test_the_size_limit_is_exact(limit: int) -> None:
    head = b"\x81\xa1a\xdb"
    whole = head + (limit - 8).to_bytes(4, "big") + b"x" * (limit - 8)

    assert len(decode(whole, limit=limit)["a"]) == limit - 8
    with pytest.raises(OversizeError, match=str(limit + 1)):
        decode(whole + b"x", limit=limit)


@pytest.mark.parametrize(
    "encoded",
    [
        lambda text: encode(Error(code=Termination.CRASH, detail=text)),
        lambda text: encode_call("move", 1, PackedFields([packed("view"), packed(text)])),
    ],
    ids=["a message", "packed fields"],
)
def test_a_call_above_its_limit_is_not_sent(encoded: Callable[[str], bytes]) -> None:
    text = "x" * (MAX_CALL_BYTES - len(encoded("x" * 2**16)) + 2**16)

    assert len(encoded(text)) == MAX_CALL_BYTES
    with pytest.raises(OversizeError, match=f"of {MAX_CALL_BYTES + 1} bytes"):
        encoded(f"{text}x")


@pytest.mark.parametrize("value", [1, 2**53], ids=["fast path", "item by item"])
def test_bytes_after_a_message_are_counted(value: int) -> None:
    with pytest.raises(MalformedError, match=r"^3 extra bytes after the message$"):
        decode(packed({"a": value}) + b"\x01\x02\x03")


def test_fields_of_a_call_are_readable_once_packed() -> None:
    fields = PackedFields([packed("ply"), packed(3), packed("view"), packed({"turn": 1})])

    assert dict(fields) == {"ply": 3, "view": {"turn": 1}}


def test_a_field_with_none_is_omitted() -> None:
    assert decode(encode(Play(id=7, resign=True))) == {"type": "play", "id": 7, "resign": True}


def test_a_refusal_names_the_duplicate_key_among_many() -> None:
    items = [part for number in range(9000) for part in (f"{number:x}", 0)]

    with pytest.raises(MalformedError, match="duplicate key '1f4'"):
        decode(pairs([*items, "1f4", 0]).data)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"type": "bye"}, "bye.id: missing"),
        ({"id": 1}, "bye.type: missing"),
        ({"type": "bye", "id": "x"}, 'bye.id: must be a whole number, not the text "x"'),
        ({"type": "bye", "id": 1, "eta": 2}, "bye.eta: unknown field"),
        ({"type": "bye", "id": 1, "\x1b[2J": 2}, "bye.'\\x1b[2J': unknown field"),
        ({"type": "bye", "id": 1, "y" * 5000: 2}, f"bye.'{'y' * 56}...: unknown field"),
    ],
)
def test_a_refusal_names_the_field(fields: dict[str, Any], text: str) -> None:
    with pytest.raises(MalformedError) as caught:
        parse(Bye, fields)

    assert str(caught.value) == text


@pytest.mark.parametrize("character", ["\n", "\0", "\x1b", "\N{RIGHT-TO-LEFT OVERRIDE}"])
def test_a_refusal_is_one_harmless_line(character: str) -> None:
    with pytest.raises(MalformedError) as caught:
        parse(Bye, {"type": f"a{character}b", "id": 1})

    assert str(caught.value).isprintable()


@pytest.mark.parametrize("count", [0, 1, 15, 16, 255, 256, 65_535, 65_536])
def test_a_list_is_put_together_from_packed_items(count: int) -> None:
    assert codec.packed_list([b"\x07"] * count) == codec.packed([7] * count)


@pytest.mark.parametrize(
    "many",
    [
        pytest.param([{}] * 300, id="one long list"),
        pytest.param([[0] * 20] * 50, id="many short lists"),
        pytest.param({str(key): key for key in range(300)}, id="one large map"),
        pytest.param([{"x": 0, "y": 0}] * 200, id="many small maps"),
    ],
)
def test_a_payload_of_a_database_has_a_limited_number_of_values(
    monkeypatch: pytest.MonkeyPatch, many: Any
) -> None:
    payload = codec.stored({"many": many})
    assert codec.read_stored(payload) == {"many": many}

    monkeypatch.setattr(codec, "MAX_STORED_ITEMS", 800)

    with pytest.raises(ValueError, match=r"more than 800 values|exceeds max_"):
        codec.read_stored(payload)


def test_few_values_may_be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MAX_STORED_ITEMS", 800)
    text = {"text": ["x" * 5000, {"a": 1}]}

    assert codec.read_stored(codec.stored(text)) == text


@pytest.mark.parametrize("text", ["x" * 101, b"x" * 101])
def test_a_text_of_a_database_has_a_limited_length(
    monkeypatch: pytest.MonkeyPatch, text: Any
) -> None:
    payload = codec.stored({"texts": ["x" * 100, text]})
    assert codec.read_stored(payload)["texts"][1] == text

    monkeypatch.setattr(codec, "MAX_STORED_TEXT", 100)

    with pytest.raises(ValueError, match="exceeds max_"):
        codec.read_stored(payload)
