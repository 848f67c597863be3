"""The memory around a process."""

from pathlib import Path

import pytest

from referee.sandbox import memory_here
from referee.sandbox.memory_here import memory_room_here

FILES = ("memory.max", "memory.limit_in_bytes")
"""The limit of a group of version 2, and of version 1."""


@pytest.fixture
def homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Put this process into a group of each version without a limit, that of version 2 first."""
    made = [tmp_path / "version2", tmp_path / "version1"]
    for home in made:
        home.mkdir()
    version_1 = {"memory": made[1]}
    monkeypatch.setattr(memory_here, "own_group", lambda: made[0])
    monkeypatch.setattr(memory_here, "version_1_home", version_1.__getitem__)
    return made


def test_the_memory_here_is_at_most_that_of_the_machine() -> None:
    found = memory_room_here()

    assert found.total_bytes > 0
    assert found.owner


@pytest.mark.parametrize("version", [0, 1])
def test_the_smaller_limit_of_both_versions_of_groups_counts(
    homes: list[Path], version: int
) -> None:
    for home, file in zip(homes, FILES, strict=True):
        (home / file).write_text("2000")
    (homes[version] / FILES[version]).write_text("1000")

    found = memory_room_here()

    assert (found.owner, found.total_bytes) == (f"the control group {homes[version]}", 1000)


def test_without_groups_the_memory_is_that_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory_here, "own_group", lambda: None)
    monkeypatch.setattr(memory_here, "version_1_home", lambda _: None)

    assert memory_room_here().owner == "this machine"
