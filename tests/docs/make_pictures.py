"""Make the pictures of the pages in README and docs: `python tests/docs/make_pictures.py`.

With `--check` nothing is written: it fails if the pages no longer have the elements that they had
when the pictures were made, as listed in `docs/images/outline.txt`.

It needs Chromium. An event of six players of the shipped bot `greedy` is played; the report shows
one of its matches, and the live page shows the event again at two thirds of its matches. The page
of play shows a match of Damspel against its usual bot, with a hint and a chosen man. A league shows
the way of a bot from the slips to the table (`league_pictures.py`). The boards of the tutorial are
drawn without a browser (`board_pictures.py`).
"""

import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple, Self
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests/arena")]
sys.path += [str(ROOT / "tests/arena/pages"), str(ROOT / "tests/arena/league")]

from board_pictures import boards  # noqa: E402
from browsers import launched  # noqa: E402
from events import new_store  # noqa: E402
from league_pictures import way_of  # noqa: E402
from playwright.sync_api import Browser, Page  # noqa: E402
from preloaded import Preloaded  # noqa: E402
from watching import Stage, directing, serving  # noqa: E402

from arena.results.store import Store  # noqa: E402
from referee.records.record import Record  # noqa: E402

IMAGES = ROOT / "docs/images"
NAMES = ("ada", "boole", "curry", "dijkstra", "euler", "fermat")
CONFIG = f"""name: spring-cup
game: {{name: pente}}
bots: [{", ".join(f"{{name: {name}, bot: greedy}}" for name in NAMES)}]
boards: 3
seed: 1997
openings: {{random_plies: 4}}
"""
OUTLINE = """[...new Set([...document.querySelectorAll("main *")]
    .filter((node) => node.checkVisibility())
    .map((node) => [node.localName, node.classList[0] ?? ""].join(".")))]
    .sort().join(" ")"""
"""The kinds of visible elements, with their first classes."""
PLY = 30
"""Ply of the picture of a match."""
MOVES = ("d4-d5", "f4-g5")
"""The first moves of White in the match of the page of play."""
MAN = "h4"
"""Place of the man that is chosen there."""
PLIES = (7, 23, 13, 19, 4, 24)
"""Plies of the matches in play."""


def main(is_check: bool) -> int:  # noqa: FBT001 - the only option
    """Write the pictures and their outline, or compare the outline; return the exit code."""
    with tempfile.TemporaryDirectory(prefix="arena-pictures-") as home:
        folder = Path(home)
        with closing(Store(played(folder))) as store:
            records = [store.record(match.id) for match in store.matches(1)]
        with launched() as browser:
            pictures = dict(taken(browser, folder, records))
    outline = "".join(f"{name}: {seen.outline}\n" for name, seen in pictures.items())
    drawn = dict(boards())
    if not is_check:
        for path, content in drawn.items():
            path.write_text(content)
        (IMAGES / "outline.txt").write_text(outline)
        for name, seen in pictures.items():
            (IMAGES / name).write_bytes(seen.image)
    elif (IMAGES / "outline.txt").read_text() != outline or any(
        path.read_text() != content for path, content in drawn.items()
    ):
        print("the pages have changed; run python tests/docs/make_pictures.py")
        return 1
    return 0


class Picture(NamedTuple):
    """A page as it is seen: a PNG, and its kinds of elements."""

    image: bytes
    outline: str

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return the picture of a page."""
        return cls(page.screenshot(animations="disabled"), page.evaluate(OUTLINE))


def played(folder: Path) -> Path:
    """Play the event and write its report into the folder; return the path of its database."""
    (folder / "cup.yaml").write_text(CONFIG)
    for words in (["tournament", "cup.yaml"], ["report"]):
        command = [sys.executable, "-m", "arena", *words]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "arena.db"


def taken(browser: Browser, folder: Path, records: list[Record]) -> Iterator[tuple[str, Picture]]:
    """Yield the pictures by the names of their files."""
    long = [record.job.key for record in records if record.calls.plies >= PLY + 10]
    page = browser.new_page(viewport={"width": 1180, "height": 860})
    open_match(page, folder, long[0])
    yield "report-match.png", Picture.of(page)
    with watched(folder / "live", records) as link:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        open_event(page, link)
        yield "watch.png", Picture.of(page)
    with Preloaded(["play", "damspel", "--browser"], cwd=folder, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        page = browser.new_page(viewport={"width": 1180, "height": 800})
        play_match(page, link_in(server.stdout.readline()))
        yield "play.png", Picture.of(page)
        server.terminate()
    yield "league.png", Picture(*way_of(browser, folder / "league", OUTLINE))


def open_match(page: Page, folder: Path, key: str) -> None:
    """Open a match in a report."""
    page.goto(f"{(folder / 'report.html').as_uri()}#m={quote(key)}&p={PLY}")
    page.locator(".board .piece").first.wait_for()


@contextmanager
def watched(folder: Path, records: list[Record]) -> Iterator[str]:
    """Serve the event with some matches in play, the next ones waiting; yield its link."""
    folder.mkdir()
    tempfile.tempdir = str(folder)
    begun = 2 * len(records) // 3
    left = sorted(records[begun:], key=lambda record: -record.calls.plies)
    running = left[: len(PLIES)]
    with closing(new_store(folder)) as store:
        config = {"game": {"name": "pente"}}
        store.add_event("spring-cup", 1, config, dict(zip(NAMES, NAMES, strict=True)))
    stage = Stage(folder, total=len(records))
    for record in records[:begun]:
        stage.finish(record)
    stage.begin(*running, coming=[record.job for record in left[len(PLIES) :]])
    for record, plies in zip(running, PLIES, strict=True):
        stage.play(record, plies)
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        port = str(door.getsockname()[1])
    with directing(stage), serving(folder, "--public", "--port", port) as line:
        yield link_in(line)


def link_in(line: str) -> str:
    """Return the link in what a server prints at its start."""
    return line[line.index("http") :].split(maxsplit=1)[0]


def open_event(page: Page, link: str) -> None:
    """Open the event as on a projector."""
    page.goto(f"{link}#e=1&v=projector")
    page.locator(".wall .tile").nth(len(PLIES) - 1).locator(".piece").first.wait_for()
    page.locator(".wall .tile").nth(1).get_by_role("button").click()
    page.locator(".tile.large .piece").nth(15).wait_for()
    page.mouse.move(0, 0)


def play_match(page: Page, link: str) -> None:
    """Play two moves, ask for a hint, and choose a man."""
    page.goto(link)
    for move in MOVES:
        page.locator(".place.offered").first.wait_for()
        page.get_by_placeholder("type a move").fill(move)
        page.get_by_role("button", name="play", exact=True).click()
        page.get_by_label(f"{move[-2:]}: white man").wait_for()
        page.get_by_text("Your turn.").wait_for()
    page.get_by_role("button", name="hint").click()
    page.get_by_text("would play").wait_for()
    page.get_by_label(f"{MAN}: white man").click()
    page.locator(".place.offered").first.wait_for()
    page.mouse.move(0, 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] == ["--check"]))
