"""Text of strangers in messages: nothing of it acts on a terminal or ends a line."""

import sys
import tracemalloc
from pathlib import Path

import pytest

from protocol import wording
from protocol.wording import aligned, escaped, install_command, quoted, shown, value_text, visible

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


@pytest.mark.parametrize("is_checkout", [True, False])
def test_an_extra_is_installed_for_this_python(
    is_checkout: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wording, "__file__", str(tmp_path / "protocol/wording.py"))
    monkeypatch.setattr(sys, "executable", "/my tools/python")
    if is_checkout:
        (tmp_path / "pyproject.toml").touch()

    what = f"-e '{tmp_path}[web]'" if is_checkout else "'bot-arena[web]'"
    assert install_command("web") == f"'/my tools/python' -m pip install {what}"
