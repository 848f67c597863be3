"""The choices of a person for a match on a page: games, options, bots."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from arena.bots.manifest import find_bot
from arena.bots.shipped import shipped_bots
from arena.config.game_options import GameOption, options_of
from arena.errors import ArenaError, UsageError
from arena.people.game_help import option_text
from arena.people.hint import default_bot
from arena.people.match import moves_before
from arena.reading.choices import NetworkAccess
from arena.results.queries import find_match
from arena.results.store import Store
from protocol.wording import escaped, quoted
from referee.catalog import (
    BrokenGameError,
    UnknownGameError,
    game_class,
    game_names,
    open_spiel_names,
)
from referee.open_spiel import MissingLibraryError
from referee.options import game_options, make_game
from referee.records.replay import game_of, steps
from referee.rules import OptionError


@dataclass(frozen=True, kw_only=True)
class Choices:
    """The bots known to pages, and the network access of their builds."""

    bots: Mapping[str, str]
    """Reference of each bot by the name on the page; a page can name no other."""
    network: NetworkAccess = "deny"
    """Network access of builds."""

    @classmethod
    def of(cls, references: Sequence[str], network: NetworkAccess = "deny") -> "Choices":
        """Return these bots and the shipped ones; raises ArenaError if one of these is absent."""
        bots: dict[str, str] = {}
        shipped = shipped_bots()
        for reference in references:
            name = reference if reference in shipped else find_bot(reference, Path()).name
            bots[reference if name in bots or name in shipped else name] = reference
        return cls(bots={**bots, **{name: name for name in shipped}}, network=network)

    def name_of(self, reference: str) -> str:
        """Return the name on the page of a bot named by its reference."""
        return next(name for name, known in self.bots.items() if known == reference)

    def reference(self, name: str) -> str:
        """Return the reference of a bot by its name on the page; raises UsageError."""
        if name not in self.bots:
            raise UsageError(f"there is no bot {quoted(name)} to choose")
        return self.bots[name]

    def players(self, names: Sequence[str | None]) -> list[str | None]:
        """Return the references of bots by seat, None for a person; raises UsageError."""
        if None not in names:
            raise UsageError("choose a seat for yourself")
        return [None if name is None else self.reference(name) for name in names]

    def to_json(self) -> dict[str, Any]:
        """Return the games with their options, the names of more games, and the bots."""
        return {
            "games": [game for name in game_names() if (game := _game(name)) is not None],
            "more": _more_names(),
            "bots": [_bot(name, reference) for name, reference in self.bots.items()],
        }


def game_page(name: str) -> dict[str, Any]:
    """Return a game with its options; raises UsageError."""
    try:
        found = _game(name)
    except UnknownGameError as error:
        raise UsageError(escaped(str(error))) from None
    if found is None:
        raise UsageError(f"{escaped(name)} needs options that have no default")
    return found


@cache
def _more_names() -> tuple[str, ...]:
    """Return the games of OpenSpiel; their options are read once they are chosen, being slow."""
    try:
        return open_spiel_names()
    except MissingLibraryError:
        return ()


def origin_page(store: Store, match: int, ply: int) -> dict[str, Any]:
    """Return the facts for playing on from a position; raises ArenaError for a wrong one."""
    record = store.record(find_match(store, str(match)).id)
    moves = moves_before(record, ply)
    *_, last = islice(steps(record.job, record.calls), ply + 1)
    return {
        "match": match,
        "ply": ply,
        "game": record.job.game,
        "players": record.job.names(),
        "moves": len(moves),
        "turn": game_of(record.job).turn(last.state),
    }


@cache
def _bot(name: str, reference: str) -> dict[str, Any]:
    """Return a bot; `games` is None for all games."""
    try:
        manifest = find_bot(reference, Path())
    except ArenaError as error:
        return {"name": name, "games": [], "summary": str(error), "language": ""}
    return {
        "name": name,
        "games": manifest.games,
        "summary": manifest.summary,
        "language": manifest.language or "",
    }


@cache
def _game(name: str) -> dict[str, Any] | None:
    """Return a game with its options; None if not playable without further options."""
    try:
        cls = game_class(name)
        defaults = game_options(make_game(name, {}))
    except (BrokenGameError, OptionError):
        return None
    return {
        "name": cls.name,
        "summary": cls.summary,
        "seats": [min(cls.seats), max(cls.seats)],
        "roles": cls.seat_names,
        "bot": default_bot(cls.name),
        "options": [
            {
                "name": option.name,
                "meaning": option_text(option),
                "default": defaults[option.name],
                **_kind(option),
            }
            for option in options_of(cls)
        ],
    }


_KINDS: Mapping[Any, str] = {int: "integer", bool: "boolean", float: "number", Literal: "choice"}


def _kind(option: GameOption) -> dict[str, Any]:
    """Return the kind of an option's values, with its choices or limits."""
    facts = {"choices": option.choices or None, "min": option.least, "max": option.most}
    given = {name: value for name, value in facts.items() if value is not None}
    return {"kind": _KINDS.get(option.type, "text"), **given}
