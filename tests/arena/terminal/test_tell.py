"""Colours: on terminals only, and never with NO_COLOR."""

from io import StringIO

import pytest

from arena.terminal.tell import is_colored


class Screen(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("no_color", "stream", "colored"),
    [("", Screen(), True), ("1", Screen(), False), ("", StringIO(), False)],
)
def test_colors_are_for_terminals_without_no_color(
    no_color: str,
    stream: StringIO,
    colored: bool,  # noqa: FBT001 - a case
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)

    assert is_colored(stream) is colored
