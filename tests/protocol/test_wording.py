"""Text of strangers in messages: nothing of it acts on a terminal or ends a line."""

import sys
import tracemalloc

import pytest

from protocol.wording import aligned, did_you_mean, escaped, quoted, shown, value_text, visible

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
