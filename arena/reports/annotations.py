"""GitHub's log: errors as annotations at their line of a file, and no commands of strangers.

GitHub takes lines like `::set-output name=verdict::passed` for commands, whoever printed them. A
bot's last output is quoted in many texts, so all output is guarded.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any, TextIO, cast

from arena.bot_output import LAST_OUTPUT, error_line
from arena.errors import ArenaError, BuildError, ConfigError, PreflightError, Problem
from arena.reports.escaping import command_data, command_value, no_command
from protocol.wording import visible

SHOWN_ANNOTATIONS = 10
"""Limit of annotations shown by GitHub per step."""
_FRAME = re.compile(r' *File "(?P<file>[^"]{1,4096})", line (?P<line>[1-9][0-9]{0,6})\b')
"""A frame of a stack as Python prints it."""
_INNERMOST_FIRST = "(most recent call first)"
_KIT = "/arena_bot.py"


def guarded(stream: TextIO) -> TextIO:
    """Return the stream with commands in its text made harmless."""
    return cast("TextIO", _Guarded(stream))


class _Guarded:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(no_command(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def error_text(error: ArenaError, environment: Mapping[str, str] = os.environ) -> str:
    """Return the text of an error, under GitHub Actions with its annotations."""
    text = f"error: {error}"
    if environment.get("GITHUB_ACTIONS") != "true":
        return text
    root = Path(environment.get("GITHUB_WORKSPACE") or ".")
    return "\n".join([no_command(visible(text)), *annotations(error, root)])


def annotations(error: ArenaError, root: Path) -> Iterator[str]:
    """Yield the annotation commands of an error; file names are relative to `root`.

    Errors of compilers and stacks of Python follow, if their files are below `root`. A bot's author
    may choose their text, so they come last and are limited.
    """
    if isinstance(error, ConfigError):
        problems = error.problems[:SHOWN_ANNOTATIONS]
        causes = [cause for problem in problems for cause in problem.causes]
        for problem in problems:
            yield _annotation(_place(problem.file, root), problem)
    else:
        causes = [*error.problems] if isinstance(error, BuildError) else []
        if isinstance(error, PreflightError):
            causes = [*_stack_tops(error)]
        problems = ()
        yield f"::error::{command_data(visible(str(error)))}"
    names = {cause.file: _place(cause.file, root) for cause in causes}
    inside = [cause for cause in causes if (name := names[cause.file]) and name[0] != "/"]
    for cause in inside[: SHOWN_ANNOTATIONS - max(1, len(problems))]:
        yield _annotation(names[cause.file], cause)


def _stack_tops(error: PreflightError) -> Iterator[Problem]:
    """Yield each failed bot's error where Python's stack left the bot's own files."""
    for text in dict.fromkeys(error.failures.values()):
        frames = [found for found in map(_FRAME.match, text.splitlines()) if found]
        own = [frame for frame in frames if not frame["file"].endswith(_KIT)]
        if own:
            is_reversed = _INNERMOST_FIRST in text
            top = own[0] if is_reversed else own[-1]
            said = "" if is_reversed else error_line(dedent(text.partition(f"{LAST_OUTPUT}\n")[2]))
            first = text.partition("\n")[0]
            yield Problem(top["file"], f"{first}\n{said}".strip(), int(top["line"]))


def _place(file: str, root: Path) -> str:
    """Return the name of a file, relative to `root` if below it; "" for the command line."""
    if not os.path.isfile(file):  # noqa: PTH113 - pathlib raises for a stranger's long name
        return ""
    full, root = Path(file).resolve(), root.resolve()
    return visible(str(full.relative_to(root) if full.is_relative_to(root) else full))


def _annotation(name: str, problem: Problem) -> str:
    places = {"file": name} if name else {}
    if name and problem.line:
        places["line"] = str(problem.line)
    if name and problem.column:
        end = problem.column + max(problem.width, 1)
        places |= {"col": str(problem.column), "endColumn": str(end)}
    where = ",".join(f"{key}={command_value(value)}" for key, value in places.items())
    return f"::error{where and ' '}{where}::{command_data(visible(problem.detail))}"
