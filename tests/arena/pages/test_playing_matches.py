"""Matches with people on a server: their number, their pages and their end, without processes."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from arena.pages.playing import matches as playing_matches
from arena.pages.playing.matches import (
    MAX_KEPT,
    MAX_LISTENERS,
    MAX_OF_A_LINK,
    MAX_RUNNING,
    MAX_WAITING,
    Listener,
    PeopleMatch,
    PeopleMatches,
    RefusedError,
)


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    async def start(self: PeopleMatch, order: Any) -> None:
        del self
        if order.get("fails"):
            raise RefusedError("no room")

    async def follow(self: PeopleMatch) -> None:
        del self

    monkeypatch.setattr(PeopleMatch, "start", start)
    monkeypatch.setattr(PeopleMatch, "follow", follow)


def run(test: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        await test()

    with ThreadPoolExecutor(1) as thread:  # a browser's loop may run in this one
        thread.submit(asyncio.run, main()).result()


def test_only_a_few_matches_run_at_once_and_old_ones_are_forgotten() -> None:
    async def test() -> None:
        matches = PeopleMatches()
        running = [await matches.start({}, []) for _ in range(MAX_RUNNING)]
        with pytest.raises(RefusedError, match="leave one of them"):
            await matches.start({}, [])
        for _ in range(MAX_KEPT):
            running.pop().is_over = True
            running.append(await matches.start({}, []))
        with pytest.raises(LookupError):
            matches.find(MAX_RUNNING)
        assert matches.find(1) is running[0]  # a running match is not forgotten

    run(test)


def test_a_match_is_left_some_time_after_its_last_page_has_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    left: list[int] = []
    monkeypatch.setattr(playing_matches, "ABSENCE_S", 0.01)
    monkeypatch.setattr(PeopleMatch, "leave", lambda self: left.append(self.number))

    async def test() -> None:
        first, second = PeopleMatch(1, []), PeopleMatch(2, [])
        for match in (first, second):
            match.forget(match.listen(None))
        second.listen(None)
        while not left:
            await asyncio.sleep(0.01)

    run(test)
    assert left == [1]


def test_a_match_whose_page_never_opens_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    monkeypatch.setattr(playing_matches, "ABSENCE_S", 0.01)
    monkeypatch.setattr(PeopleMatch, "leave", lambda self: left.append(self.number))

    async def test() -> None:
        matches = PeopleMatches()
        await matches.start({}, [])
        while not left:
            await asyncio.sleep(0.01)

    run(test)
    assert left == [1]


def test_a_guest_leaves_room_for_the_pages_of_others() -> None:
    async def test() -> None:
        match = PeopleMatch(1, [1, 2])
        while match.has_room(1):
            match.listen(1)
        assert len(match.listeners) == MAX_OF_A_LINK
        assert match.has_room(2)
        while match.has_room(None):
            match.listen(None)
        assert len(match.listeners) == MAX_LISTENERS
        assert not match.has_room(2)
        match.forget(match.listeners[0])
        assert match.has_room(1)

    run(test)


def test_the_stream_of_a_slow_page_ends() -> None:
    async def test() -> None:
        listener = Listener([0])
        for number in range(MAX_WAITING + 1):
            listener.hear({"number": number})
        assert listener.queue.get_nowait() is None
        assert listener.queue.empty()

    run(test)


def test_a_link_opens_its_own_seat_only() -> None:
    async def test() -> None:
        matches = PeopleMatches()
        match = await matches.start({}, [2])
        (key,) = match.keys.values()
        assert matches.place(key) == (match, 2)
        assert [matches.place(wrong) for wrong in ("", key[:-1], f"{key}x", "\u00e9")] == [None] * 4
        host, guest = match.listen(None), match.listen(2)
        assert (host.queue.get_nowait() or {})["keys"] == {2: key}
        assert (guest.queue.get_nowait() or {})["keys"] == {}
        assert 2 not in host.seats
        assert list(guest.seats) == [2]

    run(test)
