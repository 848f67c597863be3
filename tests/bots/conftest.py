from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from c_programs import RawReferee, sanitized


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build probe.c, under the sanitizers."""
    return sanitized(
        tmp_path_factory.mktemp("probe") / "bot", [Path(__file__).with_name("probe.c")]
    )


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder for sockets: a short one, since their paths have 107 bytes at most."""
    with TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


@pytest.fixture
def raw(probe: Path, folder: Path) -> Iterator[RawReferee]:
    """Start a probe that has said hello."""
    with RawReferee(probe, folder) as referee:
        referee.shake_hands()
        yield referee
