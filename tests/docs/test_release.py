"""One command makes a release: it writes the version, and pushes a commit and its tag together."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
import release

ROOT = Path(release.__file__).parent.parent
CHANGES = "# Changelog\n\n## Unreleased\n\nNo version has been released yet. By area:\n\n- New.\n"
PUSH = "git commit -qam more; git push -q origin HEAD:main"


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
    (folder / "docs/howto").mkdir(parents=True)
    for name in ("README.md", "docs/howto/install.md"):
        (folder / name).write_text("There is no package on PyPI yet.\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "all")
    git(folder, "push", "--quiet", "origin", "HEAD:main")
    return folder


def test_one_command_writes_commits_tags_and_pushes(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release.make("1.0.0", clone)

    assert "v1.0.0 is pushed" in capsys.readouterr().out
    fresh = clone.parent / "fresh"
    git(clone.parent, "clone", "--quiet", "--branch", "v1.0.0", "origin.git", str(fresh))
    assert release.notes("v1.0.0", fresh) == "By area:\n\n- New.\n"
    assert (fresh / "CITATION.cff").read_text() == "cff-version: 1.2.0\nversion: 1.0.0\n"
    assert git(fresh, "rev-parse", "v1.0.0^{}") == git(fresh, "rev-parse", "origin/main")
    assert git(clone, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("version", "spoil", "why"),
    [
        ("v1.0.0", "", "VERSION=X.Y.Z with three numbers, not 'v1.0.0'"),
        ("", "", "VERSION=X.Y.Z with three numbers, not ''"),
        ("0.0.9", "", "is older than"),
        ("1.0.0", "touch new", r"(?s)changes without a commit.*\?\? new"),
        ("1.0.0", "git commit -q --allow-empty -m more", "not the newest main"),
        ("1.0.0", "git tag v1.0.0", "never changes"),
        ("1.0.0", f"sed -i s/Unr.*/0.1.0/ CHANGELOG.md; {PUSH}", "needs a section '## Unr"),
        ("1.0.0", f"sed -i '/Unr/a\\## 0.1.0' CHANGELOG.md; {PUSH}", "with a line for each"),
    ],
)
def test_what_cannot_be_released_is_refused_in_words(
    clone: Path, version: str, spoil: str, why: str
) -> None:
    subprocess.run(["bash", "-c", spoil], cwd=clone, check=True, capture_output=True)
    before = git(clone, "rev-parse", "HEAD")

    with pytest.raises(SystemExit, match=why):
        release.make(version, clone)

    assert git(clone, "rev-parse", "HEAD") == before


def test_a_push_that_is_refused_leaves_all_as_before(clone: Path) -> None:
    hook = clone.parent / "origin.git" / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho main is protected >&2\nexit 1\n")
    hook.chmod(0o755)
    before = git(clone, "rev-parse", "HEAD")

    with pytest.raises(SystemExit, match="main is protected"):
        release.make("1.0.0", clone)

    assert git(clone, "rev-parse", "HEAD") == before
    assert git(clone, "tag", "--list") == ""
    assert git(clone, "status", "--porcelain") == ""
    assert (clone / "CHANGELOG.md").read_text() == CHANGES


def test_a_release_leaves_no_sentence_that_it_makes_false(tmp_path: Path) -> None:
    pages = [ROOT / name for name in ("pyproject.toml", "CITATION.cff")]
    pages += [*ROOT.glob("*.md"), *ROOT.glob("docs/*/*.md")]
    for page in pages:
        copy = tmp_path / page.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(page.read_bytes())

    release.write("1.0.0", tmp_path)

    for page in pages:
        after = (tmp_path / page.relative_to(ROOT)).read_text("utf-8")
        assert not re.search("no package on|version has been released", after), page
    assert "pip install bot-arena" in (tmp_path / "README.md").read_text("utf-8")


def test_a_release_needs_no_installed_packages() -> None:
    command = (ROOT / "Makefile").read_text().split("\nrelease:\n\t")[1].splitlines()[0]
    python, *words = shlex.split(command.replace("$(VERSION)", "1.0"))
    bare = [sys.executable, "-I", "-S", *words]
    ended = subprocess.run(bare, cwd=ROOT, check=False, capture_output=True, text=True)

    assert python == "python3"
    assert ended.returncode == 1
    assert ended.stderr == "write make release VERSION=X.Y.Z with three numbers, not '1.0'\n"


def test_the_readme_of_a_release_links_to_no_file_beside_it() -> None:
    """PyPI shows the README alone: a link to another file of the repository leads nowhere."""
    address = "https://example.org/ada/arena"
    text = (ROOT / "README.md").read_text("utf-8")

    made = release.linked(text, address, "v1.0.0")

    targets = re.findall(r"\]\(([^)]*)\)|(?:src|href|srcset)=[\"']([^\"']*)", made)
    assert len(targets) > 10
    ours = [one or other for one, other in targets]
    assert [each for each in ours if not each.startswith(("https://", "#"))] == []
    for target in ours:
        found = re.fullmatch(rf"{address}/(blob|raw)/v1\.0\.0/([^#]*)(#.*)?", target)
        if target.startswith(address):
            assert found is not None
            assert (ROOT / found[2]).exists()
            assert (found[1] == "raw") == found[2].endswith(".png"), "an image, not a page about it"
    assert release.linked(made, address, "v1.0.0") == made


def test_no_page_in_a_wheel_links_to_a_file_that_the_wheel_lacks(tmp_path: Path) -> None:
    address, wheel = "https://example.org/ada/arena", tmp_path / "wheel"
    tops = ("bots", "configs", "arena", "protocol", "referee")
    listed = subprocess.run(["git", "ls-files", *tops], cwd=ROOT, capture_output=True, check=True)
    for name in [*listed.stdout.decode().splitlines(), "README.md"]:
        copy = tmp_path / "tag" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())

    release.write_links(address, "v1.0.0", tmp_path / "tag")

    for top in tops[::-1]:
        place = wheel / "arena" / "data" if top in release.SHIPPED else wheel
        place.mkdir(parents=True, exist_ok=True)
        shutil.move(tmp_path / "tag" / top, place / top)
    links = {
        (page, target)
        for page in wheel.rglob("*.md")
        for target in re.findall(r"\]\(([^)#]+)", page.read_text("utf-8"))
    }
    tagged = {target for _, target in links if target.startswith(f"{address}/")}
    assert {
        (page, target)
        for page, target in links
        if not target.startswith("https://") and not (page.parent / target).exists()
    } == set()
    assert f"{address}/blob/v1.0.0/docs/tutorial/first-bot.md" in tagged
    assert [target for target in tagged if not (ROOT / target.split("v1.0.0/")[1]).exists()] == []


def test_the_workflow_writes_the_links_before_it_builds() -> None:
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8")

    assert 0 < workflow.index("docs/release.py --readme") < workflow.index("python -m build")
