"""Colours of tables: the right cells, nothing else changed, and none in a pipe."""

import re
from io import StringIO

import pytest

from arena import text
from arena.terminal.tones import BOLD, GREEN, RED, tone_of


class Screen(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def tone(monkeypatch: pytest.MonkeyPatch) -> text.Tone:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    found = tone_of(Screen())
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("column", "cell", "code"),
    [
        ("#", "1", BOLD),
        ("#", "2", ""),
        ("place", "1", BOLD),
        ("match", "1", ""),
        ("faults", "0", ""),
        ("faults", "3", RED),
        ("result", "won", GREEN),
        ("result", "drawn", ""),
        ("result", "lost", RED),
        ("result", "timeout", RED),
        ("termination", "normal", ""),
        ("termination", "crash", RED),
        ("3", "2-0-1", GREEN),
        ("3", "1-5-2", RED),
        ("3", "1-0-1", ""),
        ("3", ".", ""),
        ("bot", "lost", ""),
    ],
)
def test_places_wins_losses_and_faults_have_colors(
    tone: text.Tone, column: str, cell: str, code: str
) -> None:
    assert tone(column, cell) == code


def test_colors_change_nothing_else(tone: text.Tone) -> None:
    header, rows = ["#", "bot", "faults", "3"], [["1", "x", "10", "2-0-1"], ["2", "lost", "0", "."]]

    plain = text.narrowed(header, rows, left=2, spare=(), width=80)
    colored = text.narrowed(header, rows, left=2, spare=(), width=80, tone=tone)

    assert re.sub(r"\x1b\[[0-9]*m", "", colored) == plain
    assert "\x1b[1m1\x1b[0m  x" in colored
    assert "    \x1b[31m10\x1b[0m  \x1b[32m2-0-1\x1b[0m" in colored


def test_a_narrow_terminal_is_filled_by_text_and_not_by_colors(tone: text.Tone) -> None:
    header = ["#", "bot", "faults"]

    shown = text.narrowed(header, [["1", "b" * 20, "3"]], left=2, spare=("#",), width=32, tone=tone)

    row = shown.splitlines()[-1]
    assert row == f"\x1b[1m1\x1b[0m  {'b' * 20}       \x1b[31m3\x1b[0m"


def test_a_dumb_terminal_has_no_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "dumb")

    assert tone_of(Screen()) is None
    assert tone_of(StringIO()) is None
