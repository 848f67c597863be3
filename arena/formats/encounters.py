"""Encounters: all matches of the same two players in a round, and what they come to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from arena.formats.format import Results
from arena.results.standings import Seat
from arena.schedule.pairing import Pairing
from arena.schedule.seating import turn
from protocol.vocabulary import Termination

Pair = tuple[str, str]


@dataclass(frozen=True)
class Terms:
    """What the two players of an encounter play: each repeat, on each board, in each variant."""

    repeat: int = 2
    boards: int = 1
    variants: tuple[str, ...] = ("",)

    @property
    def matches(self) -> int:
        """How many matches an encounter has."""
        return self.repeat * self.boards * len(self.variants)

    @property
    def is_even(self) -> bool:
        """Whether each player moves first equally often, whoever is named first."""
        firsts = sum(
            turn(2, number, board + place)[0] == 0
            for number in range(self.repeat)
            for board in range(self.boards)
            for place in range(len(self.variants))
        )
        return 2 * firsts == self.matches

    def encounter(self, pair: Pair, first_board: int = 0) -> Iterator[Pairing]:
        """Yield the matches in order of play; the player named first begins the first of them.

        As in a round robin a board is played from both seats before the next one begins, and seats
        rotate from one to the next, so that an odd number of repeats evens out.
        """
        for lap in range(0, self.repeat, 2):
            for board in range(self.boards):
                for place, variant in enumerate(self.variants):
                    for number in range(lap, min(lap + 2, self.repeat)):
                        first, second = turn(2, number, board + place)
                        players = (pair[first], pair[second])
                        yield Pairing(players, first_board + board, variant, number // 2)


@dataclass(frozen=True)
class Tally:
    """What two players took from each other, each in the order they were named."""

    halves: tuple[int, int] = (0, 0)
    """Half points: two for a win, one for a draw."""
    scores: tuple[Decimal, Decimal] = (Decimal(0), Decimal(0))
    no_shows: tuple[bool, bool] = (False, False)
    """Whether it came to none of the matches."""

    def text(self) -> str:
        """Return the points like 2-0 or 1.5-0.5."""
        return "-".join(points_text(halves) for halves in self.halves)


def tally(pair: Pair, pairings: Sequence[Pairing], results: Results) -> Tally | None:
    """Return what the matches of two players come to, or None while any of them has not ended."""
    halves = dict.fromkeys(pair, 0)
    scores = {player: Decimal(0) for player in pair}
    shown = dict.fromkeys(pair, 0)
    for pairing in pairings:
        if (seats := results.get(pairing.key)) is None:
            return None
        for player, taken in _taken(pairing, seats):
            halves[player] += taken
        for seat in seats:
            scores[seat.player] += Decimal(seat.score)
        for player in pair:
            shown[player] += not any(seat.player == player and _is_no_show(seat) for seat in seats)
    one, other = pair
    return Tally(
        halves=(halves[one], halves[other]),
        scores=(scores[one], scores[other]),
        no_shows=(not shown[one], not shown[other]),
    )


def _taken(pairing: Pairing, seats: Sequence[Seat]) -> Iterable[tuple[str, int]]:
    """Return the half points of both players in one match, where void is a draw."""
    if not seats:
        return [(player, 1) for player in pairing.players]
    one, other = seats
    if one.fault is not None and other.fault is not None:
        return [(one.player, 0), (other.player, 0)]
    if one.place == other.place:
        return [(one.player, 1), (other.player, 1)]
    winner, loser = (one, other) if one.place < other.place else (other, one)
    return [(winner.player, 2), (loser.player, 0)]


def _is_no_show(seat: Seat) -> bool:
    return seat.fault == Termination.NO_SHOW


def points_text(halves: int) -> str:
    """Return half points as points: 3 is 1.5."""
    return f"{halves // 2}.5" if halves % 2 else str(halves // 2)
