"""The streams of messages that open pages read."""

import asyncio
import json
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest
from events import keep, new_store
from random_matches import random_record
from starlette.requests import Request

from arena.pages import channels, server
from arena.pages.answers import StreamAnswer
from arena.pages.channels import MAX_STREAMS, MOST_WAITING, STRANGERS, Channels, Stream, message
from arena.pages.live_event import LiveEvent
from arena.pages.server import Site

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    with ThreadPoolExecutor(1) as thread:  # browsers of other tests have a loop in this one
        return thread.submit(asyncio.run, work).result()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the events 1 and 2, of one match each."""
    with closing(new_store(tmp_path)) as store:
        for number, name in enumerate(("cup", "other"), start=1):
            store.add_event(name, 1, {"game": {"name": "pente"}}, {"a": "1", "b": "2"})
            keep(store, number, random_record("pente", key="first", plies=4))
    return tmp_path


def add(folder: Path, event: int, key: str) -> None:
    with closing(new_store(folder)) as store:
        keep(store, event, random_record("pente", key=key, plies=4))


async def received(stream: Stream) -> list[tuple[str, Any]]:
    """Return the messages that a page would read now."""
    stream.close()
    found = b"".join([chunk async for chunk in stream.chunks()]).decode()
    stream._is_closed = False
    return [
        (kind.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for kind, data in (each.split("\n") for each in found.split("\n\n") if each)
    ]


def channels_of(folder: Path) -> Channels:
    return Site(folder / "arena.db", port=1).channels


async def told(own: Channels, *streams: Stream) -> list[list[tuple[str, Any]]]:
    own.note_change()
    await own.step(is_last=True)
    return [await received(stream) for stream in streams]


def opened(own: Channels, event: int | None) -> Stream:
    stream = own.open(event)
    assert stream is not None
    return stream


def test_a_page_of_an_event_receives_what_is_new_in_its_results(folder: Path) -> None:
    async def follow() -> None:
        own = channels_of(folder)
        stream = opened(own, 1)
        ((first_kind, edition), live), *_ = await told(own, stream)
        assert (first_kind, live) == ("edition", ("live", {}))
        assert await told(own, stream) == [[]]
        add(folder, 1, "second")
        ((((kind, change),)),) = await told(own, stream)
        assert (kind, change["after"]) == ("results", edition)
        matches = change["news"]["matches"]
        assert (matches["first"], [each["key"] for each in matches["items"]]) == (1, ["second"])
        assert ["matches", "2"] in change["news"]["facts"]
        assert "name" not in change["news"]

    run(follow())


def test_another_event_of_the_database_is_no_news(folder: Path) -> None:
    async def follow() -> None:
        own = channels_of(folder)
        stream, other, everything = opened(own, 1), opened(own, 2), opened(own, None)
        await told(own, stream, other, everything)
        add(folder, 2, "second")
        first, second, third = await told(own, stream, other, everything)
        assert first == []
        assert [kind for kind, _ in second] == ["results"]
        assert [(kind, [each["progress"] for each in data]) for kind, data in third] == [
            ("events", ["2", "1"])
        ]

    run(follow())


def test_a_message_is_made_once_for_all_pages(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def follow() -> None:
        own = channels_of(folder)
        streams = [opened(own, 1) for _ in range(50)]
        await told(own, *streams)
        made: list[str] = []

        def making(kind: str, data: bytes) -> bytes:
            made.append(kind)
            return message(kind, data)

        monkeypatch.setattr(channels, "message", making)
        add(folder, 1, "second")
        assert len({str(each) for each in await told(own, *streams)}) == 1
        assert made == ["results"]

    run(follow())


def test_a_slow_page_begins_again_with_everything(folder: Path) -> None:
    async def follow() -> None:
        own = channels_of(folder)
        slow = opened(own, 1)
        await own.step()
        for number in range(MOST_WAITING + 2):
            slow.send(b"event: %d\ndata: 0\n\n" % number)
        (messages,) = await told(own, slow)
        assert [kind for kind, _ in messages][-2:] == ["edition", "live"]
        assert len(messages) < MOST_WAITING

    run(follow())


def test_no_more_pages_are_open_than_the_limit_when_all_come_at_once(folder: Path) -> None:
    site = Site(folder / "arena.db", port=1)
    request: Any = type("Request", (), {"query_params": {"event": "1"}})()

    async def open_all() -> list[int]:
        asked = [server._changes_of(site)(request) for _ in range(MAX_STREAMS + 9)]
        return [answer.status_code for answer in await asyncio.gather(*asked)]

    assert sorted(run(open_all())) == [200] * MAX_STREAMS + [503] * 9


def test_strangers_leave_places_for_the_pages_of_the_organiser(folder: Path) -> None:
    site = Site(folder / "arena.db", port=1, is_public=True)

    async def ask(token: str) -> int:
        cookie = f"{site.cookie}={token}".encode()
        scope = {"type": "http", "query_string": b"event=1", "headers": [(b"cookie", cookie)]}
        return (await server._changes_of(site)(Request(scope))).status_code

    async def ask_all() -> list[int]:
        strangers = [await ask("") for _ in range(MAX_STREAMS)]
        return [strangers.count(200), await ask(site.token)]

    assert run(ask_all()) == [STRANGERS, 200]


def test_a_page_that_goes_before_its_first_message_is_forgotten(folder: Path) -> None:
    site = Site(folder / "arena.db", port=1)
    request: Any = type("Request", (), {"query_params": {}})()

    async def come_and_go() -> None:
        async def gone() -> dict[str, str]:
            return {"type": "http.disconnect"}

        async def refuse(_: object) -> None:
            raise OSError

        answer = await server._changes_of(site)(request)
        assert isinstance(answer, StreamAnswer)
        assert site.channels.count == 1
        scope = {"type": "http", "asgi": {"spec_version": "2.3"}}
        try:
            await answer(scope, gone, refuse)
        except* OSError:
            pass
        assert site.channels.count == 0

    run(come_and_go())


def test_the_results_are_read_again_only_after_a_pause(folder: Path) -> None:
    async def follow() -> None:
        own = channels_of(folder)
        stream = opened(own, 1)
        await told(own, stream)
        add(folder, 1, "second")
        own.note_change()
        await own.step()
        assert await received(stream) == []
        ((kind, _),) = (await told(own, stream))[0]
        assert kind == "results"

    run(follow())


def test_a_database_that_cannot_be_read_is_named_once_and_read_again(folder: Path) -> None:
    async def follow() -> None:
        own = channels_of(folder)
        stream = opened(own, None)
        (folder / "arena.db").rename(folder / "away.db")
        (((kind, text), *_),) = await told(own, stream)
        assert kind == "failed"
        assert "does not exist" in text
        assert await told(own, stream) == [[]]
        (folder / "away.db").rename(folder / "arena.db")
        await own.step()
        assert [kind for kind, _ in await received(stream)] == ["events"]

    run(follow())


def test_whoever_comes_first_waits_for_no_look_at_the_directors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(db=tmp_path / "arena.db", port=1)
    asked: list[str] = []
    monkeypatch.setattr(site.live, "look", lambda: asked.append("look"))
    monkeypatch.setattr(site.live, "leave", lambda: asked.append("leave"))
    site.live.events[1] = LiveEvent()

    async def watch() -> None:
        task = asyncio.create_task(server._watch(site))
        for _ in range(9):
            await asyncio.sleep(0)
        assert asked == ["leave"]
        site.channels.open(1)
        while "look" not in asked:
            await asyncio.sleep(0)
        task.cancel()

    run(watch())
