"""An open door for two entrants."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from doors import TestDoor


@pytest.fixture
def door(tmp_path: Path) -> Iterator[TestDoor]:
    opened = TestDoor(tmp_path, "alice", "bob")
    yield opened
    opened.close()
