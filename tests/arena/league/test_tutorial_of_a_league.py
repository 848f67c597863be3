"""The tutorial `A league for your class`, word by word: its commands run, its pages are clicked."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from browsers import follow
from leagues import zipped
from playwright.sync_api import Browser, Page, expect
from running import set_password
from waiting import becomes

from arena.bots.scaffold import write_bot
from arena.results.store import Store

PAGE = Path(__file__).resolve().parents[3] / "docs/tutorial/league.md"
BLOCKS = [
    re.sub(r"^    ", "", block, flags=re.MULTILINE).rstrip("\n").split("\n")
    for block in re.findall(r"\n\n((?:    .*\n)+)", PAGE.read_text())
]
PORT = 8642
"""The port of the tutorial; the test takes a free one."""


class Reader:
    """Somebody who follows the tutorial."""

    def __init__(self, folder: Path, page: Page, port: int) -> None:
        self.folder = folder
        self.page = page
        self.port = port
        self.process: subprocess.Popen[str] | None = None
        self.environment = dict(os.environ)
        self.seen: set[str] = set()

    def here(self, text: str) -> str:
        """Return a text of the tutorial for this machine."""
        return text.replace(f"127.0.0.1:{PORT}", self.address).replace(
            f"192.0.2.7:{PORT}", self.address
        )

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def command(self, start: str) -> list[str]:
        """Return the arguments of the first command of the tutorial with this start."""
        line = next(line for block in BLOCKS for line in block if line.startswith(start))
        return shlex.split(self.here(line), comments=True)[1:]

    def run(self, start: str) -> str:
        """Run a command of the tutorial, and return what it printed."""
        line = [sys.executable, "-P", "-m", "arena", *self.command(start)]
        ended = subprocess.run(
            line, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, f"{line}: {ended.stdout}{ended.stderr}"
        return ended.stdout

    def start(self) -> list[str]:
        """Start the league, and return what it prints."""
        line = [sys.executable, "-P", "-m", "arena", *self.command("arena league start")]
        self.process = subprocess.Popen(
            line, cwd=self.folder, stdout=subprocess.PIPE, text=True, env=self.environment
        )
        assert self.process.stdout is not None
        return [self.process.stdout.readline().strip() for _ in range(2)]

    def look(self) -> None:
        """Remember the words of the page."""
        self.seen.add(self.page.locator("body").inner_text())


@pytest.fixture(scope="module")
def reader(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    reader = Reader(tmp_path_factory.mktemp("tutorial"), browser.new_page(), port)
    yield reader
    reader.page.close()
    if reader.process is not None and reader.process.poll() is None:
        reader.process.send_signal(signal.SIGINT)
        reader.process.wait(120)
    if reader.process is not None and reader.process.stdout is not None:
        reader.process.stdout.close()


def like(text: str) -> str:
    """Return a pattern of a line whose numbers may be others."""
    return re.sub(r"\d+(\\\.\d+)?", r"\\d+(\\.\\d+)?", re.escape(text))


def block_with(start: str) -> list[str]:
    """Return the block of the tutorial that begins like this."""
    return next(block for block in BLOCKS if block[0].startswith(start))


def test_the_league_begins_with_two_commands(reader: Reader) -> None:
    reader.run("arena league new")
    for row in re.findall(r"^\| `([\w.]+)` \|", PAGE.read_text(), re.MULTILINE)[:2]:
        assert (reader.folder / "our-league" / row).is_file()
    site = reader.folder / "our-league/league.yaml"
    site.write_text(site.read_text().replace(f"port: {PORT}", f"port: {reader.port}"))

    said = reader.start()

    expected = [reader.here(line) for line in block_with("league: http")]
    assert said[0] == expected[0]
    assert said[1].startswith(expected[1].removesuffix("..."))
    set_password(reader.page, said[1].split()[-1])
    reader.page.goto(f"http://{reader.address}/")
    reader.look()
    for name in ("random", "greedy", "searcher"):
        expect(reader.page.get_by_role("link", name=name, exact=True)).to_be_visible()


def test_the_class_is_invited_and_a_student_hands_in(reader: Reader) -> None:
    page = reader.page
    follow(page.get_by_role("link", name="Staff"))
    reader.look()
    people = block_with("Anna Lenz")
    page.get_by_label("Class list").fill("\n".join(people))
    follow(page.get_by_role("button", name="Add"))
    assert page.locator("code").count() == len(people)
    link = page.locator("code").first.inner_text()
    follow(page.get_by_role("link", name="Live"))
    reader.look()
    follow(page.get_by_role("link", name="Staff"))
    reader.look()
    follow(page.get_by_role("button", name="Log out"))
    set_password(page, link)
    page.get_by_label("Name").fill("deep-thought")
    follow(page.get_by_role("button", name="Add the bot"))
    reader.look()
    write_bot("python", reader.folder / "my-bot", "pente")
    files = (reader.folder / "my-bot").iterdir()
    data = zipped({path.name: path.read_text() for path in files if path.is_file()})
    file = {"name": "my-bot.zip", "mimeType": "application/octet-stream", "buffer": data}
    page.get_by_label("File for").set_input_files(file)  # type: ignore[arg-type]
    follow(page.get_by_role("button", name="Hand in"))

    *report, accepted = block_with("unpacked in")
    expect(page.get_by_text(accepted)).to_be_visible()
    told = page.locator(".report li").all_inner_texts()
    assert len(told) == len(report)
    for line, shown in zip(told, report, strict=True):
        assert re.fullmatch(like(shown), line), f"{line!r} is not like {shown!r}"


def test_the_command_hands_in_with_a_token(reader: Reader) -> None:
    page = reader.page
    follow(page.get_by_role("link", name="My bots"))
    page.get_by_label("Label").fill("laptop")
    follow(page.get_by_role("button", name="Make a token"))
    (name, _) = block_with("export ")[0].removeprefix("export ").split("=")
    reader.environment[name] = page.get_by_role("status").locator("code").inner_text()

    assert "version 1" in reader.run("arena hand-in")


def test_a_match_is_asked_again_at_home_and_every_named_page_is_there(reader: Reader) -> None:
    page = reader.page
    database = reader.folder / "our-league/arena.db"

    def long_match() -> int:
        with closing(Store(database)) as store:
            query = (
                "SELECT id FROM match JOIN seat ON match = id"
                " WHERE player = 'deep-thought.1' AND plies > 13 LIMIT 1"
            )
            row = store.database.row(query)
        return 0 if row is None else int(row[0])

    assert becomes(lambda: long_match() > 0)
    page.goto(f"http://{reader.address}/matches/{long_match()}")
    reader.look()
    with page.expect_download() as saved:
        page.get_by_role("link", name=".db").click()
    file = reader.command("arena replay")[3]
    saved.value.save_as(reader.folder / file)

    assert "to move after ply 12" in reader.run("arena replay")
    for address in ("/bots/deep-thought", "/bots/deep-thought/faults"):
        page.goto(f"http://{reader.address}{address}")
        reader.look()
    words = set(re.findall(r"(?<![*\w])\*([A-Z][\w ]+)\*(?!\*)", PAGE.read_text()))
    assert words
    assert [word for word in words if not any(word in text for text in reader.seen)] == []


def test_a_backup_is_restored_and_the_league_ends(reader: Reader) -> None:
    for start in ("backup", "restore", "verify", "export"):
        assert reader.run(f"arena league {start}")
    assert (reader.folder / "our-league-2/league.yaml").is_file()

    assert reader.run("arena league stop") == "stopped\n"

    assert reader.process is not None
    assert reader.process.wait(120) == 0
