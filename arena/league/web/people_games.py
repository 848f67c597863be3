"""The matches of persons against bots: one of a person at a time, on the cores of checks.

Where all places are taken, the oldest match of the team with the most of them is ended for a person
of another team: at once if that team has two more, otherwise once the match is old.
"""

import asyncio
import json
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from arena.bots.shipped import shipped_bots
from arena.errors import UsageError
from arena.league.files import place
from arena.league.folder import League
from arena.league.hand_ins.reception import BusyError
from arena.league.handed_in import handed_in
from arena.league.persons.own_game import OwnGame
from arena.league.remote.remote_bots import require_local
from arena.league.seasons.season import lanes_of, season_of
from arena.league.site.models import Bot, Person, Version
from arena.league.web.here import league
from arena.league.web.uploads import Asker
from arena.pages.playing.matches import MAX_RUNNING, Message, PeopleMatches, RefusedError
from protocol.vocabulary import Seat
from referee.options import game_options

_PREFIX = "play."
_HINT = "hint"
LONG_S = 600.0
"""Age in s at which a match is ended for somebody whose team plays none."""
MADE_ROOM = "ended, because others wait for a place; nothing is kept"


class PeopleGames:
    """Matches of persons in this process; nothing of them outlives it."""

    def __init__(self, league: League, now_s: Callable[[], float] = time.monotonic) -> None:
        """Remove what a killed process has left."""
        self._now_s = now_s
        self._begun: dict[int, tuple[Asker, float]] = {}  # {number of a match: by whom, and when}
        self._league = league
        self._inbox = league.folder / "inbox"
        self._matches = PeopleMatches()
        self._games: dict[int, OwnGame] = {}
        self._starting: set[int] = set()
        """Persons whose match begins at this moment."""
        for folder in self._inbox.glob(f"{_PREFIX}*"):
            shutil.rmtree(folder, ignore_errors=True)

    def find(self, number: int) -> OwnGame | None:
        """Return a match by its number."""
        return self._games.get(number)

    def running(self, person: Person) -> OwnGame | None:
        """Return the running match of a person."""
        return self._running_of(person.pk)

    def _running_of(self, person: int) -> OwnGame | None:
        games = (game for game in self._games.values() if game.person_id == person)
        return next((game for game in games if not game.match.is_over), None)

    async def start(self, asker: Asker, bot: Bot, seat: Seat) -> OwnGame:
        """Begin a match against the active version of a bot; raises UsageError."""
        self._forget()
        if asker.person in self._starting or self._running_of(asker.person) is not None:
            raise BusyError("you are playing a match; end it first")
        self._starting.add(asker.person)
        try:
            await self._make_room(asker)
            return await self._started(asker, bot, seat)
        finally:
            self._starting.discard(asker.person)

    async def _make_room(self, asker: Asker) -> None:
        """End a match if all places are taken, and if that is fair."""
        begun = {
            number: self._begun[number]
            for number, game in self._games.items()
            if number in self._begun and not game.match.is_over
        }
        if len(begun) < MAX_RUNNING:
            return

        def load(one: Asker) -> int:
            return sum(other.is_mate_of(one) for other, _ in begun.values())

        oldest = max(begun, key=lambda number: load(begun[number][0]))
        player, since_s = begun[oldest]
        more = load(player) - load(asker)
        if more > 1 or (more == 1 and self._now_s() - since_s >= LONG_S):
            await self._games[oldest].match.end(MADE_ROOM)

    async def _started(self, asker: Asker, bot: Bot, seat: Seat) -> OwnGame:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=self._inbox))
        try:
            order = await asyncio.to_thread(self._order, bot, seat, folder)
            match = await self._matches.start(order, ())
        except RefusedError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise BusyError(str(error)) from None
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        game = OwnGame(asker.person, bot.name, match, folder)
        self._games[match.number] = game
        self._begun[match.number] = asker, self._now_s()
        return game

    async def order(self, game: OwnGame, seat: Seat, shown: int, what: Message) -> None:
        """Hand on what a person has typed or clicked; raises UsageError."""
        words = str(what.get("line", "")).split(maxsplit=1)
        if len(words) > 1 and words[0].lower() == _HINT:
            raise UsageError("a hint is given by the usual bot; type hint alone")
        try:
            game.match.order(seat, shown, what)
        except RefusedError as error:
            raise UsageError(str(error)) from None

    async def leave_all(self, person: Person) -> None:
        """End what a person plays, whose account is closed."""
        if (game := self.running(person)) is not None:
            await self.leave(game)

    async def leave(self, game: OwnGame) -> None:
        """End a match without a result."""
        game.match.leave()

    async def close(self) -> None:
        """End all matches."""
        await self._matches.close()
        for game in self._games.values():
            shutil.rmtree(game.folder, ignore_errors=True)

    def _forget(self) -> None:
        """Forget the matches that are over, and remove their files."""
        for number, game in list(self._games.items()):
            if game.match.is_over:
                shutil.rmtree(game.folder, ignore_errors=True)
                del self._games[number]
                self._begun.pop(number, None)

    def _order(self, bot: Bot, seat: Seat, folder: Path) -> dict[str, Any]:
        config = self._league.season()
        _, game = config.game.variants()[0]
        season = season_of(config, 0)
        time = season.plan.job.time
        players: list[str | None] = [self._reference(bot, folder)]
        players.insert(seat, None)
        return {
            "db": str(folder / "match.db"),
            "game": game.name,
            "options": [
                f"{name}={value if isinstance(value, str) else json.dumps(value)}"
                for name, value in game_options(game).items()
            ],
            "origin": None,
            "players": players,
            "seed": secrets.randbits(64),
            "per_move_ms": time.per_move_ns // 1_000_000,
            "clock": time.clock,
            "network": config.build_network,
            "cores": lanes_of(season).checks,
        }

    def _reference(self, bot: Bot, folder: Path) -> str:
        """Return where the bot is found: a shipped one by its name, a hand-in unpacked."""
        version: Version | None = bot.active
        if version is None:
            raise UsageError(f"{bot.name} has no accepted version yet")
        require_local(bot)
        if version.digest:
            archive = place(self._league.files, version.digest)
            return str(handed_in(archive, version.suffix, bot.name, folder).path)
        config = self._league.season()
        reference = next((each.bot for each in config.bots if each.name == bot.name), "")
        is_shipped = reference in shipped_bots()
        return reference if is_shipped else str(Path(config.folder) / reference)


@cache
def people_games() -> PeopleGames:
    """Return the matches of persons in this process."""
    return PeopleGames(league())
