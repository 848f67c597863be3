"""Messages and comments of an installed Arena: they name pages by their titles, not by files.

A wheel has none of the files in `docs/`.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRINTED = ("arena/commands", "referee/games")
"""Folders with docstrings that commands print."""
COMMENTED = (".yaml", ".html", ".css", ".js")
FILE = re.compile(r"\bdocs/|\b[\w-]+\.md\b")
SHIPPED = {"SPEC.md", "README.md", "NAME.md"}
"""Names that stay: the protocol, which is in the wheel, and files that commands write."""
TITLE = re.compile(r'"([^"\n]+)"\s+(?:# )?in\s+the\s+documentation')


def texts_of(path: Path) -> Iterator[str]:
    """Yield the texts of a module that may be printed."""
    tree = ast.parse(path.read_text("utf-8"))
    is_printed = str(path.relative_to(ROOT)).startswith(PRINTED)
    bare = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    hidden = set() if is_printed else bare
    hidden |= {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and id(node) not in hidden:
            yield str(node.value)


def texts() -> Iterator[tuple[str, str]]:
    """Yield the texts of an installed Arena that a person may read, with their files."""
    for top in ("arena", "referee", "protocol", "configs"):
        for path in sorted((ROOT / top).rglob("*")):
            name = str(path.relative_to(ROOT))
            if path.suffix == ".py":
                yield from ((name, text) for text in texts_of(path))
            elif path.suffix in COMMENTED:
                yield name, path.read_text("utf-8")


def test_nothing_that_is_printed_names_a_file_that_is_not_shipped() -> None:
    found = {
        (name, match[0])
        for name, text in texts()
        for match in FILE.finditer(text)
        if match[0] not in SHIPPED
    }

    assert found == set()
    assert (ROOT / "protocol" / "SPEC.md").exists()


def test_each_page_is_named_by_its_title() -> None:
    titles = {
        path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        for path in (ROOT / "docs").rglob("*.md")
    }
    named = {title for _, text in texts() for title in TITLE.findall(text)}

    assert len(named) >= 5
    assert named - titles == set()
