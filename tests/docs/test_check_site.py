"""The check of a built site finds broken links and what a page would load from elsewhere."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "docs"))
from build_site import version
from check_site import faults


def found(folder: Path, page: str, style: str = "") -> list[str]:
    (folder / "other.html").write_text('<h2 id="place">There</h2>')
    (folder / "picture.png").write_bytes(b"")
    (folder / "site.css").write_text(style)
    (folder / "page.html").write_text(page)
    return list(faults(folder))


@pytest.mark.parametrize(
    "page",
    [
        '<script src="https://elsewhere.example/a.js"></script>',
        "<SCRIPT SRC=//elsewhere.example/a.js></SCRIPT>",
        '<link rel="stylesheet" href="http://elsewhere.example/a.css">',
        '<link rel="preconnect" href="https://elsewhere.example">',
        '<img src="picture.png" srcset="picture.png 1x, https://elsewhere.example/2.png 2x">',
        '<video poster="https://elsewhere.example/a.png"></video>',
        '<iframe src="https://elsewhere.example/"></iframe>',
        '<object data="https://elsewhere.example/a.svg"></object>',
        "<style>@import 'https://elsewhere.example/a.css';</style>",
        '<p style="background: url(https://elsewhere.example/a.png)">',
    ],
)
def test_a_resource_from_elsewhere_is_found(tmp_path: Path, page: str) -> None:
    (fault,) = found(tmp_path, page)

    assert fault.startswith("page.html: ")
    assert fault.endswith(" is loaded from elsewhere")


@pytest.mark.parametrize(
    "style",
    [
        '@import "https://elsewhere.example/a.css";',
        "p { background: url( //elsewhere.example/a ) }",
    ],
)
def test_a_style_that_loads_from_elsewhere_is_found(tmp_path: Path, style: str) -> None:
    assert [fault.partition(":")[0] for fault in found(tmp_path, "", style)] == ["site.css"]


@pytest.mark.parametrize(
    "address", ["missing.html", "other.html#nowhere", "#nowhere", "missing%20page.html", "a/"]
)
def test_a_broken_link_is_found(tmp_path: Path, address: str) -> None:
    link = f'<a href="{address}">there</a>'

    assert found(tmp_path, link) == [f"page.html: {address} leads nowhere"]


def test_a_missing_picture_is_found(tmp_path: Path) -> None:
    assert found(tmp_path, '<img src="lost.png">') == ["page.html: lost.png leads nowhere"]


def test_links_to_other_sites_and_to_places_that_exist_are_no_faults(tmp_path: Path) -> None:
    page = """
        <link rel="canonical" href="https://project.example/page.html">
        <a href="https://elsewhere.example/">a link to follow</a> <a href="mailto:a@b.example">x</a>
        <a href="other.html#place">there</a> <a href="#here" id="here">here</a> <a href=".">top</a>
        <img src="picture.png" alt=""> <img src="data:image/png;base64,AAAA" alt="">
    """
    (tmp_path / "index.html").write_text("")

    assert found(tmp_path, page, "p { background: url(picture.png) }") == []


@pytest.mark.parametrize(
    ("first", "shown"), [("1.1.0 (2027-01-05)", "1.1.0"), ("Unreleased", "1.1.0, unreleased")]
)
def test_the_site_says_which_version_it_documents(tmp_path: Path, first: str, shown: str) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.1.0"\n')
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {first}\n\n- New.\n\n## 1.0.0\n")

    assert version(tmp_path) == shown
