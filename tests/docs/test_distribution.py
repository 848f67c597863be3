"""What the wheel and the source distribution contain: the packages, the bots, and no more."""

import re
import subprocess
import tarfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[2]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def tracked(*folders: str) -> set[str]:
    """Return the files that belong to the project, of these folders or of all."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {path for path in listed.split("\0") if path and (ROOT / path).is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Build the wheel; give the names in it."""
    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    with ZipFile(path) as file:
        return {name for name in file.namelist() if not name.endswith("/")}


def test_the_wheel_has_the_packages_the_bots_and_the_configs(wheel: set[str]) -> None:
    packages = tracked("arena", "protocol", "referee")
    data = {f"arena/data/{path}" for path in tracked("bots", "configs")}
    about = f"bot_arena-{VERSION}.dist-info/"
    own = {about + name for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    own |= {about + "licenses/LICENSE", f"bot_arena-{VERSION}.data/data/share/man/man1/arena.1"}

    assert wheel - packages - data - own == set()
    assert (packages | data | own) - wheel == set()


def test_the_source_distribution_has_what_belongs_to_the_project(tmp_path: Path) -> None:
    (path,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(path) as file:
        names = {
            name.partition("/")[2] for name in file.getnames() if not file.getmember(name).isdir()
        }

    assert names - tracked() == {"PKG-INFO"}
    assert tracked() - names == set()


@pytest.mark.parametrize("version", sorted({VERSION, "1.0.0"}))
def test_the_version_stands_in_one_place(version: str) -> None:
    """Also the first to be released: a check of its tag that fails comes too late to repair."""
    number = re.compile(rf"(?<![\d.v]){re.escape(version)}(?![\d.])")  # a tag is an example
    told = {
        path
        for path in tracked("arena", "protocol", "referee", ".github", "docs")
        if path.endswith((".py", ".yml", ".yaml", ".mjs"))
        and number.search((ROOT / path).read_text("utf-8"))
    }

    assert told == set()


def test_no_page_names_a_file_of_one_version() -> None:
    pages = [path for path in tracked() if path.endswith(".md")]

    assert [path for path in pages if re.search(r"bot_arena-\d", (ROOT / path).read_text())] == []


def test_no_environment_that_a_page_makes_gets_into_a_distribution() -> None:
    """Its links lead outside, so that the source distribution could not be read."""
    text = "".join((ROOT / path).read_text() for path in tracked() if path.endswith(".md"))
    made = set(re.findall(r"python3 -m venv ([\w.-]+)", text))
    command = ["git", "check-ignore", "--", *(f"{name}/bin/python" for name in made)]
    ignored = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert "arena-env" in made
    assert {line.partition("/")[0] for line in ignored.stdout.splitlines()} == made
