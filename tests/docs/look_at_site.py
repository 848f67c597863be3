"""Look at the built site as a reader does: `python tests/docs/look_at_site.py`, after `make docs`.

Needs Chromium. Prints each fault: a search that finds nothing, a request to elsewhere, a page that
is wider than its window, and a page without the version that it documents.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "docs"), str(ROOT / "tests/arena")]

from browsers import launched  # noqa: E402
from build_site import SITE, version  # noqa: E402
from playwright.sync_api import Browser, Error, Page  # noqa: E402

WIDTHS = (360, 768, 1440)
PAGES = (
    "index.html",
    "showcase/index.html",
    "tutorial/first-bot.html",
    "howto/gate.html",
    "reference/commands.html",
)
SEARCHED = ("sprt", "howto/gate.html")
"""Words to search for, and the page that must be among the results."""


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and prints nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base
        """Print nothing."""


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port; yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def faults(browser: Browser, address: str) -> Iterator[str]:
    """Yield the faults of the site."""
    page = browser.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for place in PAGES:
        page.goto(address + place)
        if version() not in page.title():
            yield f"{place}: its title {page.title()!r} lacks the version"
        yield from (f"{place}: {fault}" for fault in too_wide(page))
    yield from search(page, address)
    local = (address, "data:", "blob:")
    yield from (f"{url} is loaded from elsewhere" for url in asked if not url.startswith(local))
    page.close()


def too_wide(page: Page) -> Iterator[str]:
    """Yield the widths of a window that the page does not fit."""
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        is_wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        if is_wide:
            yield f"wider than a window of {width} pixels"


def search(page: Page, address: str) -> Iterator[str]:
    """Type words into the search of the front page; yield a fault if they are not found."""
    words, wanted = SEARCHED
    page.goto(address)
    page.keyboard.press("/")
    field = page.get_by_placeholder("Search").last
    try:
        field.fill(words)
        page.locator(f"a[href*='{wanted}']:has(mark)").first.wait_for(state="attached")
    except Error as error:
        yield f"the search for {words!r} does not find {wanted}: {error}"


def main() -> int:
    """Print the faults of the built site; return an exit code."""
    with served(SITE) as address, launched() as browser:
        found = list(faults(browser, address))
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
