"""The stream of changes that an open page reads."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from arena.pages import server
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


def test_whoever_comes_first_waits_for_no_look_at_the_directors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(db=tmp_path / "arena.db", port=1)
    monkeypatch.setattr(server, "BETWEEN_LOOKS_S", 0)
    asked: list[str] = []
    monkeypatch.setattr(site.live, "look", lambda: asked.append("look"))
    monkeypatch.setattr(server, "_data_state", lambda _: asked.append("read"))

    def leave() -> None:  # each step of the loop without an open page; the third sees one come
        asked.append("leave")
        site.streams = asked.count("leave") // 3

    monkeypatch.setattr(site.live, "leave", leave)

    async def watch() -> None:
        task = asyncio.create_task(server._watch(site))
        while "look" not in asked:
            await asyncio.sleep(0)
        task.cancel()

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, watch()).result()

    assert asked[:7] == [*["leave", "read"] * 3, "look"]
