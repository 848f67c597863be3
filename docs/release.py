"""Check a tag against the version and the changelog, and print the notes of its release.

    python docs/release.py v1.0.0

Fails with one sentence if the tag is not the version of `pyproject.toml` or if `CHANGELOG.md` has
no section of that version.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def notes(tag: str, root: Path = ROOT) -> str:
    """Return the section of CHANGELOG.md of the version of a tag; raises SystemExit."""
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    if tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but the version of pyproject.toml is {version}")
    sections = re.split(r"(?m)^## ", (root / "CHANGELOG.md").read_text("utf-8"))[1:]
    for section in sections:
        title, _, text = section.partition("\n")
        if title.split() and title.split()[0] == version:
            return text.strip() + "\n"
    sys.exit(f"CHANGELOG.md has no section {version}: rename the section Unreleased")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} TAG")
    print(notes(sys.argv[1]), end="")
