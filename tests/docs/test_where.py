"""Every module has its test file, or a line of `tests/where.txt` that names one."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import where

COMMANDS = set((where.ROOT / "arena" / "commands").glob("*.py"))
LOADERS = (where.ROOT / "arena" / "commands" / "loading.py", where.TESTS / "preloaded.py")
"""Files that import every command by its name."""
DOTTED = re.compile(r"arena(\.\w+)*")
HELPERS = {path.stem: path for path in where.TESTS.rglob("*.py")}


@cache
def imported(path: Path) -> frozenset[Path]:
    """Return the files that a file imports: modules of the packages, and helpers of tests."""
    found = {file for name in names_in(path) for file in files_named(name)}
    return frozenset(found | (COMMANDS if path in LOADERS else set()))


def names_in(path: Path) -> Iterator[str]:
    """Yield the names of imported modules; a name from a module may be one."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and DOTTED.fullmatch(str(node.value)):
            yield str(node.value)  # as Django's settings and `python -m` name modules


def files_named(name: str) -> Iterator[Path]:
    path = where.ROOT / name.replace(".", "/")
    loaded = (path / f"{part}.py" for part in ("__init__", "__main__", "apps", "base"))
    yield from (file for file in (path.with_suffix(".py"), *loaded) if file.is_file())
    yield from (path / "migrations").glob("*.py")  # Django loads them, `apps` and `base` by name
    if name in HELPERS:
        yield HELPERS[name]


@cache
def reached(path: Path) -> frozenset[Path]:
    """Return all files that a test imports, itself or by others, with what its folders offer."""
    found: set[Path] = set()
    folders = [each for each in path.parents if where.TESTS in each.parents]
    left = [path, *(each / "conftest.py" for each in folders if (each / "conftest.py").is_file())]
    while left:
        if (file := left.pop()) not in found:
            found.add(file)
            left.extend(imported(file))
    return frozenset(found)


def test_every_module_has_its_test_file_or_a_line() -> None:
    table = where.table()

    missing = [
        module for module in where.modules() if not where.own_file(module) and module not in table
    ]
    assert missing == [], "add tests in a file of this name, or a line to tests/where.txt"


def test_no_line_is_about_a_module_that_is_gone_or_a_file_of_its_name() -> None:
    modules = set(where.modules())

    assert len(modules) > 400
    assert [module for module in where.table() if module not in modules] == []
    assert [
        module for module, files in where.table().items() if where.own_file(module) in files
    ] == []


def test_lines_are_sorted_and_name_files_that_reach_their_module() -> None:
    table = where.table()
    assert list(table) == sorted(table)

    assert all(table.values())
    pairs = [(module, name) for module, files in table.items() for name in files]
    assert [pair for pair in pairs if not is_tested(*pair)] == []


def is_tested(module: str, name: str) -> bool:
    """Return whether a file of tests is there and imports a module; one of commands need not."""
    file = where.TESTS / name
    is_whole = name.startswith(("e2e/", "bots/"))
    return file.is_file() and (is_whole or where.ROOT / module in reached(file))
