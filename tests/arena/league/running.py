"""A league that `arena league start` runs, and a browser that looks at it."""

import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from browsers import CUT, follow
from playwright.sync_api import Page, ViewportSize

from arena.league.folder import new_league

WIDTHS = (360, 768, 1440)
PROJECTOR = 1920
PASSWORD = "correct horse"  # noqa: S105 - of tests


@dataclass
class Running:
    """A running league."""

    folder: Path
    port: int
    process: "subprocess.Popen[str]"
    said: list[str] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def staff_link(self) -> str:
        return self.said[1].split()[-1]

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


@contextmanager
def started(folder: Path, game: str = "pente", more: str = "") -> Iterator[Running]:
    """Run a new league of two house bots, with more keys, until the end of the context."""
    new_league(folder, game, "auto")
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    site, season = folder / "league.yaml", folder / "season.yaml"
    site.write_text(re.sub(r"port: \d+", f"port: {port}", site.read_text()) + more)
    text = season.read_text().replace("[random, greedy, searcher]", "[random, greedy]")
    season.write_text(text)
    command = [sys.executable, "-P", "-m", "arena", "league", "start", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = [process.stdout.readline(), process.stdout.readline()]
    yield Running(folder, port, process, said)
    process.terminate()  # SIGINT is ignored by what a shell runs in the background
    assert process.wait(120) == 0
    process.stdout.close()


def set_password(page: Page, link: str) -> None:
    """Open the link of a person, and choose the password."""
    page.goto(link)
    page.get_by_label("password").fill(PASSWORD)
    follow(page.get_by_role("button", name="Set the password"))


def is_clean(page: Page, widths: tuple[int, ...] = WIDTHS) -> None:
    """Check a page at some widths, light and dark."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        for width in widths:
            page.set_viewport_size(ViewportSize(width=width, height=900))
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{page.url} is {wide} wide at {width}"
            assert page.evaluate(CUT) == [], f"{page.url} at {width}"
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
