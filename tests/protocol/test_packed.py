"""Calls from packed fields, and values kept in databases, at their exact limits."""

from typing import Any

import pytest

from protocol import codec
from protocol.codec import (
    MAX_CALL_BYTES,
    PackedFields,
    encode_call,
    encode_fields,
    packed,
    packed_list,
    read_stored,
    stored,
)
from protocol.errors import OversizeError


def packed_fields(**fields: Any) -> PackedFields:
    return PackedFields([packed(part) for pair in fields.items() for part in pair])


def test_a_call_of_packed_fields_has_the_bytes_of_a_plain_one() -> None:
    plain = packed({"type": "move", "id": 7, "a": 1, "b": [2]})

    assert encode_call("move", 7, {"a": 1, "b": [2]}) == plain
    assert encode_call("move", 7, packed_fields(a=1, b=[2])) == plain
    assert encode_call("term", 300, packed_fields(a=1)) == packed(
        {"type": "term", "id": 300, "a": 1}
    )
    assert encode_call("move", 8, packed_fields()) == packed({"type": "move", "id": 8})
    assert packed_list([packed("x"), packed(2)]) == packed(["x", 2])
    assert dict(packed_fields(a=1, b=[2])) == {"a": 1, "b": [2]}
    assert len(packed_fields(a=1, b=[2])) == 2


@pytest.mark.parametrize("pack", [dict, packed_fields])
def test_a_call_has_as_many_bytes_as_allowed_and_not_one_more(pack: Any) -> None:
    rest = len(encode_call("move", 1, {"a": "x" * 70_000})) - 70_000
    whole = MAX_CALL_BYTES - rest

    assert len(encode_call("move", 1, pack(a="x" * whole))) == MAX_CALL_BYTES
    with pytest.raises(OversizeError) as refused:
        encode_call("move", 1, pack(a="x" * (whole + 1)))
    assert str(refused.value) == (
        f"a call of {MAX_CALL_BYTES + 1} bytes; the limit is {MAX_CALL_BYTES}"
    )
    with pytest.raises(OversizeError):
        encode_fields({"a": "x" * MAX_CALL_BYTES})


def test_a_stored_value_is_read_again_with_names_of_files_in_any_encoding() -> None:
    value = {"name": "J\udcf6rg", "bytes": b"\xff", "list": [None, 1.5, {}]}

    assert read_stored(stored(value)) == value


@pytest.mark.parametrize("payload", [b"", stored([1])[:-1], stored(1) * 2, b"\xc1"])
def test_what_is_no_stored_value_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError, match=r"^not msgpack: |incomplete input$"):
        read_stored(payload)


def test_names_of_a_stored_map_are_text() -> None:
    with pytest.raises(ValueError, match="int is not allowed for map key"):
        read_stored(stored({1: 2}))


@pytest.mark.parametrize("sign", ["x", b"x"])
def test_a_stored_text_has_a_limit(sign: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codec, "MAX_STORED_TEXT", 40)

    assert read_stored(stored(sign * 40)) == sign * 40
    with pytest.raises(ValueError, match="41 exceeds"):
        read_stored(stored(sign * 41))


def test_a_stored_payload_has_a_limit_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each list and map counts for one, beside what it contains."""
    monkeypatch.setattr(codec, "MAX_STORED_ITEMS", 40)
    three: list[Any] = [[1, 2, 3], {"a": 1, "b": 2, "c": 3}]
    whole = [*three * 3, [1, 2, 3], [1, 2]]

    assert read_stored(stored(whole)) == whole
    with pytest.raises(ValueError, match=r"^more than 40 values$"):
        read_stored(stored([*three * 4]))
    assert read_stored(stored([0] * 10)) == [0] * 10
    for wide in ([300] * 11, {str(number): 0 for number in range(11)}):
        with pytest.raises(ValueError, match="11 exceeds"):
            read_stored(stored(wide))
    for wide in ([300] * 10, {str(number): 0 for number in range(10)}):
        assert read_stored(stored(wide)) == wide
