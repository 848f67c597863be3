"""A real browser: Debian's Chromium, driven by playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Locator, expect, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser")
"""Debian's programs of the same browser: the first, which has no windows, needs the least CPU."""
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
LONGEST_MS = 120_000
"""Time to wait for what a page must show, on the busiest machine."""

CUT = """() => [...document.querySelectorAll(".chart text")].filter((text) => {
    const left = text.closest("svg").getBoundingClientRect().left;
    return text.getClientRects().length && text.getBoundingClientRect().left < left;
}).map((text) => text.textContent)"""
"""Returns the shown texts of charts that begin outside of their chart."""


@contextmanager
def launched() -> Iterator[Browser]:
    """Yield the browser, or skip the test without one."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(f"the browser tests need chromium: apt-get install {NAMES[0]}")
        pytest.skip("chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        expect.set_options(timeout=LONGEST_MS)
        browser.on("context", lambda context: context.set_default_timeout(LONGEST_MS))
        yield browser
        browser.close()


def follow(place: Locator) -> None:
    """Click what opens another page, and wait until that page is there: the click itself ends with
    the first bytes of the answer, when what does not wait would find an empty page.
    """
    place.click()
    place.page.wait_for_load_state()
