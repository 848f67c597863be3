"""Finished matches added up in any order, each read once: standings, crosstable, outcomes."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from operator import itemgetter
from typing import NamedTuple

from protocol.vocabulary import Termination
from referee.records.result import SeatRow


class RatedSeat(NamedTuple):
    """The facts of a seat for a rating."""

    player: str
    place: int
    fault: bool


class RatedMatch(NamedTuple):
    """The facts of a match for a rating."""

    seats: tuple[RatedSeat, ...]
    board: tuple[int, ...] = ()
    """Number of its board, which several matches may have; empty if unknown."""
    is_unplayed: bool = False
    """Whether it was decided unplayed, a player being withdrawn."""


@dataclass
class Standing:
    """One bot's row of the table."""

    player: str
    bonus: Decimal
    """Bonus as a part of the score."""
    earned: Decimal = Decimal(0)
    """Sum of the scores of its matches."""
    points: int = 0
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    faults: int = 0
    """Number of faults in played matches."""
    unplayed: int = 0
    """Number of matches forfeited unplayed."""
    adjudicated: int = 0
    """Number of matches ended by the config: its scores, tablebases or limit of plies."""
    timeouts: int = 0
    near_limit: int = 0
    """Number of replies above 90 % of their limit."""
    wall_ns: int = 0
    cpu_ns: int = 0
    is_clock_exact: bool = True
    """Whether the CPU time of every match includes all processes of the bot."""
    nulls_ns: "array[int]" = field(default_factory=lambda: array("q"), repr=False)
    """Wall-clock time of the null calls of each match, in nanoseconds."""

    @property
    def score(self) -> Decimal:
        """Value to rank the table by. A negative score gets no bonus."""
        return self.earned + self.bonus * max(self.earned, Decimal(0))


@dataclass
class Duel:
    """Results of one bot against another, over their common matches."""

    score: Decimal = Decimal(0)
    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def __str__(self) -> str:
        return f"{self.wins}-{self.draws}-{self.losses}"


@dataclass(frozen=True)
class Ranking:
    """The places of a format that does not rank by the sum of scores."""

    by: str
    """Criterion of the places, in words."""
    places: tuple[tuple[int, str], ...]
    """Rank and name of every player of the format, best first."""


@dataclass
class Table:
    """The standings of an event so far."""

    players: tuple[str, ...]
    bonus: Mapping[str, Decimal] = field(default_factory=dict)
    """Bonus by player, as a part of the score; set by the organiser."""
    ranking: Ranking | None = None
    """The format's own places; None ranks by score."""
    groups: Sequence[Sequence[str]] = ()
    """The players of each group of a group stage, which has places of its own."""
    has_score_rule: bool = False
    """Whether scores are other numbers than points; then equal scores are ranked by points."""

    def __post_init__(self) -> None:
        self.rows = {player: self._row(player) for player in self.players}
        self.duels: defaultdict[tuple[str, str], Duel] = defaultdict(Duel)
        self.outcomes: Counter[RatedMatch] = Counter()
        """Number of matches of each outcome."""

    @property
    def matches(self) -> int:
        """Number of added matches."""
        return self.outcomes.total()

    def add(
        self, seats: Iterable[SeatRow], board: int | None = None, termination: str = ""
    ) -> None:
        """Add a finished match."""
        seated = list(seats)
        self.outcomes[rated_match(seated, board)] += 1
        for seat in seated:
            row = self.rows.get(seat.player)
            if row is None:
                row = self.rows[seat.player] = self._row(seat.player)
            score = Decimal(seat.score)
            _add_to_row(row, seat, score, seated)
            row.adjudicated += termination == Termination.ADJUDICATION
            for other in seated:
                if other is not seat:
                    _add_to_duel(self.duels[seat.player, other.player], seat, score, other)

    @property
    def is_by_score(self) -> bool:
        """Whether all bots are ranked by their scores alone."""
        return self.ranking is None and not self.groups

    @property
    def ranked_by(self) -> str:
        """Criterion of the ranks, in words."""
        if self.ranking:
            return self.ranking.by
        if self.groups:
            return "place in the group"
        return "score, then points" if self.has_score_rule else "score"

    def ranked(self) -> list[tuple[int, Standing]]:
        """Return rank and row of every bot: by format or groups first, the others by score."""
        if self.ranking:
            placed = [(rank, self.rows[player]) for rank, player in self.ranking.places]
        else:
            placed = [place for group in self.groups for place in self.among(group)]
            placed.sort(key=itemgetter(0))
        known = {row.player for _, row in placed}
        others = self.among([player for player in self.rows if player not in known])
        return placed + [(len(placed) + rank, row) for rank, row in others]

    def among(self, players: Iterable[str]) -> list[tuple[int, Standing]]:
        """Return rank and row of some players by score, best first; equal ones share a rank."""
        rows = [self.rows[player] for player in players if player in self.rows]
        rows.sort(key=lambda row: (*self._value(row), row.player))
        ranks: dict[tuple[Decimal, int], int] = {}
        return [
            (ranks.setdefault(self._value(row), rank), row)
            for rank, row in enumerate(rows, start=1)
        ]

    def _value(self, row: Standing) -> tuple[Decimal, int]:
        return -row.score, -row.points if self.has_score_rule else 0

    def _row(self, player: str) -> Standing:
        return Standing(player, self.bonus.get(player, Decimal(0)))


def rated_match(seats: Sequence[SeatRow], board: int | None = None) -> RatedMatch:
    """Return the outcome of a match."""
    return RatedMatch(
        tuple([RatedSeat(seat.player, seat.place, seat.fault is not None) for seat in seats]),
        () if board is None else (board,),
        any(seat.is_unplayed for seat in seats),
    )


def is_win(seat: SeatRow, seated: Sequence[SeatRow]) -> bool:
    """Whether the seat won: sole first place against opponents, without a fault."""
    return (
        len(seated) > 1
        and seat.fault is None
        and seat.place == 1
        and sum(other.place == 1 for other in seated) == 1
    )


def is_draw(seat: SeatRow, seated: Sequence[SeatRow]) -> bool:
    """Whether the seat shares the first place without a fault."""
    firsts = sum(other.place == 1 for other in seated)
    return seat.fault is None and seat.place == 1 and firsts > 1


def _add_to_row(row: Standing, seat: SeatRow, score: Decimal, seated: list[SeatRow]) -> None:
    row.earned += score
    row.points += seat.points
    row.matches += 1
    row.unplayed += seat.is_unplayed
    row.wall_ns += seat.wall_ns
    row.cpu_ns += seat.cpu_ns
    row.is_clock_exact = row.is_clock_exact and bool(seat.is_clock_exact)
    row.near_limit += seat.near_limit
    if seat.null_ns is not None:
        row.nulls_ns.append(seat.null_ns)
    if seat.fault is not None:
        row.faults += not seat.is_unplayed
        row.timeouts += seat.fault == Termination.TIMEOUT
    if is_win(seat, seated):
        row.wins += 1
    elif is_draw(seat, seated):
        row.draws += 1
    elif len(seated) > 1:
        row.losses += 1


def _add_to_duel(duel: Duel, seat: SeatRow, score: Decimal, other: SeatRow) -> None:
    duel.matches += 1
    duel.score += score
    if seat.fault is not None and other.fault is not None:
        duel.losses += 1
    elif seat.place < other.place:
        duel.wins += 1
    elif seat.place > other.place:
        duel.losses += 1
    else:
        duel.draws += 1
