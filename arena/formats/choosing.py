"""The format of an event."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from arena.config.event import Event
from arena.formats.encounters import EncounterTerms
from arena.formats.format import Format
from arena.formats.group_tables import all_groups
from arena.reading.choices import FORMATS_BY_RESULTS
from arena.results.store import EventRow
from arena.schedule.groups import group_stage
from arena.schedule.pairing import gauntlet, round_robin, solo


def format_of(event: Event, names: Sequence[str], seed: int) -> Format:
    """Return the format of an event with these players, in the order of its config."""
    if event.format in FORMATS_BY_RESULTS:
        return _format_by_results(event, names, seed)
    options: dict[str, Any] = {
        "repeat": event.repeat,
        "boards": event.boards,
        "variants": _variants(event),
    }
    if event.format == "solo":
        return solo(names, **{**options, "repeat": event.repeat or 1})
    options |= {"seats": event.seats, "seat_orders": event.seat_orders}
    if event.format == "gauntlet":
        challengers = [name for name in event.challengers or names[:1] if name in names]
        return gauntlet(names, challengers, **options)
    if event.groups:
        groups = [[name for name in group if name in names] for group in all_groups(event)]
        return group_stage(groups, **options)
    if event.matches is not None:
        options |= {"repeat": None, "matches": event.matches, "seed": seed}
    return round_robin(names, **options)


def stored_format(row: EventRow) -> Format:
    """Return the format of an event in the database."""
    event = Event.read(row.config)
    names = [str(bot.name) for bot in event.bots if bot.name in row.entrants]
    return format_of(event, names, row.seed)


def _variants(event: Event) -> tuple[str, ...]:
    return tuple(label for label, _ in event.game.variants())


def _format_by_results(event: Event, names: Sequence[str], seed: int) -> Format:
    # slow, and most events have none of them
    from arena.formats.knockout import Knockout
    from arena.formats.ladder import Ladder
    from arena.formats.swiss import Swiss

    variants = _variants(event)
    terms = EncounterTerms(
        event.repeat or 2,
        event.boards,
        variants,
        is_pointless_draw_lost=event.game.is_pointless_draw_lost,
    )
    if event.format == "swiss":
        return Swiss(names, event.rounds, terms)
    if event.format == "knockout":
        seeding = [name for name in event.seeding or names if name in names]
        return Knockout(seeding, terms, event.tie_breaks)
    return Ladder(
        names,
        certainty=event.certainty,
        matches=event.matches,
        terms=EncounterTerms(terms.repeat, 1, variants),
        has_board=_boards_of(event, seed),
    )


def _boards_of(event: Event, seed: int) -> Callable[[int], bool]:
    """Return a test for boards that differ from all before: files and small games have an end."""
    if event.opening_lines:
        return range(len(event.opening_lines)).__contains__
    from arena.schedule.openings import DrawnOpenings  # slow import, for few formats

    openings, variants = event.openings, dict(event.game.variants())
    drawn = DrawnOpenings(variants, openings.random_plies or 0 if openings else 0, seed)

    @cache
    def has_board(board: int) -> bool:
        return not openings or all(drawn.has(board, variant, 2) for variant in variants)

    return has_board
