"""Messages of strangers on the line between the door and `arena join`."""

import pytest

from arena.remote import wire


@pytest.mark.parametrize("depth", [2, 100, 990, 991, 992, 3000])
@pytest.mark.parametrize("sign", ["[]", "{}"])
def test_a_head_too_deep_to_be_sent_on_is_refused(depth: int, sign: str) -> None:
    opening, closing = ("[", "]") if sign == "[]" else ('{"a":', "}")
    deep = f"{opening * depth}1{closing * depth}"
    head = f'{{"do": "call", "seat": "1", "more": {deep}}}'

    with pytest.raises(wire.BadMessageError):
        wire.read([head.encode(), b""])


def test_a_head_has_values_and_lists_of_values() -> None:
    head = {"do": "join", "version": 2, "bot": "b", "games": ["pente", "go"], "more": None}

    assert wire.read(wire.pack(head, b"payload")) == (head, b"payload")
