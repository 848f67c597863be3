"""The words of errors."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import cause

ROOT = Path(__file__).parents[2]


def raw_errors(source: str) -> Iterator[int]:
    """Yield the lines that print an error of the system with its number and path."""
    for handler in ast.walk(ast.parse(source)):
        if not isinstance(handler, ast.ExceptHandler) or handler.type is None:
            continue
        if "OSError" not in ast.unparse(handler.type):
            continue
        for node in ast.walk(handler):
            match node:
                case ast.FormattedValue(value=ast.Name(id=name)) if name == handler.name:
                    yield node.lineno
                case ast.Call(func=ast.Name(id="str"), args=[ast.Name(id=name)]) if (
                    name == handler.name and "isinstance" not in ast.unparse(handler)
                ):
                    yield node.lineno


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Permission denied", "mine"), "Permission denied"),
        (PermissionError(13, "Permission denied", "mine/a"), "Permission denied: 'mine/a'"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (ValueError("embedded null byte"), "embedded null byte"),
        (OSError("no number"), "no number"),
    ],
)
def test_the_cause_of_an_error_is_in_words(error: Exception, words: str) -> None:
    assert cause(error, Path("mine")) == words


def test_no_message_has_the_number_of_an_error() -> None:
    files = sorted((ROOT / "arena").rglob("*.py"))
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for path in files
        if (lines := list(raw_errors(path.read_text())))
    }

    assert files
    assert found == {}


@pytest.mark.parametrize("said", ['f"{error}"', "str(error)"])
def test_a_raw_error_is_seen(said: str) -> None:
    source = f"try:\n    read()\nexcept (OSError, ValueError) as error:\n    print({said})\n"

    assert list(raw_errors(source)) == [4]
