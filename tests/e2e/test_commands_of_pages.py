"""The commands of the pages on contests and matches work in their order, as printed.

Other tests run the tutorials, the page on JSON lines and the pages for users of other tools; the
commands of all pages are read by `test_page_commands.py`.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_blocks import PAGES, ROOT, blocks
from page_course import Course, write_class

PLAYED = {"contest": (), "play": ("arena tournament class.yaml",)}
"""Pages whose commands are run, and the commands that their readers have run before."""
UNRUN = {
    ".venv/bin/pip install": "installs from a public registry",
    "arena tournament /srv/class/": "is a line for cron, with a folder of the system",
    "arena serve --port 8000": "has a port that another program of the machine may use",
    "arena replay void-2": "replays an error in the rules, and no shipped game has one",
}
"""Beginnings of the commands of these pages that are not run, and why."""


@pytest.fixture
def course(tmp_path: Path) -> Iterator[Course]:
    folder = tmp_path / "page"
    write_class(folder)
    made = Course(folder, tmp_path / "beside")
    yield made
    made.end()


@pytest.mark.parametrize("name", PLAYED)
def test_the_commands_of_a_page_work(course: Course, name: str) -> None:
    assert course.run(*PLAYED[name]) == ""
    for block in blocks(ROOT / f"docs/howto/{name}.md"):
        commands = [line for line in block.commands if not line.startswith(tuple(UNRUN))]

        assert course.run(*commands) == "", f"{block.page}, line {block.line}"


def test_each_command_that_is_not_run_is_on_a_page() -> None:
    pages = [ROOT / f"docs/howto/{name}.md" for name in PLAYED]
    commands = [line for page in pages for block in blocks(page) for line in block.commands]

    assert [start for start in UNRUN if not any(line.startswith(start) for line in commands)] == []


def test_a_command_that_is_none_fails(course: Course) -> None:
    assert course.run("arena games", "arena turnament class.yaml") != ""


def test_the_blocks_of_all_pages_are_found() -> None:
    assert sum(1 for page in PAGES for _ in blocks(page)) > 140
