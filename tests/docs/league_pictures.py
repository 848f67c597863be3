"""The way of a bot in a league as one picture: slips, the check of a hand-in, the table."""

import base64
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from browsers import follow
from playwright.sync_api import Browser, Page
from running import Running, set_password, started

from arena.bots.scaffold import write_bot
from arena.league.hand_ins.client import packed

CLASS = "Ada\nBen; Blue\nCleo; Blue\nDan"
BOT = "deep-thought"
SIZE = {"width": 700, "height": 620}
WAIT_MS = 240_000
MATCHES = 40
"""Matches of the bot before the picture of the table."""
_FRAME = """<!doctype html><html lang="en"><title>A league</title><style>
body {{ margin: 0; display: flex; gap: 12px; background: #fff; }}
img {{ width: 392px; border: 1px solid #d9dadb; border-radius: 6px; }}
</style><body>{images}</body></html>"""


class Way(NamedTuple):
    """The picture, and the kinds of elements of its pages."""

    image: bytes
    outline: str


def way_of(browser: Browser, folder: Path, outline: str) -> Way:
    """Return the picture; `outline` is the script that lists the kinds of elements."""
    page = browser.new_page(viewport=SIZE)  # type: ignore[arg-type]
    page.set_default_timeout(WAIT_MS)
    shots: list[bytes] = []
    kinds: set[str] = set()
    with started(folder / "spring-league") as league:
        for _ in steps(league, page, folder):
            shots.append(page.screenshot(animations="disabled"))
            kinds |= set(page.evaluate(outline).split())
    page.close()
    return Way(_joined(browser, shots), " ".join(sorted(kinds)))


def steps(league: Running, page: Page, folder: Path) -> Iterator[None]:
    """Go the way, and stop at each page of the picture."""
    set_password(page, league.staff_link)
    page.get_by_label("Class list").fill(CLASS)
    follow(page.get_by_role("button", name="Add"))
    link = page.locator("code").first.inner_text()
    page.evaluate("document.querySelectorAll('code').forEach(hide)".replace("hide", _HIDE))
    page.evaluate("document.querySelector('[role=alert]').remove()")  # of the address of the test
    yield
    follow(page.get_by_role("button", name="Log out"))
    set_password(page, link)
    page.get_by_label("Name").fill(BOT)
    follow(page.get_by_role("button", name="Add the bot"))
    write_bot("python", folder / BOT, "pente")
    name, data = packed(folder / BOT)
    file = {"name": name, "mimeType": "application/zip", "buffer": data}
    page.get_by_label("File for").set_input_files(file)  # type: ignore[arg-type]
    follow(page.get_by_role("button", name="Hand in"))
    page.get_by_text("Accepted: version 1 plays.").wait_for()
    yield
    page.goto(league.address)
    row = page.get_by_role("row").filter(has_text=BOT)
    while not _has_played(row.inner_text()):
        time.sleep(2)
        page.reload()
    yield


_HIDE = "(node) => { node.textContent = 'http://192.0.2.7:8642/link/' + '•'.repeat(22); }"
"""No link of a person is in a picture, and no port of a test."""


def _has_played(row: str) -> bool:
    numbers = [int(number) for number in re.findall(r"\b\d+\b", row)]
    return "±" in row and max(numbers[-2:], default=0) >= MATCHES


def _joined(browser: Browser, shots: list[bytes]) -> bytes:
    """Return the pictures beside each other."""
    page = browser.new_page(viewport={"width": 1206, "height": 350})
    sources = [f"data:image/png;base64,{base64.b64encode(shot).decode()}" for shot in shots]
    page.set_content(
        _FRAME.format(images="".join(f'<img alt="" src="{each}">' for each in sources))
    )
    image = page.screenshot()
    page.close()
    return image
