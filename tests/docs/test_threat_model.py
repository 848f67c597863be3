"""The threat model names a test for each promise, and such tests exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "threat-model.md"
_TEST = re.compile(r"`(test_\w+)::(test_\w+)`")


def test_every_promise_is_shown_by_tests_that_exist() -> None:
    table = PAGE.read_text().partition("## Promises")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]

    assert rows
    assert [row for row in rows if not _TEST.search(row)] == []
    named = set(_TEST.findall(table))
    written = {
        (path.stem, name)
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE)
    }
    assert sorted(named - written) == []


def test_the_readme_promises_no_number_of_hostile_bots() -> None:
    assert re.search(r"\d+ hostile", (ROOT / "README.md").read_text()) is None


def test_the_security_page_links_to_the_threat_model() -> None:
    assert "(docs/explanation/threat-model.md)" in (ROOT / "SECURITY.md").read_text()
