"""Make a release, or check the tag of one and print its notes.

    python docs/release.py v1.0.0            # in the workflow: check and print
    python docs/release.py --readme ADDRESS v1.0.0    # in the workflow: before the build
    python docs/release.py --make VERSION    # at home: edit, commit, tag and push

The first fails with one sentence if the tag is not the version of `pyproject.toml` or if
`CHANGELOG.md` has no section of that version. The second has links lead to the files of the tag, in
the repository at ADDRESS: PyPI shows README.md without them, and a wheel has the pages in `bots/`
without those they name elsewhere. The last writes
version and section, in a clean clone of the newest main, and pushes commit and tag together, or
nothing. The workflow does the rest.
"""

import datetime as dt
import posixpath
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAIN = "main"
UNRELEASED = "## Unreleased"
FIRST = (
    ("CHANGELOG.md", "No version has been released yet. ", ""),
    (
        "README.md",
        "; there is no package on PyPI yet.",
        ". `pip install bot-arena`, in an environment, installs the newest version.",
    ),
    (
        "docs/howto/install.md",
        "There is no package on PyPI yet.",
        "With `bot-arena` in place of the file, each takes the newest version on PyPI.",
    ),
)
"""Words that are false from the first release on: file, words, and what replaces them."""


_LINK = re.compile(r"(?<=\]\()(?!https?:|#)[^)\s]+")
"""The target of a link or an image of Markdown that is a file of the repository."""
_IMAGE = re.compile(r"\.(png|svg|jpg|gif)$")


SHIPPED = ("bots", "configs")
"""Folders that stand beside each other in a wheel."""


def linked(text: str, address: str, tag: str, page: str = "README.md") -> str:
    """Return a page with links to the files of a tag in the repository at this address.

    Links from a shipped page to a shipped file stay.
    """
    folder = posixpath.dirname(page)

    def full(link: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, link[0]))
        if folder and target.split("/")[0] in SHIPPED:
            return link[0]
        view = "raw" if _IMAGE.search(target) else "blob"
        return f"{address}/{view}/{tag}/{target}"

    return _LINK.sub(full, text)


def write_links(address: str, tag: str, root: Path = ROOT) -> None:
    """Write the links of README.md and of the pages in `bots/`, as `linked` returns them."""
    for page in (root / "README.md", *sorted((root / "bots").rglob("*.md"))):
        text = page.read_text("utf-8")
        name = page.relative_to(root).as_posix()
        page.write_text(linked(text, address, tag, name), "utf-8")


def notes(tag: str, root: Path = ROOT) -> str:
    """Return the section of CHANGELOG.md of the version of a tag; raises SystemExit."""
    version = _version(root)
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but version {version} of pyproject.toml has v{version}")
    if text := _section(version, root):
        return text + "\n"
    sys.exit(f"CHANGELOG.md says nothing of version {version}: rename the section Unreleased")


def make(version: str, root: Path = ROOT) -> None:
    """Write the version, commit, tag and push; raises SystemExit, and then all is as before."""
    before = _require_ready(version, root)
    tag = f"v{version}"
    try:
        write(version, root)
        notes(tag, root)
        _git(root, "commit", "--quiet", "--all", "--message", f"release: Version {version}")
        _git(root, "tag", "--annotate", tag, "--message", f"Version {version}")
        _git(root, "push", "--quiet", "--atomic", "origin", f"HEAD:{MAIN}", tag)
    except BaseException:
        subprocess.run(["git", "tag", "--delete", tag], cwd=root, check=False, capture_output=True)
        _git(root, "reset", "--quiet", "--hard", before)
        raise
    print(f"{tag} is pushed; the workflow Release checks, builds and publishes it")


def write(version: str, root: Path = ROOT) -> None:
    """Write the version, and today, into the files that name them."""
    today = dt.datetime.now(dt.UTC).date().isoformat()
    for name, pattern, new in (
        ("pyproject.toml", r'^version = ".*"$', f'version = "{version}"'),
        ("CITATION.cff", r"^version: .*$", f"version: {version}"),
        ("CHANGELOG.md", rf"^{UNRELEASED}$", f"## {version} ({today})"),
        *((name, re.escape(old), new) for name, old, new in FIRST),
    ):
        path = root / name
        text = path.read_text("utf-8")
        path.write_text(re.sub(pattern, new, text, count=1, flags=re.MULTILINE), "utf-8")


def _require_ready(version: str, root: Path) -> str:
    """Return the commit to release; raises SystemExit unless it can become this version."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"write make release VERSION=X.Y.Z with three numbers, not {version!r}")
    if changed := _git(root, "status", "--porcelain"):
        sys.exit(f"there are changes without a commit: commit or remove them:\n{changed}")
    _git(root, "fetch", "--quiet", "--tags", "origin", MAIN)
    head = _git(root, "rev-parse", "HEAD")
    if head != _git(root, "rev-parse", "FETCH_HEAD"):
        sys.exit(f"this is not the newest {MAIN} of origin: git switch {MAIN}, git pull, and push")
    if _git(root, "tag", "--list", f"v{version}"):
        sys.exit(f"there is a tag v{version} already: a released version never changes")
    if _parts(version) < _parts(_version(root)):
        sys.exit(f"{version} is older than the version of pyproject.toml, {_version(root)}")
    if not _section("Unreleased", root):
        sys.exit(
            "nothing is new: CHANGELOG.md needs a section '## Unreleased' above that of the last"
            " version, with a line for each change that a user should know of"
        )
    return head


def _section(title: str, root: Path) -> str:
    """Return the text of a section of CHANGELOG.md; empty if there is none."""
    sections = re.split(r"(?m)^## ", (root / "CHANGELOG.md").read_text("utf-8"))[1:]
    for first, _, text in (section.partition("\n") for section in sections):
        if first.split()[:1] == [title]:
            return text.strip()
    return ""


def _version(root: Path) -> str:
    version: str = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    return version


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _git(root: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=root, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"git {words[0]} failed, and nothing was released:\n{done.stderr.strip()}")
    return done.stdout.strip()


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--make":
        make(sys.argv[2])
    elif len(sys.argv) == 4 and sys.argv[1] == "--readme":
        write_links(*sys.argv[2:])
    elif len(sys.argv) == 2:
        print(notes(sys.argv[1]), end="")
    else:
        sys.exit(f"usage: {sys.argv[0]} TAG, --readme ADDRESS TAG, or --make VERSION")
