"""An empty database for the tests of what is kept."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from events import new_store

from arena.results.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    store = new_store(tmp_path)
    yield store
    store.close()
