"""The pages of decisions: each begins with the decision and fits on a page."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs/decisions").glob("*.md"))
MOST_WORDS = 800
"""Limit of the words of a decision, tables included."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_comes_first_and_fits_on_a_page(page: Path) -> None:
    title, decision, _ = page.read_text().split("\n\n", 2)

    assert title.startswith("# Decision: ")
    assert decision.startswith("**Decision.** ")
    assert len(page.read_text().split()) <= MOST_WORDS


def test_the_decision_on_packages_names_every_package_of_arena() -> None:
    page = (ROOT / "docs/decisions/arena-in-packages.md").read_text()
    packages = sorted(path.parent.name for path in (ROOT / "arena").glob("*/__init__.py"))

    assert [name for name in packages if f"`{name}/`" not in page] == []
