"""Results for tests of formats: matches that end as a script says, without any process."""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from arena.formats.format import Format
from arena.schedule.pairing import Pairing
from referee.records.result import SeatRow

Script = Callable[[Pairing], Sequence[SeatRow]]


def sat(
    player: str, place: int = 1, score: str = "0", fault: str | None = None, **facts: Any
) -> SeatRow:
    """Return a seat of a finished match."""
    times = {"wall_ns": 1, "cpu_ns": 1, "charged_ns": 1, "grace_ns": 0}
    given = {"points": 0, **times, **facts}
    return SeatRow(player=player, place=place, score=score, fault=fault, **given)


def won(pairing: Pairing, winner: str) -> list[SeatRow]:
    return [
        sat(player, place=1, score="1") if player == winner else sat(player, place=2)
        for player in pairing.players
    ]


def drawn(pairing: Pairing) -> list[SeatRow]:
    return [sat(player, score="0.5") for player in pairing.players]


def forfeited(pairing: Pairing, *absent: str) -> list[SeatRow]:
    """Return a match to which these players did not come."""
    return [
        sat(player, place=2, fault="no_show") if player in absent else sat(player, score="1")
        for player in pairing.players
    ]


def by_strength(names: Sequence[str]) -> Script:
    """Return a script in which each player beats all players named later."""
    return lambda pairing: won(pairing, min(pairing.players, key=list(names).index))


def by_elo(elo: Mapping[str, float], chance: Random, draws: float = 0.2) -> Script:
    """Return a script by which the better one wins as often as its Elo says."""

    def script(pairing: Pairing) -> list[SeatRow]:
        one, other = pairing.players
        if chance.random() < draws:
            return drawn(pairing)
        expected = 1 / (1 + 10 ** ((elo[other] - elo[one]) / 400))
        return won(pairing, one if chance.random() < expected else other)

    return script


def played(
    format_: Format, script: Script, *, matches: int | None = None, chance: Random | None = None
) -> dict[str, Sequence[SeatRow]]:
    """Play until the end or `limit` matches; `chance` shuffles the order of their ends."""
    results: dict[str, Sequence[SeatRow]] = {}
    while matches is None or len(results) < matches:
        waiting = [match for match in format_.known(results) if match.key not in results]
        if not waiting:
            break
        begun = [waiting[chance.randrange(len(waiting))]] if chance else waiting
        for pairing in begun[: None if matches is None else matches - len(results)]:
            results[pairing.key] = script(pairing)
    return results


def keys(pairings: Sequence[Pairing]) -> list[str]:
    return [pairing.key for pairing in pairings]


def names(count: int) -> list[str]:
    return [f"bot{number:02}" for number in range(count)]
