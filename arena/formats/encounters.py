"""Encounters: all matches of the same two players in a round, and their result."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from arena.formats.format import Results
from arena.schedule.pairing import Pairing
from arena.schedule.seating import turn
from protocol.vocabulary import Termination
from referee.records.result import SeatRow

Pair = tuple[str, str]


@dataclass(frozen=True)
class EncounterTerms:
    """The matches of an encounter: every repeat on every board in every variant."""

    repeat: int = 2
    boards: int = 1
    variants: tuple[str, ...] = ("",)
    is_pointless_draw_lost: bool = False
    """Whether both players have lost a match with a shared first place and no points (`Game`)."""

    @property
    def matches(self) -> int:
        """Number of matches in an encounter."""
        return self.repeat * self.boards * len(self.variants)

    @property
    def is_even(self) -> bool:
        """Whether both players move first equally often."""
        firsts = sum(
            turn(2, number, board + place)[0] == 0
            for number in range(self.repeat)
            for board in range(self.boards)
            for place in range(len(self.variants))
        )
        return 2 * firsts == self.matches

    def encounter(self, pair: Pair, first_board: int = 0) -> Iterator[Pairing]:
        """Yield the matches in order of play; the pair's first player begins the first match.

        As in a round robin, a board is played from both seats before the next one begins. Seats
        rotate from board to board, so that an odd number of repeats evens out.
        """
        for lap in range(0, self.repeat, 2):
            for board in range(self.boards):
                for place, variant in enumerate(self.variants):
                    for number in range(lap, min(lap + 2, self.repeat)):
                        first, second = turn(2, number, board + place)
                        players = (pair[first], pair[second])
                        yield Pairing(players, first_board + board, variant, number // 2)


@dataclass(frozen=True)
class EncounterResult:
    """Result of an encounter, in the order of the pair."""

    halves: tuple[int, int]
    """Half points: two for a win, one for a draw."""
    scores: tuple[Decimal, Decimal] = (Decimal(0), Decimal(0))
    no_shows: tuple[bool, bool] = (False, False)
    """Whether the player was absent from all matches."""

    def text(self) -> str:
        """Return the points, like 2-0 or 1.5-0.5."""
        return "-".join(points_text(halves) for halves in self.halves)


def tally(
    pair: Pair, pairings: Sequence[Pairing], results: Results, terms: EncounterTerms
) -> EncounterResult | None:
    """Return the result of the matches of two players, or None until all have ended."""
    halves = dict.fromkeys(pair, 0)
    scores = {player: Decimal(0) for player in pair}
    shown = dict.fromkeys(pair, 0)
    for pairing in pairings:
        if (seats := results.get(pairing.key)) is None:
            return None
        for player, taken in _taken(pairing, seats, terms):
            halves[player] += taken
        faults = {(seat.player, seat.fault) for seat in seats}
        for seat in seats:
            scores[seat.player] += Decimal(seat.score)
        for player in pair:
            shown[player] += (player, Termination.NO_SHOW) not in faults
    one, other = pair
    return EncounterResult(
        halves=(halves[one], halves[other]),
        scores=(scores[one], scores[other]),
        no_shows=(not shown[one], not shown[other]),
    )


def _taken(
    pairing: Pairing, seats: Sequence[SeatRow], terms: EncounterTerms
) -> Iterable[tuple[str, int]]:
    """Return the half points of both players in one match; a void match is a draw."""
    if not seats:
        return [(player, 1) for player in pairing.players]
    one, other = seats
    if one.fault is not None and other.fault is not None:
        return [(one.player, 0), (other.player, 0)]
    if one.place == other.place:
        is_lost = terms.is_pointless_draw_lost and one.points == other.points == 0
        return [(one.player, 1 - is_lost), (other.player, 1 - is_lost)]
    winner, loser = (one, other) if one.place < other.place else (other, one)
    return [(winner.player, 2), (loser.player, 0)]


def points_text(halves: int) -> str:
    """Return half points as points: 3 gives 1.5."""
    return f"{halves // 2}.5" if halves % 2 else str(halves // 2)
