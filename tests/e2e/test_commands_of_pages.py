"""The commands of all pages work in their order, as printed.

`page_unrun.py` lists what is not run, and why; whatever else stands in a block of a page is run.
"""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_blocks import PAGES, ROOT, blocks, code, text_of
from page_course import Course
from page_folder import write_folder
from page_readers import READERS, Reader
from page_unrun import UNRUN, reason

COMMAND = re.compile(r"^(\$ .*)?(\.venv/bin/|python3 bootstrap\.py )?arena [a-z]", re.MULTILINE)
NAMES = [str(page.relative_to(ROOT)) for page in PAGES if next(blocks(page), None)]

pytestmark = pytest.mark.skipif(
    not shutil.which("cc") and not os.environ.get("CI"), reason="no C compiler on this machine"
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages") / "page"
    write_folder(folder)
    return folder


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bots that are built, once for all pages and all workers."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache-of-pages"


@pytest.fixture
def course(written: Path, cache: Path, tmp_path: Path) -> Iterator[Course]:
    shutil.copytree(written, tmp_path / "page", symlinks=True)
    made = Course(tmp_path / "page", tmp_path / "beside", cache)
    yield made
    made.end()


@pytest.mark.parametrize("name", NAMES)
def test_the_commands_of_a_page_work(course: Course, name: str) -> None:
    reader = READERS.get(name, Reader())
    for path, (language, number) in reader.files.items():
        file = course.folder / path
        file.parent.mkdir(exist_ok=True)
        file.write_text(text_of(ROOT / name, language, number))

    printed = [
        (f"{name}, line {block.line}", [line for line in block.commands if not reason(name, line)])
        for block in blocks(ROOT / name)
    ]

    if said := course.run([("what comes before", reader.before), *printed]):
        pytest.fail(said)


def test_each_command_that_is_not_run_is_on_its_page() -> None:
    found = {
        name: [line for block in blocks(ROOT / name) for line in block.commands] for name in NAMES
    }
    found[""] = [line for lines in found.values() for line in lines]

    for name, known in UNRUN.items():
        for start in known:
            assert any(line.startswith(start) for line in found[name]), (name, start)
    assert set(READERS) <= set(NAMES)


def test_the_files_that_run_a_command_exist() -> None:
    reasons = [text for known in UNRUN.values() for text in known.values()]
    files = [
        path for text in reasons for path in re.findall(r"(?:tests|\.ci|\.github)/[\w./-]+\w", text)
    ]

    assert [path for path in files if not (ROOT / path).exists()] == []


def test_a_command_that_is_none_fails(course: Course) -> None:
    said = course.run([("here", ["arena games"]), ("there", ["arena turnament class.yaml"])])

    assert "the last was there" in said


def test_no_block_with_a_command_is_overlooked() -> None:
    overlooked = [
        (str(page.relative_to(ROOT)), line)
        for page in PAGES
        for line, _, text in code(page)
        if COMMAND.search(text) and line not in {block.line for block in blocks(page)}
    ]

    assert overlooked == []
    assert sum(1 for page in PAGES for _ in blocks(page)) > 140
