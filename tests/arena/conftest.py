"""An empty database for the tests of what is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from course import Class
from events import new_store

from arena.results.store import Store


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
