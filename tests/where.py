"""Where a module is tested: in the file of its name, and in those that `where.txt` names."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
TABLE = TESTS / "where.txt"
PACKAGES = ("arena", "protocol", "referee")
MOVED = {"referee/games": "games"}
"""Folders of modules whose tests are in a folder of another name."""


def modules() -> Iterator[str]:
    """Yield the modules that can be tested, as paths from the root."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            if not path.name.startswith("__") and path.parent.name != "migrations":
                yield str(path.relative_to(ROOT))


def table() -> dict[str, list[str]]:
    """Return the files of tests that the table names, by module."""
    rows = (line.split(":") for line in TABLE.read_text().splitlines() if not line.startswith("#"))
    return {module: files.split() for module, files in rows}


def folder_of(module: str) -> Path:
    """Return the folder of tests that mirrors the nearest folder around a module."""
    for folder in Path(module).parents:
        mirror = TESTS / MOVED.get(str(folder), folder)
        if mirror.is_dir():
            return mirror
    raise ValueError(module)


def own_file(module: str) -> str:
    """Return the file named after a module, as `test_tally.py` or `test_gate_tally.py`; or ""."""
    path = Path(module)
    for name in (path.name, f"{path.parent.name}_{path.name}"):
        found = folder_of(module) / f"test_{name}"
        if found.is_file():
            return str(found.relative_to(TESTS))
    return ""


def files_of(module: str) -> list[str]:
    """Return all files with tests of a module, from the folder of tests."""
    own = own_file(module)
    return [*([own] if own else []), *table().get(module, ())]
