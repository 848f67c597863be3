"""Make a release, or check the tag of one and print its notes.

    python docs/release.py v1.0.0            # in the workflow: check and print
    python docs/release.py --make v1.0.0     # at home: edit, commit, tag and push

The first fails with one sentence if the tag is not the version of `pyproject.toml` or if
`CHANGELOG.md` has no section of that version. The second writes both, in a clean clone of the
newest main, and pushes commit and tag together, or nothing. The workflow does the rest.
"""

import datetime as dt
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAIN = "main"
UNRELEASED = "## Unreleased\n"
NEVER = "No version has been released yet. "
"""Sentence of the changelog that ends with the first release."""


def notes(tag: str, root: Path = ROOT) -> str:
    """Return the section of CHANGELOG.md of the version of a tag; raises SystemExit."""
    version = _version(root)
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but the version of pyproject.toml is {version}")
    sections = re.split(r"(?m)^## ", (root / "CHANGELOG.md").read_text("utf-8"))[1:]
    for section in sections:
        title, _, text = section.partition("\n")
        if title.split() and title.split()[0] == version:
            return text.strip() + "\n"
    sys.exit(f"CHANGELOG.md has no section {version}: rename the section Unreleased")


def make(tag: str, root: Path = ROOT) -> None:
    """Write the version, commit, tag and push; raises SystemExit, and then all is as before."""
    before = _require_ready(tag, root)
    try:
        _write(tag.removeprefix("v"), root)
        notes(tag, root)
        _git(root, "commit", "--quiet", "--all", "--message", f"release: Version {tag[1:]}")
        _git(root, "tag", "--annotate", tag, "--message", f"Version {tag[1:]}")
        _git(root, "push", "--quiet", "--atomic", "origin", f"HEAD:{MAIN}", tag)
    except BaseException:
        subprocess.run(["git", "tag", "--delete", tag], cwd=root, check=False, capture_output=True)
        _git(root, "reset", "--quiet", "--hard", before)
        raise
    print(f"{tag} is pushed; the workflow Release checks, builds and publishes it")


def _require_ready(tag: str, root: Path) -> str:
    """Return the commit to release; raises SystemExit unless it can be released as this tag."""
    if not re.fullmatch(r"v\d+\.\d+\.\d+", tag):
        sys.exit(f"a tag is like v1.0.0, not {tag}")
    if _git(root, "status", "--porcelain"):
        sys.exit("there are changes without a commit: commit or remove them")
    _git(root, "fetch", "--quiet", "--tags", "origin", MAIN)
    head = _git(root, "rev-parse", "HEAD")
    if head != _git(root, "rev-parse", "FETCH_HEAD"):
        sys.exit(f"this is not the newest {MAIN} of origin: git switch {MAIN}, git pull, and push")
    if _git(root, "tag", "--list", tag):
        sys.exit(f"there is a tag {tag} already: a released version never changes")
    if _parts(tag[1:]) < _parts(_version(root)):
        sys.exit(f"{tag} is older than the version of pyproject.toml, {_version(root)}")
    if UNRELEASED not in (root / "CHANGELOG.md").read_text("utf-8"):
        sys.exit("CHANGELOG.md has no section Unreleased: nothing is new")
    return head


def _write(version: str, root: Path) -> None:
    today = dt.datetime.now(dt.UTC).date().isoformat()
    for name, pattern, new in (
        ("pyproject.toml", r'^version = ".*"$', f'version = "{version}"'),
        ("CITATION.cff", r"^version: .*$", f"version: {version}"),
        ("CHANGELOG.md", rf"^{UNRELEASED.strip()}$", f"## {version} ({today})"),
        ("CHANGELOG.md", re.escape(NEVER), ""),
    ):
        path = root / name
        text = path.read_text("utf-8")
        path.write_text(re.sub(pattern, new, text, count=1, flags=re.MULTILINE), "utf-8")


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
    elif len(sys.argv) == 2:
        print(notes(sys.argv[1]), end="")
    else:
        sys.exit(f"usage: {sys.argv[0]} [--make] TAG")
