"""Sources keep to the limits and words of the style."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import measure


@pytest.mark.parametrize("folder", [name for name in measure.FOLDERS if name != "tests"])
def test_files_functions_and_docstrings_keep_to_the_style(folder: str) -> None:
    assert measure.Folder(folder).remarks == []


def test_a_word_that_another_should_replace_is_found() -> None:
    assert measure.avoided("The bot is told that its match goes on.") == ["is told", "goes on"]
    assert measure.avoided("Limit of the wall time; leaves room for more.") == []


def test_every_word_of_the_list_has_a_pattern() -> None:
    page = (measure.ROOT / "docs/contributing/writing.md").read_text()
    rows = page.split("| instead of | write |")[1].split("## ")[0].splitlines()[2:]
    words = {row.split("|")[1].strip() for row in rows if row.startswith("|")}

    assert words - set(measure.AVOIDED) == {"else (in prose)"}
