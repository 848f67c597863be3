"""The image and its compose file say what the project and its commands have."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML
from typer.main import get_command

from arena.commands.loading import application
from referee.sandbox import cures

ROOT = Path(__file__).parents[2]
IMAGE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE: dict[str, Any] = YAML(typ="safe").load((ROOT / "compose.yaml").read_text("utf-8"))
PAGE = (ROOT / "docs/howto/containers.md").read_text("utf-8")
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]


def test_the_image_copies_what_exists_and_installs_extras_that_exist() -> None:
    sources = [
        source
        for line in re.findall(r"(?m)^COPY (?!--from)(.+)$", IMAGE)
        for source in line.split()[:-1]
    ]
    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []
    (extras,) = re.findall(r"/source\[([a-z,]+)\]", IMAGE)
    assert set(extras.split(",")) <= set(EXTRAS)


def test_no_file_that_the_image_copies_is_ignored() -> None:
    shown = (ROOT / ".dockerignore").read_text("utf-8").split()
    for line in re.findall(r"(?m)^COPY (?!--from)(.+)$", IMAGE):
        for source in line.split()[:-1]:
            assert f"!{source}" in shown


def test_the_last_stage_runs_as_a_user() -> None:
    assert re.findall(r"(?m)^USER (.+)$", IMAGE.rpartition("\nFROM ")[2]) == ["arena"]


def test_a_container_is_allowed_what_the_doctor_names() -> None:
    wanted = re.findall(r"--security-opt (\S+)", Path(cures.__file__).read_text("utf-8"))
    named = {each.strip('"') for each in wanted}
    assert len(named) == 3

    assert set(COMPOSE["services"]["league"]["security_opt"]) == named
    assert set(re.findall(r"--security-opt (\S+)", PAGE)) == named


def commands() -> list[list[str]]:
    """Return the words after `arena` that the compose file and its page have run."""
    run = [service["command"] for service in COMPOSE["services"].values() if "command" in service]
    for line in re.findall(r"(?m)^    (docker .+)$", PAGE.replace("\\\n", " ")):
        words = shlex.split(line)
        for mark in ("bot-arena", "league", "arena"):
            if mark in words and words[1] != "build":
                rest = words[words.index(mark) + 1 :]
                if rest and "--entrypoint" not in words and "logs" not in words:
                    run.append(rest[1:] if rest[0] == "arena" else rest)
                break
    return run


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_each_command_is_one_of_arena(words: list[str]) -> None:
    command: Any = get_command(application())
    rest = list(words)
    while hasattr(command, "commands"):
        assert rest[0] in command.commands
        command = command.commands[rest.pop(0)]

    command.make_context("arena", rest)


def test_compose_passes_no_key_of_its_own_to_the_league() -> None:
    keys = re.findall(r"(?m)^    (address|workers|database): ", PAGE)
    from arena.league.folder import SiteSection

    assert set(keys) <= set(SiteSection.model_fields)
    assert len(keys) == 3
