"""Checks of an event that says that all its bots are the organiser's, and of its adjudication."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from arena.config.adjudicate import AdjudicateSection
from arena.config.event import Entrant
from arena.config.formats import chosen_seats
from arena.config.model import EventSection
from arena.reading.checking import KeyFault, of_key
from referee.tablebases import TablebaseError, require


def adjudication_faults(
    section: EventSection, entrants: Sequence[Entrant], folder: Path
) -> Iterator[KeyFault]:
    """Yield the faults of the keys `own` and `adjudicate`."""
    yield from _own_faults(section, entrants)
    if section.adjudicate is not None:
        yield from _score_faults(section, section.adjudicate)
        if section.adjudicate.tablebases is not None:
            yield from _table_faults(section, section.adjudicate.tablebases, folder)


def _own_faults(section: EventSection, entrants: Sequence[Entrant]) -> Iterator[KeyFault]:
    """Yield what an event with the organiser's own bots cannot have."""
    if not section.own:
        return
    for entrant in entrants:
        if entrant.remote is not None:
            yield KeyFault(("own",), f"own: {entrant.name} is remote, so it may be a stranger's")
    if "require" in (section.isolation, *(entrant.isolation for entrant in entrants)):
        yield KeyFault(("own",), "own: isolation: require is for bots of strangers; remove one")


def _score_faults(section: EventSection, terms: AdjudicateSection) -> Iterator[KeyFault]:
    if terms.is_by_scores and not section.own:
        yield of_key(
            "adjudicate.draw and adjudicate.resign believe the scores of the bots; if all bots are"
            " your own, say own: true",
            "adjudicate",
        )
    if terms.is_by_scores and set(chosen_seats(section)) != {2}:
        yield of_key("adjudicate.draw and adjudicate.resign are for matches of two", "adjudicate")


def _table_faults(section: EventSection, named: str, folder: Path) -> Iterator[KeyFault]:
    where = ("adjudicate", "tablebases")
    if section.game.name != "chess":
        yield KeyFault(where, "adjudicate.tablebases: they decide positions of chess only")
        return
    try:
        require(tables_folder(named, folder))
    except TablebaseError as error:
        yield KeyFault(where, f"adjudicate.tablebases: {error}")


def tables_folder(named: str, folder: Path) -> str:
    """Return the absolute path of tablebases, from the folder of the config."""
    try:
        return str((folder / Path(named).expanduser()).absolute())
    except RuntimeError:  # no home
        return named
