"""Every command of Arena in a block of a page is one: its name, options and values are read."""

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from arena.commands.loading import application

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "bots/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
LINE = re.compile(
    r"^(?:    )?(?:\$ )?(?:\.venv/bin/|python3 bootstrap\.py )?arena (\S.*)$", re.MULTILINE
)
ENDS = {"|", "||", "&&", ";", "&", ">", ">>"}


def commands(page: Path) -> Iterator[list[str]]:
    """Yield the words after `arena` of the commands that stand in blocks of a page."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    for line in LINE.findall(text):
        words = shlex.shlex(line, posix=True, punctuation_chars="|&;>")
        words.whitespace_split = True
        words.commenters = "#"
        found: list[str] = []
        for word in [*words, ";"]:
            if word not in ENDS:
                found.append(word)
                continue
            if found and found[0] not in {"->", "less"}:
                yield found
            break


@cache
def command_line() -> Any:
    return get_command(application())


def read(words: list[str]) -> None:
    """Let the command line of Arena read a command; click raises an error if it is none."""
    command = command_line()
    rest = list(words)
    while hasattr(command, "commands") and not rest[0].startswith("-"):
        assert rest[0] in command.commands, f"no command {rest[0]}"
        command = command.commands[rest.pop(0)]
    if not {"--help", "-h", "--install-completion", "--version"} & set(rest):
        command.make_context("arena", rest)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_of_a_page_is_read(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARENA_LEAGUE", "http://192.0.2.7:8642")  # as pages say
    refused = []
    for words in commands(page):
        try:
            read(words)
        except Exception as error:  # noqa: BLE001 - click's errors and our own alike
            refused.append(f"arena {' '.join(words)}: {error}")

    assert refused == []


def test_commands_are_found_and_a_wrong_one_is_refused() -> None:
    assert sum(1 for page in PAGES for _ in commands(page)) > 150
    with pytest.raises(AssertionError, match="no command turnament"):
        read(["turnament", "a.yaml"])
    with pytest.raises(Exception, match="No such option"):
        read(["tournament", "a.yaml", "--sreve"])
