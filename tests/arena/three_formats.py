"""The formats whose matches follow from results, for the same players."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from outcomes import by_elo, names

from arena.config.event import Event
from arena.formats.encounters import EncounterTerms
from arena.formats.format import Format
from arena.formats.knockout import Knockout
from arena.formats.ladder import Ladder
from arena.formats.swiss import Swiss
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow

PLAYERS = names(7)
TERMS = EncounterTerms()


def swiss() -> Format:
    return Swiss(PLAYERS, 3, TERMS)


def knockout() -> Format:
    return Knockout(PLAYERS, TERMS, 1)


def ladder() -> Format:
    return Ladder(PLAYERS, certainty=0.8, matches=70, terms=TERMS)


def event_of(format_: str, **changes: Any) -> Event:
    """Return an event between all players."""
    form = {
        "name": "cup",
        "game": {"name": "pente"},
        "bots": [{"name": player, "bot": player} for player in PLAYERS],
        "format": format_,
        "seats": [2],
        "certainty": 0.9,
    }
    return Event.read({**form, **changes})


FORMATS = pytest.mark.parametrize("make", [swiss, knockout, ladder])


def chancy(seed: int = 3) -> Callable[[Pairing], Sequence[SeatRow]]:
    """Return a script with the same result for a match in every play."""
    elo = {player: -60.0 * number for number, player in enumerate(PLAYERS)}
    return lambda pairing: by_elo(elo, Random(f"{seed} {pairing.key}"))(pairing)


MATCHES = (*TERMS.encounter(("ann", "bob")), *TERMS.encounter(("ann", "cat")))


class Decided:
    """A format that requests a second match after the first."""

    is_fixed = False
    imbalance = ()

    def known(self, results: object) -> Sequence[Pairing]:
        return MATCHES[:2] if results else MATCHES

    def total(self, results: object) -> int:
        return len(self.known(results))

    def ranking(self, results: object) -> None:
        del results

    def text(self, results: object) -> str:
        del results
        return ""
