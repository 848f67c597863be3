"""Checks of a config against its format."""

from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from typing import Any, Final

from arena.config.model import EventSection
from arena.reading.checking import KeyFault, of_key
from arena.reading.choices import FORMATS_BY_RESULTS
from arena.schedule.meetings import first_meetings, most_rounds
from arena.text import plural
from protocol.wording import did_you_mean, quoted
from referee.extras import pip_install

NO_PY4SWISS: Final = (
    "format swiss needs py4swiss, which is not installed; install it with:"
    f" {pip_install()} 'py4swiss>=0.3,<0.4'"
)
COMPARING: Final = ("gate", "tune")
"""Formats that compare two programs in pairs of matches."""
_ONLY_FOR: Final = {
    "challengers": "gauntlet",
    "rounds": "swiss",
    "seeding": "knockout",
    "tie_breaks": "knockout",
    "certainty": "ladder",
}


def has_py4swiss() -> bool:
    """Whether the library that pairs Swiss rounds is installed."""
    return find_spec("py4swiss") is not None


def chosen_format(section: EventSection) -> str:
    """Return the format; by default solo where a bot plays alone."""
    if section.format is not None:
        return section.format
    counts = section.seats or section.game.seats
    is_alone = 1 in counts and (max(counts) == 1 or (not section.seats and len(section.bots) == 1))
    return "solo" if is_alone else "round_robin"


def chosen_seats(section: EventSection) -> tuple[int, ...]:
    """Return the numbers of players of a match; by default the fewest of the game and format.

    In a gate NEW or BASE takes one seat and the bots named behind them take the others; in a tuning
    the first bot does.
    """
    if section.seats:
        return section.seats
    compared = {"gate": 2, "tune": 1}.get(chosen_format(section))
    if compared and len(section.bots) > compared:
        return (len(section.bots) - compared + 1,)
    if chosen_format(section) == "solo" or max(section.game.seats) == 1:
        return (min(section.game.seats),)
    return (min(count for count in section.game.seats if count > 1),)


def format_faults(
    section: EventSection, seats: Sequence[int], players: Sequence[str]
) -> Iterator[KeyFault]:
    """Yield conflicts between the format and other keys; `players` are the names of the bots."""
    given = section.model_fields_set
    for key, format_ in _ONLY_FOR.items():
        if key in given and section.format != format_:
            yield of_key(f"{key} is for format: {format_}", key)
    yield from _seat_faults(section, seats)
    yield from _match_faults(section, players)
    yield from _name_faults("challengers", section.challengers, players)
    yield from _name_faults("seeding", section.seeding, players)
    yield from _list_faults(section, seats, players)
    if section.groups is not None:
        yield from _group_faults(section, max(seats, default=2), len(players))
    if section.format == "swiss":
        yield from _swiss_faults(section, len(players))


def _group_faults(section: EventSection, seats: int, players: int) -> Iterator[KeyFault]:
    groups = section.groups or 1
    if chosen_format(section) != "round_robin":
        yield of_key("groups is for format: round_robin", "groups")
    elif section.matches is not None:
        yield of_key("matches and groups exclude each other", "matches")
    elif players // groups < seats:
        detail = f"{groups} groups need {groups * seats} players or more, not {players}"
        yield KeyFault(("groups",), detail)


def _seat_faults(section: EventSection, seats: Sequence[int]) -> Iterator[KeyFault]:
    game = section.game
    chosen, most = chosen_format(section), max(game.seats)
    is_solo = chosen == "solo"
    if (1 not in game.seats) if is_solo else (most == 1 and chosen not in COMPARING):
        only = "solo" if most == 1 else "round_robin"
        detail = f"{game.name} has {plural(most, 'seat')} at most; its format is {only}"
        yield KeyFault(("format",), detail)
    elif (tuple(seats) != (1,)) if is_solo else (1 in seats and chosen not in COMPARING):
        detail = "matches of 1 seat are for the format solo, which has no others; set seats: 1"
        yield KeyFault(("seats",) if section.seats else ("format",), detail)
    elif section.format in FORMATS_BY_RESULTS and tuple(seats) != (2,):
        here = ", ".join(map(str, seats))
        detail = f"a {section.format} has matches of 2 seats, not {here} seats"
        yield KeyFault(("seats",) if section.seats else ("format",), detail)


def _match_faults(section: EventSection, players: Sequence[str]) -> Iterator[KeyFault]:
    if section.format == "ladder":
        yield from _ladder_faults(section, len(players))
    elif section.matches is not None and section.format in ("gauntlet", "swiss", "knockout"):
        yield of_key(f"matches is not for a {section.format}; set repeat and boards", "matches")


def _ladder_faults(section: EventSection, players: int) -> Iterator[KeyFault]:
    if "boards" in section.model_fields_set:
        yield of_key("boards is not for a ladder: each encounter has its own board", "boards")
    variants = len(section.game.variants())
    least = len(first_meetings(players)) * (section.repeat or 2) * variants if players > 1 else 0
    if section.matches is not None and section.matches < least:
        detail = f"matches must be {least} or more, the number before the first rating"
        yield KeyFault(("matches",), detail)


def _swiss_faults(section: EventSection, players: int) -> Iterator[KeyFault]:
    if not has_py4swiss():
        yield KeyFault(("format",), NO_PY4SWISS)
    if section.rounds is not None and players > 1 and section.rounds > most_rounds(players):
        most = plural(most_rounds(players), "round")
        yield KeyFault(("rounds",), f"{players} players have {most} at most: then all have met")


def _name_faults(
    key: str, names: Sequence[str] | None, players: Sequence[str]
) -> Iterator[KeyFault]:
    for place, name in enumerate(names or ()):
        loc: tuple[Any, ...] = (key, place)
        if name not in players:
            detail = f"{key}: no player is named {quoted(name)}; {did_you_mean(name, players)}"
            yield KeyFault(loc, detail)
        elif name in (names or ())[:place]:
            yield KeyFault(loc, f"{key} names {name} twice")


def _list_faults(
    section: EventSection, seats: Sequence[int], players: Sequence[str]
) -> Iterator[KeyFault]:
    """Yield faults of lists of players whose names are all right."""
    if section.challengers is not None:
        others, needed = len(set(players) - set(section.challengers)), max(seats) - 1
        if others < needed:
            detail = (
                f"a challenger of this gauntlet meets {plural(needed, 'other player')} per match,"
                f" but the event has {others} besides the challengers"
            )
            yield of_key(detail, "challengers")
    if section.seeding is not None and (left := sorted(set(players) - set(section.seeding))):
        yield of_key(f"seeding must name every player; {', '.join(left)} not in it", "seeding")
