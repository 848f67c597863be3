"""The page of the showcase has what its records give, and nothing of the machine that made them."""

import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import pytest
from preloaded import run
from waiting import LONGEST_S

ROOT = Path(__file__).parents[2]
sys.path.append(str(ROOT / "docs/showcase"))
import make  # noqa: E402 - it lies in docs/showcase

LARGEST = 1_500_000
AGAIN = (
    "records.db.xz fits the rules with which it was played; after a change of rules play it again:"
    " .venv/bin/python docs/showcase/make.py play"
)


@pytest.fixture(autouse=True)
def preloaded_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the commands of the script as forks of the preloaded one."""

    def command(records: make.Records, *arguments: str, most: int = 0) -> str:
        done = run(*arguments, "--db", str(records.path), cwd=ROOT, timeout=LONGEST_S)
        assert done.returncode <= most, f"{done.stderr}{AGAIN}"
        return done.stdout

    monkeypatch.setattr(make.Records, "arena", command)


def test_tables_and_pictures_are_what_the_records_give() -> None:
    assert list(make.stale()) == [], "make them again: python docs/showcase/make.py"


def test_a_page_with_another_number_is_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = make.PAGE.read_text("utf-8").replace("1  stockfish  ", "2  stockfish  ")
    monkeypatch.setattr(make, "PAGE", ChangedPage(make.PAGE, changed))
    monkeypatch.setattr(make, "EVENTS", ("chess",))

    assert next(make.stale()) == "docs/showcase/index.md"


class ChangedPage:
    """The page with another text than on the disk."""

    def __init__(self, path: Path, text: str) -> None:
        self.name, self._path, self._text = path.name, path, text

    def read_text(self, encoding: str) -> str:
        """Return the other text."""
        assert encoding == "utf-8"
        return self._text

    def relative_to(self, other: Path) -> Path:
        """Return the path of the page."""
        return self._path.relative_to(other)


def test_the_records_name_no_folder_of_a_machine_and_have_all_events() -> None:
    with make.unpacked() as records, closing(connect(records.path)) as database:
        events = database.execute("SELECT name, director, config FROM event").fetchall()
        finished = Counter(
            dict(database.execute("SELECT event, count(*) FROM match GROUP BY event"))
        )
        data = records.path.read_bytes()

    assert [name for name, _, _ in events] == list(make.EVENTS)
    assert [director for _, director, _ in events] == [None] * len(events)
    assert all(finished[number + 1] > 0 for number in range(len(events)))
    folders = [str(ROOT), *(f"/{name}/" for name in ("home", "root", "tmp"))]
    assert [folder for folder in folders if folder.encode() in data] == []


def test_the_showcase_is_small() -> None:
    files = [path for path in make.FOLDER.rglob("*") if path.is_file() and path.suffix != ".pyc"]

    assert sum(path.stat().st_size for path in files) < LARGEST
