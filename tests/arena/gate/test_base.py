"""A git revision of a bot whose folder, its .git included, is a stranger's."""

import os
import subprocess
from pathlib import Path

import pytest

from arena.bots.manifest import Manifest, read_manifest
from arena.errors import ConfigError, UsageError
from arena.gate.base import checked_out


class Repository:
    """A bot in a repository of its own, with one commit."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ran = folder.parent / "ran"
        """File written by every program that a hostile repository tells git to run."""
        folder.mkdir()
        self.git("init", "--quiet", "--template=")
        self.write("bot.yaml", "name: mine\nrun: [./main.sh]\n")
        self.write("main.sh", "echo first\n")
        self.commit()

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def commit(self) -> None:
        self.git("add", "--all")
        self.git("-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "--message=x")

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    @property
    def program(self) -> str:
        return f"sh -c 'echo $0 >> {self.ran}; cat'"

    @property
    def bot(self) -> Manifest:
        return read_manifest(self.folder / "bot.yaml")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "bot")


@pytest.mark.parametrize("base", ["git:", "git:origin/"])
def test_a_base_without_a_revision_says_where_it_comes_from(
    repository: Repository, base: str
) -> None:
    with (
        pytest.raises(UsageError, match=r"github\.base_ref is empty outside pull requests"),
        checked_out(repository.bot, repository.folder, base),
    ):
        pass


def test_the_files_are_those_of_the_commit(repository: Repository) -> None:
    repository.write("main.sh", "echo second\n")

    with checked_out(repository.bot, repository.folder, "git:HEAD") as old:
        assert old.folder is not None
        assert (old.folder / "main.sh").read_text() == "echo first\n"
        assert sorted(path.name for path in old.folder.iterdir()) == ["bot.yaml", "main.sh"]
    assert not old.folder.exists()


def test_a_fault_in_the_bot_yaml_of_a_revision_is_shown_at_its_place_there(
    repository: Repository,
) -> None:
    good = (repository.folder / "bot.yaml").read_text()
    repository.write("bot.yaml", f"{good}nonsense: 1\nfiles: [../gone]\n")
    repository.commit()
    repository.write("bot.yaml", good)

    with (
        pytest.raises(ConfigError) as refused,
        checked_out(repository.bot, repository.folder, "git:HEAD"),
    ):
        pass
    said = str(refused.value)
    assert said.startswith("git:HEAD:bot.yaml:3:1: unknown key")
    assert "/arena-" not in said, "the folder of the revision exists no longer"


def test_the_path_of_a_repository_may_be_in_another_encoding(tmp_path: Path) -> None:
    place = tmp_path / os.fsdecode("Jörg".encode("latin-1"))
    place.mkdir()
    repository = Repository(place / "bot")

    with checked_out(repository.bot, repository.folder, "git:HEAD") as old:
        assert (old.path.parent / "main.sh").read_text() == "echo first\n"


def test_no_program_of_the_repository_is_run(repository: Repository) -> None:
    repository.write(".gitattributes", "* filter=evil\n")
    repository.commit()
    hook = repository.folder / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{repository.program}\n")
    hook.chmod(0o755)
    for key in ("filter.evil.smudge", "filter.evil.process", "core.fsmonitor", "core.sshCommand"):
        repository.git("config", key, repository.program)

    with checked_out(repository.bot, repository.folder, "git:HEAD") as old:
        assert old.folder is not None
        assert (old.folder / "main.sh").read_text() == "echo first\n"
    assert not repository.ran.exists()


@pytest.mark.parametrize("before", ["", "."])
def test_no_git_of_the_current_folder_is_run(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    repository.write("git", f"#!/bin/sh\n{repository.program}\n")
    (repository.folder / "git").chmod(0o755)
    monkeypatch.chdir(repository.folder)
    monkeypatch.setenv("PATH", f"{before}{os.pathsep}{os.environ['PATH']}")

    with checked_out(repository.bot, repository.folder, "git:HEAD") as old:
        assert old.folder is not None
        assert (old.folder / "main.sh").read_text() == "echo first\n"
    assert not repository.ran.exists()


def test_no_missing_file_is_fetched(repository: Repository) -> None:
    lost = repository.git("rev-parse", "HEAD:main.sh")
    (repository.folder / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": str(repository.folder),
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": repository.program,
        "protocol.file.allow": "always",
    }.items():
        repository.git("config", key, value)

    with (
        pytest.raises(UsageError, match="cannot be written out"),
        checked_out(repository.bot, repository.folder, "git:HEAD"),
    ):
        pass
    assert not repository.ran.exists()


def test_a_work_tree_elsewhere_is_refused(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    repository.git("config", "core.worktree", str(tmp_path / "elsewhere"))

    with (
        pytest.raises(UsageError, match="is not in"),
        checked_out(repository.bot, repository.folder, "git:HEAD"),
    ):
        pass


def test_a_repository_in_the_folder_of_a_bot_does_not_choose_the_base(
    repository: Repository, tmp_path: Path
) -> None:
    bot = repository.folder / "bots" / "mine"
    bot.mkdir(parents=True)
    for name in ("bot.yaml", "main.sh"):
        (repository.folder / name).rename(bot / name)
    repository.commit()
    inner = Repository(tmp_path / "inner")
    inner.write("main.sh", "echo weak\n")
    inner.commit()
    for name in ("HEAD", "objects", "refs"):
        (inner.folder / ".git" / name).rename(bot / name)
    (bot / "config").write_text("[core]\nrepositoryformatversion = 0\nworktree = .\n")

    with checked_out(read_manifest(bot / "bot.yaml"), bot, "git:HEAD") as old:
        assert old.folder is not None
        assert (old.folder / "main.sh").read_text() == "echo first\n"


def test_a_bot_that_became_a_link_is_refused(repository: Repository) -> None:
    weak, bots = repository.folder / "weak", repository.folder / "bots"
    weak.mkdir()
    (weak / "bot.yaml").write_text("name: weak\nrun: [./weak.sh]\n")
    bots.symlink_to(repository.folder)
    link = repository.folder / "mine"
    link.symlink_to(weak)
    repository.commit()

    for named in (link, link / "bot.yaml", bots / "weak"):
        with (
            pytest.raises(UsageError, match="is a link; name the folder of NEW itself"),
            checked_out(read_manifest(weak / "bot.yaml"), named, "git:HEAD"),
        ):
            pass


def test_a_repository_below_a_link_is_found(repository: Repository, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(repository.folder)

    with checked_out(repository.bot, link, "git:HEAD") as old:
        assert old.name == "mine"
