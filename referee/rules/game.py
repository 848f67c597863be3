"""What a game is: the contract between the rules and everything that plays them.

A game is a frozen dataclass whose fields are its options; a move and a set of claims are frozen
dataclasses too, with the fields that travel on the wire. States are immutable and `apply` returns
a new one, so any position can be kept, replayed and taken back. Chance comes from the seed alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar

from annotated_types import Interval

from protocol.vocabulary import Seat, Wire

__all__ = [
    "FalseClaimError",
    "Game",
    "IllegalMoveError",
    "Interval",
    "NotationError",
    "OptionError",
    "Outcome",
    "RuleError",
]

S = TypeVar("S", bound=Hashable)
M = TypeVar("M", bound=Hashable)


class RuleError(Exception):
    """Something the rules refuse. The text quotes the rule, in the words of the rules."""


class IllegalMoveError(RuleError):
    """A well-formed move that the rules do not allow in this position."""


class FalseClaimError(RuleError):
    """A claim that is not what the move did."""


class NotationError(RuleError):
    """Text that is no move of this game. Says what a move looks like."""


class OptionError(RuleError):
    """Options that make no game. `option` names the field at fault."""

    def __init__(self, option: str, detail: str) -> None:
        super().__init__(detail)
        self.option = option
        self.detail = detail


@dataclass(frozen=True)
class Outcome:
    """The result by the rules.

    `points` are the game's own, one per seat. `places` rank the seats, 1 best; seats that share
    place 1 have drawn. `reason` is a short phrase for people and programs, like "five in a row".
    """

    points: tuple[int, ...]
    places: tuple[int, ...]
    reason: str


class Game(ABC, Generic[S, M]):
    """The rules of one game with its options chosen."""

    name: ClassVar[str]
    """As in configs: the module's own name."""
    summary: ClassVar[str]
    """One line for `arena games`."""
    seats: ClassVar[range]
    """How many seats a match may have."""
    move_type: ClassVar[type]
    """The frozen dataclass of a move: its fields are the wire's, `from_` stands for `from`."""
    claims_type: ClassVar[type[Any] | None] = None
    """The frozen dataclass of what a bot may assert with a move; every field optional (None)."""

    seat_names: ClassVar[tuple[str, ...]] = ()
    """What people call the seats, like white and black; () where they have no names."""
    asked_options: ClassVar[tuple[str, ...]] = ()
    """The options that a person who sits down to play is asked for."""

    @abstractmethod
    def start(self, seats: int, seed: int) -> S:
        """Return the first position. All chance of the game comes from the seed."""

    @abstractmethod
    def turn(self, state: S) -> Seat:
        """Return the seat that is to move; any seat once the game is over."""

    @abstractmethod
    def legal(self, state: S) -> Iterable[M]:
        """Yield every legal move once, in a fixed order; none exactly when the game is over."""

    @abstractmethod
    def apply(self, state: S, move: M) -> S:
        """Return the position after the move, or raise IllegalMoveError and name the rule."""

    @abstractmethod
    def outcome(self, state: S) -> Outcome | None:
        """Return the result, or None while the game goes on."""

    @abstractmethod
    def retire(self, state: S, seat: Seat) -> S:
        """Take a seat out of play for its own fault or by resignation; the others may go on.

        Allowed at any time for any seat that is still in play, whoever's turn it is.
        """

    @abstractmethod
    def adjudicate(self, state: S, reason: str) -> Outcome:
        """Return the result when play is stopped here: points as they stand."""

    @abstractmethod
    def notation(self, move: M) -> str:
        """Return the move as people write it."""

    @abstractmethod
    def parse(self, text: str) -> M:
        """Read a move as people write it, or raise NotationError."""

    @abstractmethod
    def view(self, state: S, seat: Seat) -> dict[str, Wire]:
        """Return what the seat may see, as it stands on the wire, `turn` and `ply` included."""

    @abstractmethod
    def diagram(self, state: S) -> str:
        """Draw the position for a terminal."""

    def variants(self) -> Sequence[tuple[str, Self]]:
        """Return the games that one board is played as, each with a label; usually just this one.

        A game whose original is played in several ways (Matchsticks: to take the last stick and to
        leave it) returns one game a way; the schedule plays all of them on every board.
        """
        return (("", self),)

    def claims(self, before: S, move: M, after: S) -> Any:  # noqa: ARG002 - by game
        """Return what is true of the move: an instance of `claims_type`, every field set."""
        return None

    def normal_claims(self, claims: Any) -> Any:
        """Return the claims in the one form that compares equal; may raise FalseClaimError."""
        return claims

    @property
    def is_anonymous(self) -> bool:
        """Whether the players are not told who the others are."""
        return False

    def is_display_due(self, state: S) -> bool:  # noqa: ARG002 - few games ask for a display
        """Whether the player to move, or who ended the match, shall now show the board."""
        return False

    def picture(self, state: S) -> Sequence[str]:
        """Return the one right reply to a display call: the board, a string a row."""
        raise NotImplementedError(f"{self.name} asks for no display")

    def position(self, state: S) -> Hashable:
        """Return the compact position for counting; equal ones have equal continuations."""
        return state

    def children(self, position: Any) -> Iterable[Hashable]:
        """Yield the position after each legal move, once per move, duplicates included."""
        return [self.position(self.apply(position, move)) for move in self.legal(position)]
