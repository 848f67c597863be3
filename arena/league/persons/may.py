"""Who may do what: one function for pages, the API and files. What it does not know is denied."""

from collections.abc import Mapping
from enum import Enum, auto

from arena.league.persons.own_game import OwnGame
from arena.league.site.models import Bot, HandIn, Person, Token


class Action(Enum):
    """What somebody may ask for."""

    ENTER = auto()
    """Pages to log in and out, links, styles: for everybody."""
    READ = auto()
    """The table, bots and matches."""
    OWN = auto()
    """A page of one's own, bots and tokens."""
    HAND_IN = auto()
    """To hand in for a bot."""
    READ_HAND_IN = auto()
    """A hand-in: its bytes, its check, its logs."""
    READ_OUTPUT = auto()
    """The output of a bot in its matches."""
    CHALLENGE = auto()
    """To have versions of a bot meet others, and to see who did."""
    PLAY = auto()
    """To play against a bot in person."""
    MOVE = auto()
    """To see and to play a match of a person."""
    REVOKE = auto()
    """To end a token."""
    RUN = auto()
    """To run the league: persons, links, all hand-ins."""


Thing = Bot | HandIn | Token | OwnGame | None


def may(person: Person | None, action: Action, thing: Thing = None, *, is_public: bool) -> bool:
    """Whether a person, or a stranger (None), may do this to a thing.

    `is_public` is whether strangers may read the results.
    """
    if action is Action.ENTER:
        return True
    if person is None:
        return action is Action.READ and is_public
    if action in _OF_ONE:
        return isinstance(thing, _OF_ONE[action]) and thing.person_id == person.pk
    if person.is_staff:
        return True
    if action in (Action.READ, Action.OWN, Action.PLAY):
        return True
    return action in _OF_OWNERS and _owns(person, thing)


_OF_ONE: Mapping[Action, type[Token | OwnGame]] = {Action.REVOKE: Token, Action.MOVE: OwnGame}
"""What one person alone may do, even staff not."""
_OF_OWNERS = frozenset({Action.HAND_IN, Action.READ_HAND_IN, Action.READ_OUTPUT, Action.CHALLENGE})


def _owns(person: Person, thing: Thing) -> bool:
    bot = thing.bot if isinstance(thing, HandIn) else thing
    if not isinstance(bot, Bot) or bot.team_id is None:
        return False
    return bool(person.teams.filter(pk=bot.team_id).exists())
