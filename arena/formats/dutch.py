"""Pairs of the next Swiss round by FIDE's Dutch system: py4swiss, an optional extra, finds them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from arena.config.formats import NO_PY4SWISS, has_py4swiss
from arena.errors import EventError

if TYPE_CHECKING:
    from py4swiss.trf.results import RoundResult

KEPT_ROUNDS = 64
"""Size of the cache of paired rounds; pairing hundreds of players takes seconds."""


@dataclass(frozen=True, slots=True)
class PlayerRound:
    """Result of one round for one player."""

    halves: int
    """Half points: 2, 1 or 0."""
    opponent: int | None = None
    """Index of the opponent; None for a bye or a round without the player."""
    is_first: bool = False
    """Whether the player moved first."""
    is_played: bool = True
    """False if one of the two was absent."""


def next_round(
    histories: Sequence[Sequence[PlayerRound]],
    *,
    rounds: int,
    absent: Collection[int],
    by_seat: bool,
) -> list[tuple[int, int | None]] | None:
    """Return the pairs of the next round, first mover first; a bye has None as second.

    Players are numbers from 0 in order of strength. `by_seat` balances first moves where possible.
    Returns None if the rules allow no complete pairing. Raises EventError without py4swiss.
    """
    if not has_py4swiss():
        raise EventError(NO_PY4SWISS)
    left_out = frozenset(absent)
    pairs = _paired(tuple(map(tuple, histories)), rounds, left_out) if by_seat else None
    if pairs is None:
        # with alternating histories, first moves do not constrain the pairing
        pairs = _paired(tuple(map(_in_turn, histories)), rounds, left_out)
    return pairs


def _in_turn(history: Sequence[PlayerRound]) -> tuple[PlayerRound, ...]:
    """Return the history as if the player had moved first in every other round."""
    even = []
    is_first = True
    for entry in history:
        is_met = entry.opponent is not None and entry.is_played
        even.append(replace(entry, is_first=is_first) if is_met else entry)
        is_first ^= is_met
    return tuple(even)


@lru_cache(maxsize=KEPT_ROUNDS)
def _paired(
    histories: tuple[tuple[PlayerRound, ...], ...], rounds: int, absent: frozenset[int]
) -> list[tuple[int, int | None]] | None:
    from py4swiss.engines import DutchEngine
    from py4swiss.engines.common import PairingError
    from py4swiss.trf import ParsedTrf
    from py4swiss.trf.codes import PlayerCode
    from py4swiss.trf.sections import PlayerSection, XSection

    sections = [
        PlayerSection(
            code=PlayerCode.PLAYER,
            starting_number=number + 1,
            points_times_ten=sum(5 * entry.halves for entry in history),
            rank=number + 1,
            results=[_result(entry) for entry in history],
        )
        for number, history in enumerate(histories)
    ]
    header = XSection(number_of_rounds=rounds, zeroed_ids={number + 1 for number in absent})
    try:
        found = DutchEngine.generate_pairings(ParsedTrf(player_sections=sections, x_section=header))
    except PairingError:
        return None
    return [(pair.white - 1, pair.black - 1 if pair.black else None) for pair in found]


def _result(entry: PlayerRound) -> "RoundResult":
    """Return a round in FIDE's notation."""
    from py4swiss.trf.results import ColorToken, ResultToken, RoundResult

    if entry.opponent is None:
        bye = ResultToken.PAIRING_ALLOCATED_BYE if entry.halves else ResultToken.ZERO_POINT_BYE
        return RoundResult(id=0, color=ColorToken.BYE_OR_NOT_PAIRED, result=bye)
    played = (ResultToken.LOSS, ResultToken.DRAW, ResultToken.WIN)
    forfeited = (ResultToken.FORFEIT_LOSS, ResultToken.FORFEIT_LOSS, ResultToken.FORFEIT_WIN)
    return RoundResult(
        id=entry.opponent + 1,
        color=ColorToken.WHITE if entry.is_first else ColorToken.BLACK,
        result=(played if entry.is_played else forfeited)[entry.halves],
    )
