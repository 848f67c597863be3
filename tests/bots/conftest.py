import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import uci_programs
from c_programs import RawReferee, compiled_bridge, sanitized
from jsonl_programs import bridged
from languages import LANGUAGES, Language, Starter
from mactech_entries import HOSTS
from preloaded import build_with_server
from probing import PROBES, Kit, Probe
from sharing import locked

LANGUAGES_BY_NAME = {language.name: language for language in LANGUAGES}


@pytest.fixture(autouse=True, scope="module")
def preloaded_builders() -> Iterator[None]:
    """Start no Python for the builder of a bot."""
    with pytest.MonkeyPatch.context() as patch:
        build_with_server(patch)
        yield


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this run share."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "builds"
    shared.mkdir(exist_ok=True)
    return shared


@pytest.fixture(autouse=True, scope="session")
def shared_hosts(builds: Path) -> None:
    """Compile the hosts of old entries once for all workers, when the first of them is built."""
    os.environ[HOSTS] = str(builds / "mactech")


@pytest.fixture(scope="session")
def starters(builds: Path) -> Callable[[Language], Starter]:
    """Return a function that builds the starter of a language once for all workers."""

    @cache
    def built(language: Language) -> Starter:
        language.need_toolchain()
        with locked(builds / f"starter-{language.name}.lock"):
            return Starter.build(language, builds / f"starter-{language.name}")

    return built


@pytest.fixture(scope="session")
def probes(builds: Path, starters: Callable[[Language], Starter]) -> Callable[[Kit], Probe]:
    """Return a function that builds the probe of a kit once for all workers."""

    @cache
    def built(kit: Kit) -> Probe:
        folder = builds / f"probe-{kit.name}"
        if kit.name == "c":
            return Probe(kit, folder, "main.c", [str(c_probe(builds))])
        if kit.name == "jsonl":
            program = str(PROBES / "jsonl" / "main.py")
            return Probe(kit, PROBES / "jsonl", "main.py", bridged(sys.executable, program))
        starter = starters(LANGUAGES_BY_NAME[kit.name])
        main = starter.language.main
        with locked(builds / f"{folder.name}.lock"):
            if not folder.exists():
                aside = folder.with_suffix(".new")
                shutil.copytree(starter.bot.folder, aside, symlinks=True)
                shutil.copy(PROBES / kit.name / main, aside)
                if kit.compile:
                    caches = go_caches(starter) if kit.name == "go" else {}
                    subprocess.run(kit.compile, cwd=aside, env=os.environ | caches, check=True)
                aside.rename(folder)
        return Probe(kit, folder, main, starter.bot.argv)

    return built


def go_caches(starter: Starter) -> dict[str, str]:
    """Return the variables by which Go finds what the starter's build has compiled."""
    (home,) = (starter.cache / "arena" / "builds").glob("*/home")
    return {"GOCACHE": str(home / "go-build"), "GOPATH": str(home / "go")}


def c_probe(builds: Path) -> Path:
    """Build the probe in C under the sanitizers; return its program."""
    folder = builds / "probe-c"
    with locked(builds / "probe-c.lock"):
        folder.mkdir(exist_ok=True)
        program = folder / "bot"
        return program if program.exists() else sanitized(program, [PROBES / "c" / "main.c"])


@pytest.fixture(scope="session")
def probe(builds: Path) -> Path:
    """The probe in C, under the sanitizers."""
    return c_probe(builds)


@pytest.fixture
def folder() -> Iterator[Path]:
    """Make a folder for sockets: a short one, since their paths have 107 bytes at most."""
    with TemporaryDirectory(dir="/tmp") as name:
        yield Path(name)


@pytest.fixture(params=["python", "compiled"])
def both_bridges(
    request: pytest.FixtureRequest, builds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run a test with the bridge of UCI in Python, and with the compiled one."""
    if request.param == "compiled":
        monkeypatch.setattr(uci_programs, "PROGRAM", str(compiled_bridge(builds, "uci")))


@pytest.fixture
def raw(probe: Path, folder: Path) -> Iterator[RawReferee]:
    """Start a probe in C and receive its hello."""
    with RawReferee(probe, folder) as referee:
        referee.shake_hands()
        yield referee
