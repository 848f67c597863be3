"""What a bot says besides its moves, and what a contest asks for; most games use none of it.

Claims state the effect of a move, like captured stones, and displays show the board. Contests of
1997 to 2002 checked both. Claims are frozen dataclasses with the fields of the wire.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Self

from referee.rules.game import M, Rules, S


class Claims(Rules[S, M]):
    """Claims, displays, short moves, and the conditions of a contest."""

    claims_type: ClassVar[type[Any] | None] = None
    """The frozen dataclass of the claims with a move; every field is optional (None)."""

    def claims(self, before: S, move: M, after: S) -> Any:
        """Return the correct claims of the move: an instance of `claims_type`, every field set.

        Items of a list are compared in their order; `normal_claims` sorts where any order is right.
        """
        return None

    def normal_claims(self, claims: Any) -> Any:
        """Return the claims in normal form for comparison; may raise FalseClaimError."""
        return claims

    def is_display_due(self, state: S) -> bool:
        """Whether the player to move, or the last one after the end, must now show the board."""
        return False

    def picture(self, state: S) -> Sequence[str]:
        """Return the correct reply to a display call: the board as one string per row.

        Starters answer with `board` of their view, so a game with displays should have it there.
        """
        raise NotImplementedError(f"{self.name} has no displays")

    def completed(self, state: S, move: M) -> M:
        """Return a move in full, where a bot or a person may give only a part of its fields.

        May raise IllegalMoveError. The full move is recorded, and others receive it.
        """
        return move

    def variants(self) -> Sequence[tuple[str, Self]]:
        """Return the variants played on each board, with their labels; usually only this game.

        Matchsticks, for example, returns two games: taking the last stick wins or loses. The
        schedule plays all variants on every board.
        """
        return (("", self),)

    @property
    def is_anonymous(self) -> bool:
        """Whether the names of the players are withheld from each other."""
        return False

    is_pointless_draw_lost: ClassVar[bool] = False
    """Whether seats that share the first place without points have lost, not drawn, in formats that
    count wins and draws; for games in which a player can prevent the end."""
