"""The stream of changes that an open page reads."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from arena.pages.server import Site, _stream


class BusyRequest:
    """An open page, while the database changes before each look."""

    def __init__(self, site: Site) -> None:
        self._site = site

    async def is_disconnected(self) -> bool:
        self._site.version += 1
        return False


def test_news_of_matches_are_sent_while_every_look_finds_new_results(tmp_path: Path) -> None:
    site = Site(db=tmp_path / "arena.db", port=1)
    request: Any = BusyRequest(site)

    async def first(count: int) -> list[str]:
        stream = _stream(site, request)
        return [await anext(stream) for _ in range(count)]

    with ThreadPoolExecutor(1) as thread:  # browsers of other tests have a loop in this one
        sent = thread.submit(asyncio.run, first(3)).result()

    assert sent == ["data: 1\n\n", "event: live\ndata: {}\n\n", "data: 2\n\n"]
