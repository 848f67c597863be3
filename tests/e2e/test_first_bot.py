"""The tutorial on a first bot, step by step: its files, its commands, and what they print."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from preloaded import run
from waiting import LONGEST_S

ROOT = Path(__file__).parent.parent.parent
TUTORIAL = ROOT / "docs/tutorial/first-bot.md"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)
TIME = re.compile(r"\d+(\.\d+)? (ms|s|µs)\b|\d+ slots?\b|\bprocess \d+")


@dataclass(frozen=True)
class Step:
    """A file to write, or a command with what the page shows of its output."""

    what: str
    text: str
    shown: str = ""


def steps() -> Iterator[Step]:
    """Yield what the page tells a reader to do, in its order."""
    page = TUTORIAL.read_text()
    blocks = [(match.start(), match[1], match[2]) for match in BLOCK.finditer(page)]
    for (at, language, text), (_, after, shown) in zip(
        blocks, [*blocks[1:], (0, "", "")], strict=True
    ):
        if language == "sh":
            yield Step("run", text.strip(), shown if after == "text" else "")
        elif language != "text":
            file = re.findall(r"(?:into|to) `([\w./-]+)`", page[:at])[-1]
            yield Step(file, text)


def typed(command: str, folder: Path, cache: Path) -> str:
    """Run a command of the page and return its output."""
    program, *arguments = command.split()
    assert program == "arena"
    done = run(
        *arguments,
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        stderr=subprocess.STDOUT,
        timeout=LONGEST_S,
    )
    return done.stdout


def plain(text: str) -> list[str]:
    """Return the lines without times and without the widths of columns, which follow them."""
    lines = (" ".join(TIME.sub("T", line).split()) for line in text.splitlines())
    return [line for line in lines if not re.fullmatch("[- ]*", line)]


def unshown(shown: str, printed: str) -> list[str]:
    """Return the printed lines that the page does not show, unless it leaves out any by `...`."""
    lines = plain(shown)
    return [] if not lines or "..." in lines else [e for e in plain(printed) if e not in lines]


def missing(shown: str, printed: str) -> str | None:
    """Return the first line of the page that is not printed, in its order; `...` is any lines."""
    rest = iter(plain(printed))
    for line in plain(shown):
        if line != "..." and not any(found.startswith(line) for found in rest):
            return line
    return None


def test_every_step_of_the_tutorial_does_what_the_page_shows(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        if os.environ.get("CI"):
            pytest.fail("no C compiler on a CI machine")
        pytest.skip("no C compiler on this machine")
    folder, cache = tmp_path / "empty", tmp_path / "cache"
    folder.mkdir()

    for step in steps():
        if step.what == "run":
            printed = typed(step.text, folder, cache)
            assert missing(step.shown, printed) is None, f"{step.text}\n{printed}"
            assert unshown(step.shown, printed) == [], f"{step.text}\n{printed}"
        else:
            (folder / step.what).write_text(step.text)

    assert (folder / "arena.db").exists()
    # the page itself checks `mine`
    assert ", 0 failed, " in typed("arena check ./mine-c --game pente", folder, cache)


def test_the_bots_of_the_tutorial_are_formatted(tmp_path: Path) -> None:
    written = {step.what: step.text for step in steps() if step.what != "run"}
    (tmp_path / "main.py").write_text(written["mine/main.py"])
    config = ("--config", str(ROOT / "pyproject.toml"))

    subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--check", *config, str(tmp_path / "main.py")],
        check=True,
    )
    assert all(len(line) <= 100 for text in written.values() for line in text.splitlines())
