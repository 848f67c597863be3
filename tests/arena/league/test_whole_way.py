"""The whole way in a real browser: slip, password, hand-in, check, table; and what it survives."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from browsers import follow
from leagues import zipped
from playwright.sync_api import Browser, Page, expect
from running import Running, is_clean, set_password, started
from waiting import becomes

from arena.bots.scaffold import write_bot
from arena.results.store import Store


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with started(tmp_path_factory.mktemp("whole-way") / "our-league") as running:
        yield running


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
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


def hand_in(page: Page, name: str, data: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    page.get_by_label("File for").set_input_files(file)  # type: ignore[arg-type]
    follow(page.get_by_role("button", name="Hand in"))


def test_a_student_goes_from_the_slip_to_the_table(
    running: Running, page: Page, errors: list[str], bot: Path
) -> None:
    assert running.said[0] == f"league: {running.address}/\n"
    set_password(page, running.staff_link)
    page.get_by_label("Class list").fill("Anna Lenz\nBen Okafor; Blue")
    follow(page.get_by_role("button", name="Add"))
    (link, _) = page.locator("code").all_text_contents()
    is_clean(page)
    follow(page.get_by_role("button", name="Log out"))

    page.goto(link)
    is_clean(page)
    set_password(page, link)
    page.get_by_label("Name").fill("anna-bot")
    follow(page.get_by_role("button", name="Add the bot"))
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
    follow(page.get_by_role("region", name="Latest matches").get_by_role("link").first)
    board = page.frame_locator("iframe")
    expect(board.locator(".board")).to_be_visible()
    expect(page.get_by_role("link", name="output of anna-bot.1")).to_be_visible()
    for width, height in ((1920, 1080), (1280, 800), (768, 1024), (360, 740)):
        page.set_viewport_size({"width": width, "height": height})
        below = "document.documentElement.scrollHeight - innerHeight"
        assert page.frames[-1].evaluate(below) <= 0, width
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
    follow(page.get_by_role("button", name="Make a token"))
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
            season = store.latest_event("season-1")
            return set() if season is None else store.keys(season.id)

    before = played()
    assert before
    for name in ("director", "web"):
        killed = running.part(name)
        os.kill(killed, signal.SIGKILL)
        assert becomes(lambda killed=killed, name=name: running.part(name) not in (0, killed))  # type: ignore[misc]
    count = len(played())
    assert becomes(lambda: len(played()) > count + 2)
    assert before <= played()
    assert page.goto(f"{running.address}/bots/anna-bot")
    expect(page.get_by_role("heading", name="anna-bot")).to_be_visible()
