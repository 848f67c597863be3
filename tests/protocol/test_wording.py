"""Text of strangers in messages: nothing of it acts on a terminal or ends a line."""

import math
import sys
import tracemalloc
from decimal import Decimal

import pytest

from protocol.wording import (
    MAX_SHOWN,
    aligned,
    did_you_mean,
    escaped,
    quoted,
    shown,
    shown_json,
    value_text,
    visible,
)

EVIL = "a\x1b[2J\u202e\u2066\x85\u2028\ud800\x00\r\n\t\x7f\U000e0001z"


@pytest.mark.parametrize("write", [escaped, aligned, quoted, shown, value_text])
def test_nothing_unprintable_is_left(write: object) -> None:
    assert callable(write)
    text = write(EVIL)

    assert text.isprintable()
    assert "a" in text


def test_visible_keeps_line_ends_and_tabs_as_spaces() -> None:
    text = visible(f"{EVIL}\r\nnext")

    assert text.replace("\n", "").isprintable()
    assert text.endswith("\nnext")
    assert "    " in text


def test_escapes_name_the_character() -> None:
    assert escaped("\x1b\u202e\ud800") == r"\x1b\u202e\ud800"


def test_escapes_take_little_more_memory_than_their_text() -> None:
    text = "\x01\n" * 50_000
    tracemalloc.start()
    try:
        assert escaped(text, keep="\n") == "\\x01\n" * 50_000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * len(text)


def test_a_quoted_text_cannot_end_its_quotes() -> None:
    assert quoted('a"b\\') == r'"a\"b\\"'


def test_aligned_keeps_the_columns() -> None:
    assert len(aligned(EVIL)) == len(EVIL)


def test_long_values_are_cut() -> None:
    assert len(shown("x" * 100)) == 60
    assert value_text(10**100) == "a huge number"


def test_a_value_nested_too_deeply_for_python_is_shown_as_its_kind() -> None:
    value: object = 1
    for _ in range(sys.getrecursionlimit() * 100):
        value = [{"a": value}]

    assert shown(value) == "a list"
    assert shown({"a": value}) == "a map"


def test_a_name_is_found_whatever_the_case_of_its_letters() -> None:
    assert did_you_mean("HASH", ["Hash", "Threads"]) == 'did you mean "Hash"?'
    assert did_you_mean("gmae", ["gate", "game", "name"]) == 'did you mean "game"?'
    assert did_you_mean("Pent", ["pente", "go"]) == 'did you mean "pente"?'
    assert did_you_mean("Go", ["GO", "go", "Go"]) == 'did you mean "GO"?'
    assert did_you_mean("zzz", ["pente", "go"]) == "known: pente, go"


def test_a_value_of_just_the_limit_is_whole_and_one_more_is_cut() -> None:
    assert shown("x" * 58) == f"'{'x' * 58}'"
    assert shown("x" * 59) == f"'{'x' * 56}..."
    assert shown([1, 2, 3], 8) == "[1, 2..."
    assert shown([1, 2, 3], 9) == "[1, 2, 3]"
    assert shown_json("x" * 198) == f'"{"x" * 198}"'
    assert shown_json("x" * 199) == f'"{"x" * 196}...'
    assert value_text("x" * (MAX_SHOWN - 2)) == f'the text "{"x" * (MAX_SHOWN - 2)}"'
    assert value_text("x" * (MAX_SHOWN - 1)) == f'the text "{"x" * (MAX_SHOWN - 4)}...'


def test_a_value_of_the_wire_is_shown_as_json_and_another_as_python_has_it() -> None:
    assert shown_json({"a": [None, True, "\u202e"]}) == r'{"a": [null, true, "\u202e"]}'
    assert shown_json({"a": b"x"}) == '{"a": "b\'x\'"}'


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "nothing"),
        (True, "true"),
        (False, "false"),
        (math.nan, "NaN"),
        (-math.inf, "infinity"),
        (2.5, "2.5"),
        (Decimal("1.20"), "1.20"),
        (10**MAX_SHOWN - 1, f"{'9' * MAX_SHOWN}"),
        (10**MAX_SHOWN, "a huge number"),
        (-(10**MAX_SHOWN), "a huge number"),
        ({}, "a map"),
        ((), "a list"),
    ],
)
def test_a_wrong_value_is_named_by_its_kind_or_itself(value: object, text: str) -> None:
    assert value_text(value) == text


def test_signs_without_a_picture_keep_one_column_each() -> None:
    assert aligned("a\tb\x1b\u3000c\u200dd") == "a b\ufffd c\ufffdd"
    assert visible("a\tb\r\nc\rd") == "a    b\nc\\rd"


def test_without_names_none_is_meant() -> None:
    assert did_you_mean("pente", []) == "none exist"
    assert did_you_mean("zzz", ["pente"]) == "known: pente"
