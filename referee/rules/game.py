"""The contract between the rules of a game and the programs using them.

A game is a frozen dataclass with its options as fields; moves and claims are frozen dataclasses
with the fields of the wire. States are immutable and `apply` returns a new state, so any position
can be kept, replayed and taken back.

Chance: what is random before the first move depends only on the seed of `start`. Later draws are
made by the referee: it calls `draw` and applies the result like a move of nobody, so `apply` is
pure, and a record has the draws. Hidden information: `seen` is the part of a move or draw known to
a seat; `view`, `pieces`, `diagram` and `caption` are its part of a position.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from protocol.vocabulary import Seat, Wire
from referee.rules.layout import Layout, Piece, Place

S = TypeVar("S", bound=Hashable)
M = TypeVar("M", bound=Hashable)


class RuleError(Exception):
    """Input refused by the rules. The text quotes the broken rule."""


class IllegalMoveError(RuleError):
    """A well-formed move, not allowed in this position."""


class FalseClaimError(RuleError):
    """A claim different from the effect of its move."""


class NotationError(RuleError):
    """Text that is not a move of this game. The message shows the notation."""


class OptionError(RuleError):
    """Invalid options of a game. `option` is the name of the invalid field."""

    def __init__(self, option: str, detail: str) -> None:
        super().__init__(detail)
        self.option = option
        self.detail = detail


@dataclass(frozen=True)
class Outcome:
    """The result by the rules.

    `points` are by the rules of the game, one number per seat. `places` rank the seats, 1 is best;
    seats with a shared place 1 have drawn. `reason` is a short phrase, like "five in a row".
    """

    points: tuple[int, ...]
    places: tuple[int, ...]
    reason: str

    @classmethod
    def by_points(cls, points: tuple[int, ...], reason: str) -> Self:
        """Return the result in which more points are a better place; equal ones share it."""
        return cls(
            points, tuple(1 + sum(other > own for other in points) for own in points), reason
        )


def wire_name(field: str) -> str:
    """Return the wire name of a field: `from_` is `from`, a keyword in Python."""
    return field.removesuffix("_")


def move_fields(move: Any) -> dict[str, Wire]:
    """Return the fields of a move or draw, by their names on the wire."""
    return {wire_name(field.name): getattr(move, field.name) for field in fields(move)}


class Margins(NamedTuple):
    """The parts of a diagram around the board; they stay in sight when a large board scrolls."""

    above: int = 0
    """Lines above the board, like the names of the columns."""
    left: int = 0
    """Characters to the left of the board, like the numbers of the rows."""
    below: int = 0
    """Lines below the board, like the points so far."""


class Game(ABC, Generic[S, M]):
    """The rules of one game with chosen options."""

    name: ClassVar[str]
    """Name in configs, the same as the module's."""
    summary: ClassVar[str]
    """One line for `arena games`."""
    seats: ClassVar[range]
    """Allowed numbers of seats."""
    move_type: ClassVar[type]
    """The frozen dataclass of a move, with the fields of the wire; `from_` is `from` there."""
    claims_type: ClassVar[type[Any] | None] = None
    """The frozen dataclass of the claims with a move; every field is optional (None)."""

    chance_type: ClassVar[type | None] = None
    """The frozen dataclass of a draw, with the fields of the wire; None without draws.

    It may be the move's. Random choices of `start` are no draws.
    """

    seat_names: ClassVar[tuple[str, ...]] = ()
    """Names of the seats, like white and black; () without names."""
    asked_options: ClassVar[tuple[str, ...]] = ()
    """Options requested from a human player before a match."""
    seat_marks: ClassVar[tuple[str, ...]] = ()
    """Marks of the seats' men in a diagram, like X and O; () if no man belongs to a seat."""
    margins: ClassVar[Margins] = Margins()
    """The parts of each diagram around the board."""
    is_pointless_draw_lost: ClassVar[bool] = False
    """Whether seats that share the first place without points have lost, not drawn, in formats that
    count wins and draws; for games in which a player can prevent the end."""

    def role(self, seat: Seat) -> str:
        """Return name and mark of a seat, like black X; empty if the game has neither."""
        return " ".join(each[seat] for each in (self.seat_names, self.seat_marks) if each[seat:])

    @abstractmethod
    def start(self, seats: int, seed: int) -> S:
        """Return the first position; its random choices depend only on the seed.

        All matches on a board have the same seed, so a bot can know the position from an earlier
        match. Draw anything that must stay hidden (`draw`): the seed of draws is the match's own.
        """

    @abstractmethod
    def turn(self, state: S) -> Seat:
        """Return the seat to move; any seat while a draw is due, and once the game is over."""

    @abstractmethod
    def legal(self, state: S) -> Iterable[M]:
        """Yield every legal move once in a fixed order.

        Yield none if and only if the game is over or a draw is due. Bots receive this list, so make
        it depend only on the knowledge of the seat to move.
        """

    def choices(self, state: S) -> tuple[Sequence[M], bytes] | None:
        """Return every move of the game, and a byte for each: 1 if legal now, otherwise 0.

        For games with few moves in all, since such a list is sent to bots much faster. The sequence
        is the same object each time, and its legal moves are those of `legal`, in the same order.
        None for any other game.
        """
        return None

    @abstractmethod
    def apply(self, state: S, move: M) -> S:
        """Return the position after a move or draw.

        Raises IllegalMoveError with the broken rule for any illegal move, and for a draw that is
        impossible or not due.
        """

    def draw(self, state: S, stream: Random) -> Any:
        """Return the due draw, of `chance_type`; None if none is due.

        Whether one is due does not depend on the stream. Each ply of each match has its own stream;
        Python promises the same numbers for ever only for its method `random()`.
        """
        return None

    def seen(self, before: S, move: Any, after: S, seat: Seat) -> dict[str, Wire] | None:
        """Return the part of another's move or draw known to a seat: all, some, or nothing (None).

        In wire form: any fields, usually some of the move's. A seat knows its own moves.
        """
        return move_fields(move)

    def is_round_open(self, state: S) -> bool:
        """Whether moves of the current round are withheld, since some seats have yet to move.

        For simultaneous moves: the others receive them once the round is closed.
        """
        return False

    @property
    def has_chance(self) -> bool:
        """Whether draws can be due; only then `draw` is called."""
        return self.chance_type is not None

    @property
    def has_hidden_information(self) -> bool:
        """Whether a seat may not know all; only then `seen` and `is_round_open` are called."""
        cls = type(self)
        return cls.seen is not Game.seen or cls.is_round_open is not Game.is_round_open

    def completed(self, state: S, move: M) -> M:
        """Return a move in full, where a bot or a person may give only a part of its fields.

        May raise IllegalMoveError. The full move is recorded, and others receive it.
        """
        return move

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Return the result, or None while the game continues."""

    @abstractmethod
    def retire(self, state: S, seat: Seat) -> S:
        """Take a seat out of play, whether or not it is to move; the others may continue."""

    @abstractmethod
    def adjudicate(self, state: S, reason: str) -> Outcome:
        """Return the result if play is stopped here, with the current points."""

    @abstractmethod
    def notation(self, move: M) -> str:
        """Return the move in notation."""

    @abstractmethod
    def parse(self, text: str) -> M:
        """Parse a move in notation, or raise NotationError."""

    def parse_in(self, state: S, text: str) -> M:
        """Parse a move as people write it in this position, or raise NotationError."""
        return self.parse(text)

    @abstractmethod
    def view(self, state: S, seat: Seat) -> dict[str, Wire]:
        """Return the part of the state visible to the seat, in wire form with `turn` and `ply`."""

    @abstractmethod
    def diagram(self, state: S, seat: Seat | None = None) -> str:
        """Draw the board in `margins`, spaces between places, for a seat or a spectator (None)."""

    def layout(self, seats: int) -> Layout | None:
        """Return the board for pages and pictures, or None to show the `diagram` instead."""
        return None

    def pieces(self, state: S, seat: Seat | None) -> Mapping[Place, Piece]:
        """Return the pieces visible to a seat, or to a spectator (None), by place."""
        return {}

    def caption(self, state: S, seat: Seat | None = None) -> str:
        """Return in one line what the board does not show, for a seat or a spectator (None)."""
        return ""

    def gesture(self, move: M) -> Sequence[Place]:
        """Return the places to click for a move, in order; () for a choice from a list."""
        return ()

    def variants(self) -> Sequence[tuple[str, Self]]:
        """Return the variants played on each board, with their labels; usually only this game.

        Matchsticks, for example, returns two games: taking the last stick wins or loses. The
        schedule plays all variants on every board.
        """
        return (("", self),)

    def claims(self, before: S, move: M, after: S) -> Any:
        """Return the correct claims of the move: an instance of `claims_type`, every field set.

        Items of a list are compared in their order; `normal_claims` sorts where any order is right.
        """
        return None

    def normal_claims(self, claims: Any) -> Any:
        """Return the claims in normal form for comparison; may raise FalseClaimError."""
        return claims

    @property
    def is_anonymous(self) -> bool:
        """Whether the names of the players are withheld from each other."""
        return False

    def is_display_due(self, state: S) -> bool:
        """Whether the player to move, or the last one after the end, must now show the board."""
        return False

    def picture(self, state: S) -> Sequence[str]:
        """Return the correct reply to a display call: the board as one string per row."""
        raise NotImplementedError(f"{self.name} has no displays")

    def position(self, state: S) -> Hashable:
        """Return a compact position for counting; equal positions have equal continuations."""
        return state

    def children(self, position: Any) -> Iterable[Hashable]:
        """Yield the position after each legal move, once per move, duplicates included."""
        return [self.position(self.apply(position, move)) for move in self.legal(position)]
