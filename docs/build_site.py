"""Build the documentation site: `make docs`.

Collects every page in build/docs and runs Zensical on them, with broken links as errors. Pages
outside of docs/ (the protocol's specification, the kits) become pages of the site; a link to any
other file of the project becomes its path as code, since the site has no sources.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "docs"
SITE = ROOT / "build" / "site"
ELSEWHERE = {
    "protocol/SPEC.md": "reference/spec.md",
    "bots/README.md": "reference/kits.md",
    "CHANGELOG.md": "reference/changelog.md",
    "CONTRIBUTING.md": "contributing/index.md",
}
"""Pages outside of docs/, and their places in the site."""
_PICTURE = re.compile(r'<img[^>]* src="([^"]+)"')
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
    pictures = [*(ROOT / "docs").rglob("*.svg"), *(ROOT / "docs").rglob("*.png")]
    for source in (*pictures, ROOT / "docs/site.css"):
        copy = PAGES / source.relative_to(ROOT / "docs")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, copy)


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


def missing_pictures() -> list[str]:
    """Return the pictures of a page that are missing in the site."""
    return [
        f"{page.relative_to(SITE)}: no picture {address}"
        for page in SITE.rglob("*.html")
        for address in _PICTURE.findall(page.read_text(encoding="utf-8"))
        if "://" not in address and not (page.parent / address).exists()
    ]


def main() -> int:
    """Collect and build; return the exit code of Zensical, or 1 if a picture is missing."""
    collect()
    zensical = Path(sys.executable).with_name("zensical")
    built = subprocess.run([zensical, "build", "--clean", "--strict"], cwd=ROOT, check=False)
    missing = missing_pictures()
    print(*missing, sep="\n", end="\n" if missing else "", file=sys.stderr)
    return built.returncode or bool(missing)


if __name__ == "__main__":
    sys.exit(main())
