"""Build the documentation site: `make docs`.

Collects every page in build/docs and runs Zensical on them; broken links, and resources that a page
would load from elsewhere, are errors. Pages outside of docs/ (the protocol's specification, the
kits) become pages of the site; a link to any other file of the project becomes its path as code,
since the site has no sources. The name of the site has the version that it documents.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from check_site import faults

ROOT = Path(__file__).resolve().parent.parent
sys.path.append(str(ROOT / "docs/showcase"))
from make import REPORTS, write_reports  # noqa: E402 - it lies in docs/showcase

PAGES = ROOT / "build" / "docs"
SITE = ROOT / "build" / "site"
ELSEWHERE = {
    "protocol/SPEC.md": "reference/spec.md",
    "bots/README.md": "reference/kits.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "contributing/index.md",
}
"""Pages outside of docs/, and their places in the site."""
MADE = tuple(f"showcase/{name}" for name in REPORTS)
"""Pages that are made with the site."""
_LINK = re.compile(r"\[([^\]]+)\]\((?![a-z]+:)([^)#\s]*)(#[^)\s]*)?\)")


def collect() -> None:
    """Write all pages to build/docs, with links for this folder."""
    shutil.rmtree(PAGES, ignore_errors=True)
    places = {
        path: path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")
    }
    places |= {ROOT / name: place for name, place in ELSEWHERE.items()}
    for source, place in places.items():
        page = PAGES / place
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(relink(source, place, places), encoding="utf-8")
    copied = [path for kind in ("svg", "png") for path in (ROOT / "docs").rglob(f"*.{kind}")]
    for source in (*copied, ROOT / "docs/site.css"):
        copy = PAGES / source.relative_to(ROOT / "docs")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)
    write_reports(PAGES / "showcase")


def relink(source: Path, place: str, places: dict[Path, str]) -> str:
    """Return the text of a page with its links as they must be at `place` in the site."""
    up = "../" * place.count("/")

    def link(found: re.Match[str]) -> str:
        text, target, anchor = found[1], found[2], found[3] or ""
        if not target:
            return found[0]
        path = (source.parent / target).resolve()
        if path in places:
            return f"[{text}]({up}{places[path]}{anchor})"
        if path.is_relative_to(ROOT / "docs"):
            return f"[{text}]({up}{path.relative_to(ROOT / 'docs').as_posix()}{anchor})"
        shown = text.strip("`")
        name = path.relative_to(ROOT).as_posix()
        return f"`{name}`" if shown in name else f"{text} (`{name}`)"

    return _LINK.sub(link, source.read_text(encoding="utf-8"))


def version(root: Path = ROOT) -> str:
    """Return the version that the pages document: of a release, or after the last one."""
    number = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    sections = re.findall(r"(?m)^## (\S+)", (root / "CHANGELOG.md").read_text("utf-8"))
    return str(number) if sections and sections[0] == number else f"{number}, unreleased"


def config() -> Path:
    """Write the config of Zensical, with the version in the name of the site; return its path."""
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    text = re.sub(r"(?m)^site_name: (\w+).*$", rf'site_name: "\1 {version()}"', text)
    path = PAGES.parent / "mkdocs.yml"
    path.write_text(text.replace(": build/", ": "), encoding="utf-8")
    return path


def main() -> int:
    """Collect, build and check the site; return an exit code."""
    collect()
    zensical = Path(sys.executable).with_name("zensical")
    command = [str(zensical), "build", "--clean", "--strict", "--config-file", str(config())]
    built = subprocess.run(command, cwd=ROOT, check=False)
    found = list(faults(SITE))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    return built.returncode or bool(found)


if __name__ == "__main__":
    sys.exit(main())
