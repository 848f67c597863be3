"""A second connection to the database of a test."""

import sqlite3
from collections.abc import Iterator

import pytest

from arena.results.store import Store


@pytest.fixture
def other(store: Store) -> Iterator[sqlite3.Connection]:
    """Another program with the same file open."""
    connection = sqlite3.connect(store.path, isolation_level=None)
    yield connection
    connection.close()
