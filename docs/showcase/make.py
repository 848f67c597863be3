"""Make the showcase: play its events, and write pictures, tables and reports from the records.

    .venv/bin/python docs/showcase/make.py play    # half an hour; needs the engines of Debian
    .venv/bin/python docs/showcase/make.py         # pictures and tables of the page
    .venv/bin/python docs/showcase/make.py --check # are they what the records give?

`records.db.xz` has the matches of all events, and is the only file that another run of `play` would
make differently. The reports are made with the site (docs/build_site.py).
"""

import json
import lzma
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from sqlite3 import connect

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
PAGE = FOLDER / "index.md"
RECORDS = FOLDER / "records.db.xz"
EVENTS = ("chess", "gomoku", "go", "pente", "breakthrough", "gate")
"""Names of the events in their order on the page, each with a config."""
PICTURES = {"chess": 60, "gomoku": 77, "go": 167, "pente": 186}
"""The match of an event whose last position is a picture of the page."""
REPORTS = tuple(f"{name}.html" for name in EVENTS)
REPORT_SIZE = "300KB"


class Records:
    """The database of the matches, while it is unpacked."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def arena(self, *arguments: str, most: int = 0) -> str:
        """Run a command with the records; return what it prints, or end with its error."""
        command = [sys.executable, "-m", "arena", *arguments, "--db", str(self.path)]
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode > most:
            sys.exit(f"`arena {' '.join(arguments)}` failed with exit code {done.returncode}")
        return done.stdout

    def tables(self, name: str) -> str:
        """Return the tables of an event as `arena show` prints them; of a gate, the verdict."""
        text = self.arena("show", name)
        start = "gate (?:PASSED|FAILED)" if name == "gate" else "standings by"
        begin = re.search(rf"^{start}", text, re.MULTILINE)
        if begin is None:
            sys.exit(f"`arena show {name}` has no {start!r}")
        return re.split(r"\n\nresults:", text[begin.start() :])[0].strip()

    def page(self) -> str:
        """Return the page with the tables that the records give."""
        text = PAGE.read_text("utf-8")
        for name in EVENTS:
            parts = re.split(rf"(<!-- {name} -->\n\n```\n).*?(\n```)", text, flags=re.DOTALL)
            if len(parts) != 4:
                sys.exit(f"{PAGE.name} needs one block after <!-- {name} -->")
            text = f"{parts[0]}{parts[1]}{self.tables(name)}{parts[2]}{parts[3]}"
        return text

    def write_pictures(self, folder: Path) -> None:
        """Write the last positions of the chosen matches."""
        with closing(connect(self.path)) as records:
            plies = dict(records.execute("SELECT id, plies FROM match"))
        for name, match in PICTURES.items():
            picture = str(folder / f"showcase-{name}.svg")
            self.arena("replay", str(match), "--at", str(plies[match]), "--svg", picture)

    def forget_machine(self) -> None:
        """Name no folder of this machine, and leave out free pages."""
        with closing(connect(self.path)) as records:
            for number, text in records.execute("SELECT id, config FROM event").fetchall():
                config = json.dumps(json.loads(text) | {"folder": "docs/showcase"})
                records.execute("UPDATE event SET config = ? WHERE id = ?", (config, number))
            records.commit()
            records.execute("VACUUM")


@contextmanager
def unpacked() -> Iterator[Records]:
    """Yield the records in a folder for the time of the context."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.db"
        with lzma.open(RECORDS) as packed, path.open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        yield Records(path)


def play() -> None:
    """Play all events into new records."""
    with tempfile.TemporaryDirectory() as folder:
        records = Records(Path(folder) / "records.db")
        for name in EVENTS:
            config = str((FOLDER / f"{name}.yaml").relative_to(ROOT))
            if name == "gate":
                records.arena("gate", config, most=1)  # 1: it failed, which is a verdict
            else:
                records.arena("tournament", config)
        records.forget_machine()
        RECORDS.write_bytes(lzma.compress(records.path.read_bytes(), preset=9))


def write_reports(folder: Path) -> None:
    """Write the report of each event, a page of its own."""
    with unpacked() as records:
        for name, report in zip(EVENTS, REPORTS, strict=True):
            records.arena("report", name, "-o", str(folder / report), "--size", REPORT_SIZE)


def stale() -> Iterator[str]:
    """Yield the files that are not what the records give."""
    with unpacked() as records, tempfile.TemporaryDirectory() as made:
        if records.page() != PAGE.read_text("utf-8"):
            yield str(PAGE.relative_to(ROOT))
        records.write_pictures(Path(made))
        for path in sorted(Path(made).iterdir()):
            kept = ROOT / "docs/images" / path.name
            if not kept.exists() or kept.read_bytes() != path.read_bytes():
                yield str(kept.relative_to(ROOT))


def main(arguments: list[str]) -> int:
    """Do what the arguments say; return an exit code."""
    if arguments == ["--check"]:
        found = [f"{path} is not what {RECORDS.name} gives" for path in stale()]
        print(*found, sep="\n", end="\n" if found else "")
        return bool(found)
    if arguments == ["play"]:
        play()
    elif arguments:
        sys.exit(__doc__)
    with unpacked() as records:
        PAGE.write_text(records.page(), "utf-8")
        records.write_pictures(ROOT / "docs/images")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
