"""Checks of the gate of a config."""

from arena.config.model import EventSection, GateSection
from arena.reading.checking import KeyFault
from referee.catalog import AnyGame


def gate_faults(section: EventSection) -> list[KeyFault]:
    """Return the faults of the gate of a config."""
    if section.format != "gate":
        is_there = section.gate is not None
        return [KeyFault(("gate",), "gate is for format: gate", is_of_key=True)] if is_there else []
    faults = []
    for key in ("repeat", "boards", "matches", "seats", "seat_orders"):
        if key in section.model_fields_set:
            detail = (
                f"{key} is not for a gate, which plays pairs of matches until a decision or its cap"
            )
            faults.append(KeyFault((key,), detail, is_of_key=True))
    if section.withdraw_after and "withdraw_after" in section.model_fields_set:
        detail = (
            "withdraw_after is not for a gate: forfeits of unplayed matches would decide it;"
            " remove it"
        )
        faults.append(KeyFault(("withdraw_after",), detail, is_of_key=True))
    if (players := len(section.bots)) != 2:
        detail = f"a gate has two bots, NEW and BASE, not {players}"
        faults.append(KeyFault(("bots",), detail, is_of_key=True))
    return faults + _game_faults(section.gate or GateSection(), section.game)


def _game_faults(gate: GateSection, game: AnyGame) -> list[KeyFault]:
    """Return the conflicts between a game and a gate."""
    faults = []
    if min(game.seats) > 2:
        detail = f"{game.name} has {min(game.seats)} or more seats; a gate needs one or two"
        faults.append(KeyFault(("format",), detail))
    if max(game.seats) > 1:
        return faults
    for key in ("elo0", "elo1"):
        if getattr(gate, key) is not None:
            detail = f"{key}: {game.name} has one seat and no winner; use score0 and score1"
            faults.append(KeyFault(("gate", key), detail, is_of_key=True))
    if gate.score0 is None:
        detail = (
            f"{game.name} has one seat, so a gate compares scores: score0 says by how much a"
            " match NEW fails, like score0: -100 (on the command line, --score0 -100)"
        )
        faults.append(KeyFault(("gate",), detail, is_of_key=True))
    return faults
