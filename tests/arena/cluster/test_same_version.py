"""The version that a director and its workers compare."""

from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.wheel import WheelBuilder

from arena.cluster.orders import source_hash

ROOT = Path(__file__).parents[3]


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """Return the packages as a wheel of this checkout installs them."""
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
    return tmp_path / "installed"


def test_a_checkout_and_an_installed_wheel_of_it_are_the_same_version(installed: Path) -> None:
    assert list((installed / "arena" / "data").rglob("*.py")), "shipped bots are in the wheel only"

    assert source_hash(installed) == source_hash(ROOT)


@pytest.mark.parametrize("name", ["arena/data.py", "arena/new/data/x.py", "referee/data/x.py"])
def test_a_module_more_is_another_version(tmp_path: Path, name: str) -> None:
    for package in ("arena", "protocol", "referee"):
        (tmp_path / package).mkdir()
    before = source_hash.__wrapped__(tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)

    (tmp_path / name).write_text("X = 1\n")

    assert source_hash.__wrapped__(tmp_path) != before
