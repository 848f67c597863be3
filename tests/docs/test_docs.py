"""The documentation agrees with the code: generated pages, links, named files and commands."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(ROOT / "docs"))
from build_site import ELSEWHERE, MADE  # noqa: E402 - it lies in docs
from make_reference import FOLDER, PAGES  # noqa: E402 - it lies beside this file

MENU = ROOT / "mkdocs.yml"
MARKDOWN = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
]


@pytest.mark.parametrize("name", sorted(PAGES))
def test_a_generated_page_matches_the_code(name: str) -> None:
    assert (FOLDER / name).read_text() == PAGES[name](), (
        "regenerate it: python tests/docs/make_reference.py"
    )


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_lead_somewhere(page: Path) -> None:
    made = {ROOT / "docs" / name for name in MADE}
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
        path = (page.parent / target).resolve()
        assert path.exists() or path in made, f"{page}: {target}"


def test_every_page_is_in_the_menu_of_the_site() -> None:
    menu = set(re.findall(r": (\S+\.md)$", MENU.read_text(), re.MULTILINE))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}

    assert menu == pages | set(ELSEWHERE.values())


def test_titles_of_pages_agree_with_the_menu() -> None:
    entries = re.findall(r'^ +- "?([^"\n]+?)"?: (\S+\.md)$', MENU.read_text(), re.MULTILINE)
    sources = {place: ROOT / name for name, place in ELSEWHERE.items()}

    for title, place in entries:
        page = sources.get(place, ROOT / "docs" / place)
        assert page.read_text().splitlines()[0] == f"# {title}", place


def test_the_readme_names_only_existing_files() -> None:
    readme = (ROOT / "README.md").read_text()
    named = re.findall(r"`((?:arena|referee|protocol|configs|bots|docs|tests)/[\w./*-]+)`", readme)

    assert named
    for path in named:
        assert list(ROOT.glob(path)), path
