"""An empty database for the tests of what is kept, and a browser for those of pages."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from course import Class
from events import new_store

from arena.results.store import Store

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """A browser of one file: while it is open, no other test can run asyncio's loop in its thread,
    nor may the end of an event in this process sweep away all processes below it.
    """
    from browsers import launched  # slow: it loads playwright

    with launched() as browser:
        yield browser


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = new_store(tmp_path)
    yield store
    store.close()


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Class:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return Class(tmp_path, monkeypatch)
