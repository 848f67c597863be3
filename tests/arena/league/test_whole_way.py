"""The whole way in a real browser: slip, password, hand-in, check, table; and what it survives."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsers import LONGEST_MS
from leagues import zipped
from playwright.sync_api import Browser, Page, ViewportSize, expect
from waiting import becomes

from arena.bots.scaffold import write_bot
from arena.league.folder import new_league
from arena.results.store import Store

WIDTHS = (360, 768, 1440)
PASSWORD = "correct horse"  # noqa: S105 - of tests


@dataclass
class Running:
    """A league that `arena league start` runs."""

    folder: Path
    port: int
    process: "subprocess.Popen[str]"
    said: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def part(self, name: str) -> int:
        """Return the PID of a process of the league."""
        mark = f"\0arena.league\0{name}\0{self.folder}"
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if mark in path.read_text():
                    return int(path.parent.name)
            except OSError:
                continue
        return 0


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("whole-way") / "our-league"
    new_league(folder, "pente", "auto")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    site, season = folder / "league.yaml", folder / "season.yaml"
    site.write_text(re.sub(r"port: \d+", f"port: {port}", site.read_text()))
    text = season.read_text().replace("[random, greedy, searcher]", "[random, greedy]")
    season.write_text(text)
    command = [sys.executable, "-P", "-m", "arena", "league", "start", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = [process.stdout.readline(), process.stdout.readline()]
    yield Running(folder, port, process, said)
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 0
    process.stdout.close()


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.set_default_timeout(LONGEST_MS)
    yield page
    page.close()


@pytest.fixture(scope="module")
def errors(page: Page) -> list[str]:
    """What the console of the browser has complained about."""
    found: list[str] = []
    page.on("console", lambda said: found.append(said.text) if said.type == "error" else None)
    return found


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bots") / "mine"
    write_bot("python", folder, "pente")
    return folder


def is_clean(page: Page) -> None:
    """Check a page at three widths, light and dark."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in WIDTHS:
            page.set_viewport_size(ViewportSize(width=width, height=900))
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{page.url} is {wide} wide at {width}"
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def set_password(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_label("password").fill(PASSWORD)
    page.get_by_role("button", name="Set the password").click()


def hand_in(page: Page, name: str, data: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.get_by_label("File for").set_input_files(file)  # type: ignore[arg-type]
    page.get_by_role("button", name="Hand in").click()


def test_a_student_goes_from_the_slip_to_the_table(
    running: Running, page: Page, errors: list[str], bot: Path
) -> None:
    assert running.said[0] == f"league: {running.address}/\n"
    set_password(page, running.said[1].split()[-1])
    page.get_by_label("Class list").fill("Anna Lenz\nBen Okafor; Blue")
    page.get_by_role("button", name="Add").click()
    (link, _) = page.locator("code").all_text_contents()
    is_clean(page)
    page.get_by_role("button", name="Log out").click()

    page.goto(link)
    is_clean(page)
    set_password(page, link)
    page.get_by_label("Name").fill("anna-bot")
    page.get_by_role("button", name="Add the bot").click()
    files = {path.name: path.read_text() for path in bot.iterdir() if path.is_file()}
    hand_in(page, "bot.zip", zipped(files))

    expect(page.get_by_text("Accepted: version 1 plays.")).to_be_visible()
    assert "no fault" in page.locator(".report").inner_text()
    is_clean(page)
    page.goto(running.address)
    own = page.get_by_role("row").filter(has_text="anna-bot")
    assert becomes(lambda: bool(page.reload() and "±" in own.inner_text()))
    is_clean(page)
    assert errors == []


def test_a_match_can_be_stepped_through(running: Running, page: Page, errors: list[str]) -> None:
    page.goto(f"{running.address}/bots/anna-bot")
    is_clean(page)
    page.get_by_role("region", name="Latest matches").get_by_role("link").first.click()
    board = page.frame_locator("iframe")
    expect(board.locator(".board")).to_be_visible()
    expect(page.get_by_role("link", name="output of anna-bot.1")).to_be_visible()
    assert errors == []


def test_a_bot_that_does_not_work_is_refused_with_its_output(running: Running, page: Page) -> None:
    page.goto(f"{running.address}/bots/anna-bot")
    files = {
        "bot.yaml": 'run: ["{python}", main.py]\n',
        "main.py": "raise SystemExit('my own error')",
    }
    hand_in(page, "bot.zip", zipped(files))

    expect(page.get_by_text("Refused; the version before it plays on.")).to_be_visible()
    assert "my own error" in page.locator("pre").inner_text()
    is_clean(page)


def test_the_command_hands_in_and_waits_and_the_same_files_are_the_same_version(
    running: Running, page: Page, bot: Path, tmp_path: Path
) -> None:
    page.goto(f"{running.address}/me")
    page.get_by_label("Label").fill("laptop")
    page.get_by_role("button", name="Make a token").click()
    token = tmp_path / "token"
    token.write_text(page.get_by_role("status").locator("code").inner_text())
    where = ["--to", running.address, "--bot", "anna-bot", "--token", str(token)]

    command = [sys.executable, "-P", "-m", "arena", "hand-in", str(bot), *where]
    ended = subprocess.run([*command, "--wait", "--json"], capture_output=True, check=False)

    assert ended.returncode == 0, ended.stderr
    state = json.loads(ended.stdout)
    assert (state["state"], state["version"]) == ("accepted", 1)
    is_clean(page)


def test_a_kill_of_each_process_loses_nothing(running: Running, page: Page) -> None:
    def played() -> set[str]:
        with closing(Store(running.folder / "arena.db")) as store:
            return store.keys(1)

    before = played()
    for name in ("director", "web"):
        killed = running.part(name)
        os.kill(killed, signal.SIGKILL)
        assert becomes(lambda killed=killed, name=name: running.part(name) not in (0, killed))  # type: ignore[misc]
    count = len(played())
    assert becomes(lambda: len(played()) > count + 2)
    assert before <= played()
    assert page.goto(f"{running.address}/bots/anna-bot")
    expect(page.get_by_role("heading", name="anna-bot")).to_be_visible()
