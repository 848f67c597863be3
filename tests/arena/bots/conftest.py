"""Bots written for a test, and a cache for their builds."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from builds import DENIED, Build, MakeBot, bot
from preloaded import build_with_server

from arena.bots import building
from arena.bots.building import BuildTerms
from arena.bots.manifest import Manifest, read_manifest
from arena.bots.prepare import PreparedBot, prepare
from referee.sandbox import Tier, refusal


@pytest.fixture(autouse=True, scope="module")
def preloaded_builders() -> Iterator[None]:
    """Start no Python for the builder of a bot."""
    with pytest.MonkeyPatch.context() as patch:
        build_with_server(patch)
        yield


@pytest.fixture
def make_bot(tmp_path: Path) -> MakeBot:
    def make(name: str = "mine", sources: dict[str, str] | None = None, **keys: object) -> Manifest:
        folder = tmp_path / "bots" / name
        for path, text in (sources or {"main.txt": "hello"}).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        values = {"run": ["{python}", "main.txt"], **keys}
        lines = [f"{key}: {value!r}\n" for key, value in values.items()]
        (folder / "bot.yaml").write_text("".join(lines))
        return read_manifest(folder / "bot.yaml")

    return make


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture(params=["namespaces", "landlock"])
def tier(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Tier:
    """Have builds run in this tier, if the machine allows it."""
    asked: Tier = request.param
    if (reason := refusal(asked)) is not None:
        pytest.skip(f"{asked} is refused here: {reason}")
    monkeypatch.setattr(building, "best_build_tier", lambda: (asked, ""))
    return asked


@pytest.fixture
def build(tmp_path: Path, cache: Path) -> Build:
    """Return a function that builds a bot by a shell script."""

    def built(
        script: str,
        name: str = "mine",
        terms: BuildTerms = DENIED,
        language: str | None = None,
        **sources: str,
    ) -> PreparedBot:
        made = bot(tmp_path / "bots" / name, script, language, **sources)
        return prepare(made, cache, terms)

    return built


@pytest.fixture
def secret() -> Iterator[Path]:
    """Yield a world-writable file outside the folders of a build."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o777)
    path = folder / "plan.txt"
    path.write_text("open with e4")
    path.chmod(0o666)
    yield path
    shutil.rmtree(folder)
