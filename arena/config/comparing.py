"""Checks of an event that compares two programs: a gate, or a tuning with a gate at its end."""

from collections.abc import Iterator
from typing import Final

from arena.config.formats import COMPARING
from arena.config.gate import GateSection
from arena.config.model import EventSection
from arena.config.tune import TuneSection
from arena.reading.checking import KeyFault, of_key
from arena.text import plural
from referee.catalog import AnyGame

TUNED: Final = {"elo0": 0.0, "elo1": 50.0}
"""Hypotheses of the gate after a tuning, by default: no gain, and a clear one."""
_PLAYED: Final = {
    "gate": "a gate, which plays pairs of matches until a decision or its cap",
    "tune": "a tuning, which plays pairs of matches",
}


def question_of(section: EventSection) -> GateSection | None:
    """Return the question of a gate, or of the one after a tuning, with its defaults."""
    if section.format not in COMPARING:
        return None
    gate = section.gate or GateSection()
    if section.format == "tune" and not gate.is_by_scores:
        absent = {key: elo for key, elo in TUNED.items() if getattr(gate, key) is None}
        gate = gate.model_copy(update=absent)
    return gate.completed()


def search_of(section: EventSection) -> TuneSection | None:
    """Return the search of a tuning with its defaults."""
    return section.tune.completed() if section.tune else None


def comparing_faults(section: EventSection) -> Iterator[KeyFault]:
    """Yield the faults of a gate or a tuning, and of its sections elsewhere."""
    if section.tune is not None and section.format != "tune":
        yield of_key("tune is for format: tune", "tune")
    kind = str(section.format)
    if kind not in COMPARING:
        if section.gate is not None:
            yield of_key("gate is for format: gate, or tune", "gate")
        return
    for key in ("repeat", "boards", "matches", "seats", "seat_orders"):
        if key in section.model_fields_set:
            yield of_key(f"{key} is not for {_PLAYED[kind]}", key)
    if section.withdraw_after and "withdraw_after" in section.model_fields_set:
        name = "a tuning" if kind == "tune" else "a gate"
        yield of_key(
            f"withdraw_after is not for {name}: forfeits of unplayed matches would decide it;"
            " remove it",
            "withdraw_after",
        )
    if kind == "tune":
        yield from _tune_faults(section)
    else:
        yield from _gate_bot_faults(len(section.bots), section.game)
    yield from _gate_game_faults(section.gate or GateSection(), section.game)


def _tune_faults(section: EventSection) -> Iterator[KeyFault]:
    if section.tune is None:
        yield of_key(
            "a tuning needs the options to tune, like tune: {parameters: {depth: {start: 3, min: 1,"
            " max: 6}}}",
            "format",
        )
    game, bots = section.game, len(section.bots)
    if bots == 0:
        yield of_key("a tuning has one bot, the one to tune", "bots")
    elif bots == 1 and min(game.seats) > 2:
        others = min(game.seats) - 1
        yield of_key(
            f"{game.name} has {others + 1} or more seats: name {plural(others, 'other bot')} behind"
            " the one to tune, which take the other seats",
            "bots",
        )
    elif bots > 1 and bots not in game.seats:
        least, most = min(game.seats), max(game.seats)
        yield of_key(
            f"a tuning with {plural(bots - 1, 'bot')} besides the one to tune has matches of {bots}"
            f" seats; {game.name} has {least if least == most else f'{least} to {most}'}",
            "bots",
        )
    elif bots == 2:
        yield of_key(
            "a tuning of two seats has one bot, not 2: it plays against itself with other values",
            "bots",
        )


def _gate_bot_faults(bots: int, game: AnyGame) -> Iterator[KeyFault]:
    """Yield the fault of a number of bots that fills no match."""
    if bots < 2:
        yield of_key(f"a gate has two bots, NEW and BASE, not {bots}", "bots")
    elif bots == 2 and min(game.seats) > 2:
        others = min(game.seats) - 1
        detail = (
            f"{game.name} has {others + 1} or more seats: name {plural(others, 'other bot')} behind"
            " NEW and BASE, which take the other seats against both"
        )
        yield of_key(detail, "bots")
    elif bots > 2 and bots - 1 not in game.seats:
        least, most = min(game.seats), max(game.seats)
        detail = (
            f"a gate with {plural(bots - 2, 'bot')} besides NEW and BASE has matches of"
            f" {bots - 1} seats; {game.name} has {least if least == most else f'{least} to {most}'}"
        )
        yield of_key(detail, "bots")


def _gate_game_faults(gate: GateSection, game: AnyGame) -> Iterator[KeyFault]:
    """Yield the conflicts between a game and a gate."""
    if max(game.seats) > 1:
        return
    for key in ("elo0", "elo1"):
        if getattr(gate, key) is not None:
            detail = f"{key}: {game.name} has one seat and no winner; use score0 and score1"
            yield of_key(detail, "gate", key)
    if gate.score0 is None:
        yield of_key(
            f"{game.name} has one seat, so a gate compares scores: score0 says by how much a"
            " match NEW fails, like score0: -100 (on the command line, --score0 -100)",
            "gate",
        )
