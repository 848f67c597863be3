"""Writes the tables of docs/reference/faults.md: the cases in the modules beside this one, and what
shows that each promise is kept (promises.txt).

    PYTHONPATH=.:tests python tests/e2e/hostile/write_page.py

test_hostile.py plays the cases and checks that the page and they agree.
"""

from collections.abc import Sequence
from pathlib import Path

import promises
from hostile_case import Case

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "faults.md"
BEGIN = "<!-- the table: written by tests/e2e/hostile/write_page.py -->\n\n"
END = "\n<!-- its end -->"
BEGIN_PROMISES = "<!-- the promises: written by tests/e2e/hostile/write_page.py -->\n\n"
END_PROMISES = "\n<!-- their end -->"
HEAD = """\
| | the bot | ends as | recorded | what survives |
|---:|---|---|---|---|
"""


def table_of(cases: Sequence[Case]) -> str:
    """Return the table: a line a case."""
    lines = [
        f"| {case.row} | {case.behaviour} | {case.verdict} | {case.recorded} | {case.survives} |\n"
        for case in cases
    ]
    return HEAD + "".join(lines)


def table_in(page: str) -> str:
    """Return the table of the page."""
    return page.partition(BEGIN)[2].partition(END)[0]


def promises_in(page: str) -> str:
    """Return the table of promises as it stands in the page."""
    return page.partition(BEGIN_PROMISES)[2].partition(END_PROMISES)[0]


if __name__ == "__main__":
    from hostile_runs import CASES

    text = PAGE.read_text(encoding="utf-8")
    text = text.replace(table_in(text), table_of(CASES))
    text = text.replace(promises_in(text), promises.table_of(CASES))
    PAGE.write_text(text, encoding="utf-8")
