"""Faults of a built site: broken links, and resources that a page would load from elsewhere."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADING = frozenset({"src", "srcset", "poster", "data", "background"})
"""Attributes whose address a browser loads with the page; so it does with `href` of a `<link>`."""
POINTING = frozenset({"canonical", "next", "prev", "alternate"})
"""Kinds of `<link>` that a browser does not load."""
_IN_STYLE = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""")
_ELSEWHERE = re.compile(r"\s*(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)


class Page(HTMLParser):
    """The addresses in a page, and the places in it to which a link can lead."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self._is_style = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the addresses of an element."""
        self._is_style = tag == "style"
        found = {name: value for name, value in attrs if value}
        self.ids |= {value for name, value in found.items() if name in {"id", "name"}}
        for name, value in found.items():
            if name in LOADING:
                self.loads += _candidates(value) if name == "srcset" else [value]
            elif name == "style":
                self.loads += _IN_STYLE.findall(value)
        if "href" in found and tag == "a":
            self.links.append(found["href"])
        elif "href" in found and not POINTING & set(found.get("rel", "").lower().split()):
            self.loads.append(found["href"])

    def handle_data(self, data: str) -> None:
        """Keep the addresses of a style in the page."""
        if self._is_style:
            self.loads += _IN_STYLE.findall(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave a style."""
        self._is_style = False


def faults(site: Path) -> Iterator[str]:
    """Yield a sentence for each fault of the pages and the styles below a folder."""
    for path in sorted(site.rglob("*.css")):
        yield from _foreign(path, site, _IN_STYLE.findall(path.read_text("utf-8")))
    for path in sorted(site.rglob("*.html")):
        page = _page(path)
        yield from _foreign(path, site, page.loads)
        for address in (*page.loads, *page.links):
            if _is_broken(path, address):
                yield f"{path.relative_to(site)}: {address} leads nowhere"


def _candidates(srcset: str) -> list[str]:
    return [part.split()[0] for part in srcset.split(",") if part.split()]


def _foreign(path: Path, site: Path, loads: list[str]) -> Iterator[str]:
    for address in loads:
        if _ELSEWHERE.match(address):
            yield f"{path.relative_to(site)}: {address} is loaded from elsewhere"


@cache
def _page(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def _is_broken(page: Path, address: str) -> bool:
    parts = urlsplit(address.strip())
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return False
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    if not target.exists():
        return True
    anchor = unquote(parts.fragment)
    return bool(anchor) and target.suffix == ".html" and anchor not in _page(target).ids
