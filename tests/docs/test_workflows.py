"""Workflows and releases: what they name exists, and a tag that fits nothing stops."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import release

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))


def loaded(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text("utf-8"))


def steps(path: Path) -> Iterator[dict[str, Any]]:
    for job in loaded(path)["jobs"].values():
        yield from job.get("steps", [])


def commands(path: Path) -> str:
    return "\n".join(step.get("run", "") for step in steps(path))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_each_command_is_a_shell_script(path: Path) -> None:
    script = re.sub(r"\$\{\{.*?\}\}", "value", commands(path))

    done = subprocess.run([shutil.which("bash") or "bash", "-n", "-c", script], check=False)

    assert done.returncode == 0


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_may_only_read_unless_a_job_says_more(path: Path) -> None:
    assert loaded(path)["permissions"] == {"contents": "read"}


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_no_name_that_a_stranger_chooses_becomes_part_of_a_script(path: Path) -> None:
    found = re.findall(r"\$\{\{\s*(github\.(?:event|head_ref)[^}]*)\}\}", commands(path))

    assert found == []


def test_the_pythons_are_those_of_the_package() -> None:
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    supported = [each.split()[-1] for each in classifiers if re.search(r":: 3\.\d+$", each)]

    jobs = loaded(ROOT / ".github/workflows/ci.yml")["jobs"]

    assert jobs["pythons"]["strategy"]["matrix"]["python"] == supported


def test_the_nightly_targets_are_those_of_the_makefile() -> None:
    targets = loaded(ROOT / ".github/workflows/nightly.yml")["jobs"]["long"]["strategy"]["matrix"]
    makefile = (ROOT / "Makefile").read_text()

    assert [name for name in targets["target"] if f"\n{name}:" not in makefile] == []


def test_the_action_is_called_with_inputs_that_it_has() -> None:
    inputs = YAML(typ="safe").load((ROOT / "action.yml").read_text())["inputs"]
    called = [step for step in steps(ROOT / ".github/workflows/ci.yml") if step.get("uses") == "./"]

    assert [set(step["with"]) - set(inputs) for step in called] == [set()]


def released(folder: Path, *, version: str, changelog: str) -> Path:
    (folder / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    (folder / "CHANGELOG.md").write_text(changelog)
    return folder


def test_the_notes_of_a_release_are_its_section_of_the_changelog(tmp_path: Path) -> None:
    text = "# Changelog\n\n## 1.1.0 (2027-01-05)\n\n### Matches\n\n- New.\n\n## 1.0.0\n\n- Old.\n"

    notes = release.notes("v1.1.0", released(tmp_path, version="1.1.0", changelog=text))

    assert notes == "### Matches\n\n- New.\n"


@pytest.mark.parametrize(
    ("tag", "why"),
    [("v1.0.1", "the tag is v1.0.1, but version 1.0.0 of pyproject.toml has v1.0.0"),
     ("v1.0.0", "CHANGELOG.md says nothing of version 1.0.0: rename the section Unreleased")],
)  # fmt: skip
def test_a_tag_that_fits_nothing_is_refused(tmp_path: Path, tag: str, why: str) -> None:
    root = released(tmp_path, version="1.0.0", changelog="# Changelog\n\n## Unreleased\n\n- New.\n")

    with pytest.raises(SystemExit, match=re.escape(why)):
        release.notes(tag, root)


def test_a_release_ships_no_file_that_its_own_steps_have_written() -> None:
    written = re.findall(
        r"> (\S+)$", commands(ROOT / ".github/workflows/release.yml"), re.MULTILINE
    )
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()

    assert written == ["notes.md"]
    assert [f"/{name}" for name in written if f"/{name}" not in ignored] == []
