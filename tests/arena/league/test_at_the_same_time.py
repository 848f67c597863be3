"""What two requests at the same time may not do."""

import asyncio
import threading
from typing import Any

import pytest
from django.db import connection
from leagues import cast

from arena.league.directing.challenging import new_challenge
from arena.league.folder import League
from arena.league.hand_ins.reception import BusyError, new_bot
from arena.league.hand_ins.versions import add_version
from arena.league.persons.people import new_token
from arena.league.site.models import Bot
from arena.league.web.people_games import LONG_S, MADE_ROOM, PeopleGames
from arena.league.web.uploads import Asker
from arena.pages.playing.matches import MAX_RUNNING, PeopleMatch

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
        asking = [
            asyncio.create_task(games.start(Asker(people.owner.pk), people.bot, 0)) for _ in "ab"
        ]
        await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED, timeout=1)
        asked.set()
        return await asyncio.gather(*asking, return_exceptions=True)

    monkeypatch.setattr(games, "_order", order)
    monkeypatch.setattr(games._matches, "start", start)
    found = asyncio.run(ask_twice())

    assert not isinstance(found[0], BaseException)
    assert isinstance(found[1], BusyError)


class Games(PeopleGames):
    """Matches without processes, at a time that the test sets."""

    def __init__(self, league: League, bot: Bot) -> None:
        self.time_s, self._bot = 0.0, bot
        super().__init__(league, lambda: self.time_s)

    def _order(self, *_: Any) -> dict[str, Any]:
        return {}

    async def ask(self, person: int, team: int) -> str:
        """Return how a person's question for a match ends."""
        try:
            await self.start(Asker(person, frozenset({team})), self._bot, 0)
        except BusyError as error:
            return str(error)
        return "begun"

    def over(self) -> list[int]:
        return [game.person_id for game in self._games.values() if game.match.is_over]


@pytest.fixture
def games(league: League, monkeypatch: pytest.MonkeyPatch) -> Games:
    async def nothing(*_: Any) -> None:
        return

    monkeypatch.setattr(PeopleMatch, "start", nothing)
    monkeypatch.setattr(PeopleMatch, "follow", nothing)
    return Games(league, cast().bot)


def test_persons_of_one_team_leave_others_a_place_to_play(games: Games) -> None:
    async def play() -> None:
        assert [await games.ask(person, 1) for person in range(MAX_RUNNING)] == ["begun"] * 4
        assert await games.ask(9, 2) == "begun"
        assert games.over() == [0], "the oldest"
        assert "matches are running" in await games.ask(8, 1)

    asyncio.run(play())


def test_four_persons_hold_the_places_to_play_for_some_minutes_alone(games: Games) -> None:
    said: list[Any] = []

    async def play() -> None:
        for person in range(MAX_RUNNING):
            assert await games.ask(person, person) == "begun"
            games.time_s += 1
        page = next(iter(games._games.values())).match.listen(None)
        games.time_s = LONG_S - 1
        assert "matches are running" in await games.ask(9, 9)
        games.time_s = LONG_S
        assert await games.ask(9, 9) == "begun"
        assert "matches are running" in await games.ask(0, 0), "the next one is not old yet"
        while not page.queue.empty():
            said.append(page.queue.get_nowait())

    asyncio.run(play())

    assert MADE_ROOM in [message.get("text") for message in said if message]
