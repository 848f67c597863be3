"""How git is run for a base, how the bot of a revision is found, and what damage is survived."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_base import Repository, refusal

from arena.gate import base as subject
from arena.gate.base import checked_out

FIRST = "echo first\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "bot")


def script_of(repository: Repository, base: str = "git:HEAD", named: Path | None = None) -> str:
    with checked_out(repository.bot, named or repository.folder, base) as old:
        return (old.path.parent / "main.sh").read_text()


def test_a_bot_that_is_named_by_no_path_is_found_by_its_folder(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shipped bot: where the command runs says nothing about it."""
    monkeypatch.chdir(tmp_path)

    assert script_of(repository, named=Path("mine")) == FIRST


def test_a_branch_whose_name_begins_like_an_option_is_a_revision(repository: Repository) -> None:
    repository.git("update-ref", "refs/heads/--since=monday", "HEAD")
    repository.write("main.sh", "echo second\n")
    repository.commit()

    assert script_of(repository, "git:--since=monday") == FIRST


@pytest.mark.parametrize("name", ["bot ", "botX"])
def test_the_path_of_a_repository_may_end_in_a_blank_or_a_letter(tmp_path: Path, name: str) -> None:
    assert script_of(Repository(tmp_path / name)) == FIRST


def test_no_branches_are_suggested_where_one_is_damaged(repository: Repository) -> None:
    heads = repository.folder / ".git" / "refs" / "heads"
    (heads / "damaged").write_text("1" * 40 + "\n")

    assert refusal(repository, "git:nowhere") == (
        f'git:nowhere: "nowhere" is not a revision in {repository.folder}; run `git fetch` (in CI,'
        " check out with fetch-depth: 0)"
    )


@pytest.fixture
def typed() -> Iterator[None]:
    """Have a line of text at the standard input of this process."""
    reader, writer = os.pipe()
    os.write(writer, b"typed by somebody\n")
    before = os.dup(0)
    os.dup2(reader, 0)
    for end in (reader, writer):
        os.close(end)
    yield
    os.dup2(before, 0)
    os.close(before)


@pytest.mark.usefixtures("typed")
@pytest.mark.parametrize(
    ("script", "error"),
    [
        (r"printf 'J\366rg:\n\n failed\n' >&2", "J\ufffdrg: failed"),
        ("cat >&2", "git ended with 3"),
        ('echo "$GIT_ALLOW_PROTOCOL $GIT_NO_LAZY_FETCH" >&2', "none 1"),
    ],
)
def test_the_git_that_others_cannot_replace_is_run_without_input(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, script: str, error: str
) -> None:
    program = repository.folder.parent / "safe-git"
    program.write_text(f"#!/bin/sh\n{script}\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(subject, "safe_program", {"git": str(program)}.get)

    assert refusal(repository) == (
        f"git:HEAD: the folder of NEW, {repository.folder}, is not in a readable git repository:"
        f" {error}"
    )
