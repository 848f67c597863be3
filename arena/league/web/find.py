"""The things that addresses name."""

from typing import Any

from arena.league.persons.own_game import OwnGame
from arena.league.site.models import Bot, HandIn, Token, Version
from arena.league.web.people_games import people_games
from arena.league.web.results import match_row

MAX_NUMBER = 2**62


def bot(name: str, **_: Any) -> Bot | None:
    """Return a bot by its name."""
    found: Bot | None = Bot.objects.select_related("team", "active").filter(name=name).first()
    return found


def hand_in(number: int, **_: Any) -> HandIn | None:
    """Return a hand-in by its number."""
    if number > MAX_NUMBER:
        return None
    rows = HandIn.objects.select_related("bot", "person", "version")
    found: HandIn | None = rows.filter(pk=number).first()
    return found


def token(number: int, **_: Any) -> Token | None:
    """Return a token by its number."""
    found: Token | None = Token.objects.filter(pk=number).first() if number < MAX_NUMBER else None
    return found


def bot_of_seat(number: int, seat: int, **_: Any) -> Bot | None:
    """Return the bot in a seat of a match."""
    match = match_row(number)
    if match is None or seat >= len(match.seats):
        return None
    return bot_of_player(match.seats[seat].player)


def bot_of_player(player: str) -> Bot | None:
    """Return the bot of a version by its name in matches."""
    version = Version.objects.select_related("bot").filter(player=player).first()
    return None if version is None else version.bot


def own_game(number: int, **_: Any) -> OwnGame | None:
    """Return a match of a person by its number."""
    return people_games().find(number)
