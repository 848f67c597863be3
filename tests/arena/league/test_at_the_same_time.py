"""What two requests at the same time may not do."""

import asyncio
import threading
from typing import Any

import pytest
from django.db import connection
from leagues import cast

from arena.league.challenging import new_challenge
from arena.league.folder import League
from arena.league.people import new_token
from arena.league.reception import BusyError, new_bot
from arena.league.roster import add_version
from arena.league.web.people_games import PeopleGames
from arena.pages.playing.matches import PeopleMatch

PATIENCE_S = 60


def test_limits_are_counted_in_the_transaction_that_uses_them() -> None:
    people = cast()
    versions = [add_version(people.bot, tree) for tree in ("first tree", "second tree")]
    counted: list[bool] = []

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        if "COUNT(" in sql:
            counted.append(connection.in_atomic_block)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        new_bot(people.owner, people.owner.teams.get(), "second")
        new_token(people.owner, "laptop")
        new_challenge(people.owner, *versions)

    assert len(counted) >= 4
    assert all(counted)


def test_a_person_who_asks_twice_at_once_plays_one_match(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = cast()
    games = PeopleGames(league)
    asked = threading.Event()

    def order(*_: Any) -> dict[str, Any]:
        assert asked.wait(PATIENCE_S)
        return {}

    async def start(*_: Any) -> PeopleMatch:
        return PeopleMatch(1, ())

    async def ask_twice() -> list[Any]:
        asking = [asyncio.create_task(games.start(people.owner, people.bot, 0)) for _ in "ab"]
        await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED, timeout=1)
        asked.set()
        return await asyncio.gather(*asking, return_exceptions=True)

    monkeypatch.setattr(games, "_order", order)
    monkeypatch.setattr(games._matches, "start", start)
    found = asyncio.run(ask_twice())

    assert not isinstance(found[0], BaseException)
    assert isinstance(found[1], BusyError)
