"""GitHub's log: errors as annotations at their line of the config, and no commands of strangers.

GitHub takes lines like `::set-output name=verdict::passed` for commands, whoever printed them. A
bot's last output is quoted in many texts, so all output is guarded.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO, cast

from arena.errors import ArenaError, ConfigError, Problem
from arena.reports.escaping import command_data, command_value, no_command
from protocol.wording import visible

MOST = 10
"""Limit of annotations shown by GitHub per step."""


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
    """Yield the annotation commands of an error; file names are relative to `root`."""
    if not isinstance(error, ConfigError):
        yield f"::error::{command_data(visible(str(error)))}"
        return
    for problem in error.problems[:MOST]:
        yield f"::error{_place(problem, root)}::{command_data(visible(problem.detail))}"


def _place(problem: Problem, root: Path) -> str:
    path = Path(problem.file)
    if not path.is_file():
        return ""  # the command line
    full, root = path.resolve(), root.resolve()
    name = full.relative_to(root) if full.is_relative_to(root) else full
    places = {"file": visible(str(name))}
    if problem.line:
        end = problem.column + max(problem.width, 1)
        places |= {"line": str(problem.line), "col": str(problem.column), "endColumn": str(end)}
    return " " + ",".join(f"{key}={command_value(value)}" for key, value in places.items())
