"""A test of a folder in `tests/pure.txt` gets no program of the machine, nor do its fixtures."""

import shutil

import pytest


@pytest.fixture
def refused() -> str:
    with pytest.raises(AssertionError) as refusal:
        shutil.which("true")
    return str(refusal.value)


def test_no_program_is_found(refused: str) -> None:
    assert "depends on the machine" in refused
    with pytest.raises(AssertionError, match="depends on the machine"):
        shutil.which("true")
