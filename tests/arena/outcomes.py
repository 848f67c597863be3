"""Results for tests of formats: matches that end as a script says, without any process."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from arena.formats.format import Format
from arena.schedule.pairing import Pairing

Script = Callable[[Pairing], Sequence["Sat"]]


@dataclass(frozen=True)
class Sat:
    """A seat of a finished match."""

    player: str
    place: int = 1
    score: str = "0"
    fault: str | None = None
    points: int = 0
    wall_ns: int = 1
    cpu_ns: int = 1
    is_unplayed: bool = False
    near_limit: int = 0
    null_ns: int | None = None


def won(pairing: Pairing, winner: str) -> list[Sat]:
    return [
        Sat(player, place=1, score="1") if player == winner else Sat(player, place=2)
        for player in pairing.players
    ]


def drawn(pairing: Pairing) -> list[Sat]:
    return [Sat(player, score="0.5") for player in pairing.players]


def forfeited(pairing: Pairing, *absent: str) -> list[Sat]:
    """Return a match to which these players did not come."""
    return [
        Sat(player, place=2, fault="no_show") if player in absent else Sat(player, score="1")
        for player in pairing.players
    ]


def by_strength(names: Sequence[str]) -> Script:
    """Return a script in which each player beats all players named later."""
    return lambda pairing: won(pairing, min(pairing.players, key=list(names).index))


def by_elo(elo: Mapping[str, float], chance: Random, draws: float = 0.2) -> Script:
    """Return a script by which the better one wins as often as its Elo says."""

    def script(pairing: Pairing) -> list[Sat]:
        one, other = pairing.players
        if chance.random() < draws:
            return drawn(pairing)
        expected = 1 / (1 + 10 ** ((elo[other] - elo[one]) / 400))
        return won(pairing, one if chance.random() < expected else other)

    return script


def played(
    format_: Format, script: Script, *, matches: int | None = None, chance: Random | None = None
) -> dict[str, Sequence[Sat]]:
    """Play until the end or `limit` matches; `chance` shuffles the order of their ends."""
    results: dict[str, Sequence[Sat]] = {}
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
