"""A folder with bots for the tests of configs."""

from pathlib import Path

import pytest
from small_configs import write_bots


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_bots(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
