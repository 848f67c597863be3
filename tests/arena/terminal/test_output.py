"""Output on terminals: colours only there, and no other effect of foreign text."""

import os
import sys
from io import StringIO
from pathlib import Path

import pytest

from arena.results.standings import Table
from arena.terminal.output import is_colored, print_result, shown, tell
from arena.terminal.progress import Terminal


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


def test_only_colours_and_line_ends_of_foreign_text_act_on_a_terminal() -> None:
    colored = "\x1b[32m2-0-0\x1b[0m"
    hostile = "\x1b]52;c;cHduZWQ=\x07\x1b[8mhidden\x1b[2J\x9b1A\r\u202egpj"

    assert shown(f"ann {colored}\nbob") == f"ann {colored}\nbob"
    assert [c for c in shown(f"{colored} {hostile}") if not c.isprintable()] == ["\x1b", "\x1b"]


def test_a_result_that_does_not_fit_on_its_disk_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Path("/dev/full").open("w", buffering=1) as full:
        with pytest.raises(OSError, match="No space left"):
            print_result("standings", full)
        monkeypatch.setattr(sys, "stderr", full)
        tell("a notice")  # raises no error: commands continue without notices


def test_a_result_for_a_closed_reader_is_dropped() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        print_result("standings", pipe)


def test_the_link_of_the_pages_stands_above_a_live_view(monkeypatch: pytest.MonkeyPatch) -> None:
    link = "serving arena.db: http://127.0.0.1:4000/?token=x"
    for stream, said in ((Screen(), f"{link}\n"), (StringIO(), "")):
        monkeypatch.setattr(sys, "stderr", stream)
        terminal = Terminal()
        terminal.link = link
        terminal.follow(4, 0, Table(("ann", "ben")))
        assert stream.getvalue() == said
