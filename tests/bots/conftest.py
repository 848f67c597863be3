from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from c_programs import RawReferee, sanitized
from languages import Language, Starter


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build probe.c, under the sanitizers."""
    return sanitized(
        tmp_path_factory.mktemp("probe") / "bot", [Path(__file__).with_name("probe.c")]
    )


@pytest.fixture(scope="session")
def starters(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Language], Starter]:
    """Give what builds the starter of a language, once for all tests."""

    @cache
    def built(language: Language) -> Starter:
        language.need_toolchain()
        return Starter.build(language, tmp_path_factory.mktemp(f"starter-{language.name}"))

    return built


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder for sockets: a short one, since their paths have 107 bytes at most."""
    with TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


@pytest.fixture
def raw(probe: Path, folder: Path) -> Iterator[RawReferee]:
    """Start a probe and receive its hello."""
    with RawReferee(probe, folder) as referee:
        referee.shake_hands()
        yield referee
