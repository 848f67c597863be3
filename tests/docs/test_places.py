"""The pages name files that exist, and test modules have names of their own."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "docs/explanation", "docs/decisions", "docs/contributing"]
FILE = re.compile(
    r"`((?:arena|referee|protocol|tests|docs|bots)/[\w./-]+\.(?:py|md|c|h))(?::[\w.]+)?`"
)


def pages() -> list[Path]:
    """Return the pages for developers."""
    found = [ROOT / name for name in PAGES]
    return [path for page in found for path in ([page] if page.is_file() else page.glob("*.md"))]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_file_that_a_page_names_exists(page: Path) -> None:
    named = FILE.findall(page.read_text(encoding="utf-8"))

    assert [name for name in named if not (ROOT / name).exists()] == []


def test_no_two_test_modules_have_the_same_name() -> None:
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))

    assert [name for name, count in names.items() if count > 1] == []
