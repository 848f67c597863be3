"""Tabs of a real browser, and what they complain about."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Error, Page, ViewportSize

SIZE: ViewportSize = {"width": 1280, "height": 720}


@pytest.fixture(scope="module")
def only_tab(browser: Browser) -> Page:
    """Open the page that all tests of a file use in turn: a new one takes as long as most tests."""
    return browser.new_page(viewport=SIZE)


@pytest.fixture
def tab(only_tab: Page) -> Iterator[Page]:
    """An empty page without cookies."""
    yield only_tab
    only_tab.goto("about:blank")
    only_tab.context.clear_cookies()
    only_tab.set_viewport_size(SIZE)
    only_tab.emulate_media(color_scheme="null")


@pytest.fixture
def own_tab(browser: Browser) -> Iterator[Page]:
    """A page of one test, which may replace its answers and its clock."""
    with browser.new_context(viewport=SIZE) as context:
        yield context.new_page()


@pytest.fixture
def page(tab: Page) -> Iterator[Page]:
    """A page that fails the test at its end if it reported an error or a broken policy."""
    complaints: list[str] = []

    def note(message: ConsoleMessage) -> None:
        complaints.append(message.text)

    def fail(error: Error) -> None:
        complaints.append(str(error))

    def dismiss(dialog: Dialog) -> None:
        complaints.append(dialog.message)
        dialog.dismiss()

    tab.on("console", note)
    tab.on("pageerror", fail)
    tab.on("dialog", dismiss)
    yield tab
    tab.goto("about:blank")
    tab.remove_listener("console", note)
    tab.remove_listener("pageerror", fail)
    tab.remove_listener("dialog", dismiss)
    assert complaints == []
