"""The errors of compilers in the output of a failed build, each with its file and line."""

import posixpath
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from arena.errors import Problem

SHOWN_ERRORS = 10
"""Limit of errors per build."""
_LINE = r"(?P<line>[1-9][0-9]{0,6})"
_COLUMN = r"(?P<column>[1-9][0-9]{0,6})"
_DETAIL = r"(?P<detail>.{1,500})"
_FORMS = tuple(
    re.compile(form)
    for form in (
        # gcc, clang and javac, Go, Maven, TypeScript
        rf"(?P<file>[^:]{{1,200}}):{_LINE}:(?:{_COLUMN}:)? (?:fatal )?error: {_DETAIL}",
        rf"(?P<file>[^:]{{1,200}}\.go):{_LINE}:(?:{_COLUMN}:)? {_DETAIL}",
        rf"\[ERROR\] (?P<file>[^:]{{1,200}}):\[{_LINE},{_COLUMN}\] {_DETAIL}",
        rf"(?P<file>[^(]{{1,200}})\({_LINE},{_COLUMN}\): error {_DETAIL}",
    )
)
_RUST_ERROR = re.compile(rf"error(?:\[\w{{1,20}}\])?: {_DETAIL}")
_RUST_PLACE = re.compile(rf" {{1,20}}--> (?P<file>[^:]{{1,200}}):{_LINE}:{_COLUMN}$")


def compiler_errors(output: str, folder: Path, files: Collection[str]) -> tuple[Problem, ...]:
    """Return the first errors with a place in one of a bot's `files`, relative to its `folder`.

    The output is a stranger's: it may name any file and say anything about it.
    """
    problems: dict[Problem, None] = {}
    for found in _found(output):
        name = posixpath.normpath(found["file"])
        if name in files:
            line, column = int(found["line"]), int(found["column"] or 0)
            problems[Problem(str(folder / name), found["detail"], line, column)] = None
            if len(problems) == SHOWN_ERRORS:
                break
    return tuple(problems)


def _found(output: str) -> Iterator[Mapping[str, str]]:
    """Yield the parts of each error by name; an absent column is empty."""
    title = ""
    for line in output.splitlines():
        if place := _RUST_PLACE.match(line):
            if title:  # otherwise the place of a warning or a note
                yield place.groupdict("") | {"detail": title}
        else:
            for form in _FORMS:
                if found := form.match(line):
                    yield found.groupdict("")
                    break
        error = _RUST_ERROR.match(line)
        title = error["detail"] if error else ""
