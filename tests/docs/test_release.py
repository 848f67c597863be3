"""One command makes a release: it writes the version, and pushes a commit and its tag together."""

import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import release

CHANGES = "# Changelog\n\n## Unreleased\n\nNo version has been released yet. By area:\n\n- New.\n"


def git(folder: Path, *words: str) -> str:
    command = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words]
    return subprocess.run(
        command, cwd=folder, check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a clone of a project of which nothing was released."""
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ada")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ada@example.org")
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "origin.git")
    git(tmp_path, "clone", "--quiet", "origin.git", "clone")
    folder = tmp_path / "clone"
    (folder / "pyproject.toml").write_text('[project]\nversion = "0.1.0"\n')
    (folder / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 0.1.0\n")
    (folder / "CHANGELOG.md").write_text(CHANGES)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "all")
    git(folder, "push", "--quiet", "origin", "HEAD:main")
    return folder


def test_one_command_writes_commits_tags_and_pushes(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release.make("v1.0.0", clone)

    assert "v1.0.0 is pushed" in capsys.readouterr().out
    fresh = clone.parent / "fresh"
    git(clone.parent, "clone", "--quiet", "--branch", "v1.0.0", "origin.git", str(fresh))
    assert release.notes("v1.0.0", fresh) == "By area:\n\n- New.\n"
    assert (fresh / "CITATION.cff").read_text() == "cff-version: 1.2.0\nversion: 1.0.0\n"
    assert git(fresh, "rev-parse", "v1.0.0^{}") == git(fresh, "rev-parse", "origin/main")
    assert git(clone, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("tag", "spoil", "why"),
    [
        ("1.0.0", "", "a tag is like v1.0.0"),
        ("v0.0.9", "", "is older than"),
        ("v1.0.0", "touch new", "changes without a commit"),
        ("v1.0.0", "git commit -q --allow-empty -m more", "not the newest main"),
        ("v1.0.0", "git tag v1.0.0", "never changes"),
        (
            "v1.0.0",
            "sed -i s/Unr.*/0.1.0/ *.md; git commit -qam more; git push -q origin HEAD:main",
            "nothing is new",
        ),
    ],
)
def test_what_cannot_be_released_is_refused_in_words(
    clone: Path, tag: str, spoil: str, why: str
) -> None:
    subprocess.run(["bash", "-c", spoil], cwd=clone, check=True, capture_output=True)
    before = git(clone, "rev-parse", "HEAD")

    with pytest.raises(SystemExit, match=why):
        release.make(tag, clone)

    assert git(clone, "rev-parse", "HEAD") == before


def test_a_push_that_is_refused_leaves_all_as_before(clone: Path) -> None:
    hook = clone.parent / "origin.git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho main is protected >&2\nexit 1\n")
    hook.chmod(0o755)
    before = git(clone, "rev-parse", "HEAD")

    with pytest.raises(SystemExit, match="main is protected"):
        release.make("v1.0.0", clone)

    assert git(clone, "rev-parse", "HEAD") == before
    assert git(clone, "tag", "--list") == ""
    assert git(clone, "status", "--porcelain") == ""
    assert (clone / "CHANGELOG.md").read_text() == CHANGES


def test_a_release_needs_no_installed_packages() -> None:
    root = Path(release.__file__).parent.parent
    command = (root / "Makefile").read_text().split("\nrelease:\n\t")[1].splitlines()[0]
    python, *words = command.replace("$(VERSION)", "1.0").split()
    bare = [sys.executable, "-I", "-S", *words]
    ended = subprocess.run(bare, cwd=root, check=False, capture_output=True, text=True)

    assert python == "python3"
    assert (ended.returncode, ended.stderr) == (1, "a tag is like v1.0.0, not v1.0\n")
