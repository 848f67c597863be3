"""A git revision of a bot whose folder, its .git included, is a stranger's."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from arena.bots.manifest import Manifest, read_manifest
from arena.errors import ConfigError, UsageError
from arena.gate.base import checked_out, is_revision

PERSON = ("-c", "user.name=x", "-c", "user.email=x")


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
        self.git(*PERSON, "commit", "--quiet", "--message=x")

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


def refusal(repository: Repository, base: str = "git:HEAD", named: Path | None = None) -> str:
    with (
        pytest.raises(UsageError) as refused,
        checked_out(repository.bot, named or repository.folder, base),
    ):
        pass
    return str(refused.value)


def test_a_base_with_a_prefix_is_a_revision() -> None:
    assert is_revision("git:main")
    assert not is_revision("./git:main")


@pytest.mark.parametrize("base", ["git:nowhere", "git:--help", "git:HEAD:main.sh"])
def test_an_unknown_revision_is_refused_with_the_newest_branches(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, base: str
) -> None:
    name, cure = base.removeprefix("git:"), "run `git fetch` (in CI, check out with fetch-depth: 0)"
    repository.git("checkout", "--quiet", "--detach")
    for ref in repository.git("for-each-ref", "--format=%(refname)").split():
        repository.git("update-ref", "-d", ref)
    unknown = f'{base}: "{name}" is not a revision in {repository.folder}'
    assert refusal(repository, base) == f"{unknown}; {cure}"

    for number, ref in enumerate(("heads/a", "remotes/origin/b", "heads/c", "tags/t")):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2020-01-0{1 + number} 00:00:00 +0000")
        repository.write("main.sh", f"echo {number}\n")
        repository.commit()
        repository.git("update-ref", f"refs/{ref}", "HEAD")
    assert refusal(repository, base) == f'{unknown}, which has "c", "origin/b", "a"; {cure}'

    for number in range(5):
        repository.git("branch", f"more{number}")
    assert refusal(repository, base).count('"more') == 5
    assert '"c"' not in refusal(repository, base), "five at most"


def test_a_revision_before_the_bot_is_refused(repository: Repository, tmp_path: Path) -> None:
    outer = Repository(tmp_path / "outer")
    commit = outer.git("rev-parse", "HEAD")
    inner = outer.folder / "bots" / "mine"
    inner.mkdir(parents=True)
    (inner / "bot.yaml").write_text("run: [./main.sh]\n")
    (inner / "main.sh").write_text("echo\n")
    bot = read_manifest(inner / "bot.yaml")

    with pytest.raises(UsageError) as refused, checked_out(bot, inner, "git:HEAD"):
        pass

    assert str(refused.value) == (
        f"git:HEAD: bots/mine/bot.yaml does not exist at {commit[:12]}; name a revision with this"
        " folder, or an older bot by its path"
    )
    for place in ("bots/mine/bot.yaml", "bots/mine"):  # as links that lead out of the revision
        shutil.rmtree(outer.folder / "bots")
        (outer.folder / place).parent.mkdir(parents=True)
        aim = repository.folder / ("bot.yaml" if place.endswith("yaml") else "")
        (outer.folder / place).symlink_to(aim)
        outer.commit()
        (outer.folder / place).unlink()
        inner.mkdir(parents=True, exist_ok=True)
        (inner / "bot.yaml").write_text("run: [./main.sh]\n")
        with (
            pytest.raises(UsageError, match=r"bots/mine/bot\.yaml does not exist at"),
            checked_out(bot, inner, "git:HEAD"),
        ):
            pass


def test_a_folder_outside_of_a_repository_is_refused(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "bot")
    shutil.rmtree(repository.folder / ".git")

    said = refusal(repository)

    assert said.startswith(
        f"git:HEAD: the folder of NEW, {repository.folder}, is not in a readable git repository: "
    )
    assert "fatal: not a git repository" in said


def test_a_machine_without_git_is_told_what_to_install(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arena.gate.base.safe_program", lambda _: None)

    assert refusal(repository) == (
        "git:HEAD needs git, which is not installed, or only where others can replace it: apt-get"
        " install git"
    )


def test_a_git_hook_around_the_command_changes_nothing(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))

    with checked_out(repository.bot, repository.folder, "git:HEAD") as old:
        assert (old.path.parent / "main.sh").read_text() == "echo first\n"
    assert not (tmp_path / "elsewhere").exists()


def test_files_shared_with_new_come_from_the_same_revision(
    repository: Repository, tmp_path: Path
) -> None:
    outside = tmp_path / "shared"
    outside.mkdir()
    (outside / "far.txt").write_text("far")
    for place, text in ((repository.folder / "mine", "old"), (repository.folder / "lib", "old")):
        place.mkdir()
        (place / "near.txt").write_text(text)
    repository.write("mine/bot.yaml", "run: [./near.txt]\nfiles: [../lib/near.txt]\n")
    repository.commit()
    (repository.folder / "lib" / "near.txt").write_text("new")
    mine = repository.folder / "mine" / "bot.yaml"
    new = read_manifest(mine, (repository.folder / "lib", outside))

    with checked_out(new, mine.parent, "git:HEAD") as old:
        assert [path.read_text() for path in old.files] == ["old"]
        assert old.shared[-1] == outside
        assert old.shared[-2].is_relative_to(old.path.parents[1])


def send_to_self(number: int) -> None:
    os.kill(os.getpid(), number)
    signal.sigtimedwait((), 5)  # until the handler has run


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_build_in_order(repository: Repository, number: int) -> None:
    before = signal.getsignal(number)
    with (
        pytest.raises(KeyboardInterrupt),
        checked_out(repository.bot, repository.folder, "git:HEAD") as old,
    ):
        send_to_self(number)
    assert not old.path.exists()
    assert signal.getsignal(number) == before


def test_an_ignored_signal_stays_ignored(repository: Repository) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with checked_out(repository.bot, repository.folder, "git:HEAD"):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


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

    said = refusal(repository)
    commit = repository.git("rev-parse", "HEAD")
    assert said.startswith(f"git:HEAD: {commit[:12]} cannot be written out: ")
    assert lost in said
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
