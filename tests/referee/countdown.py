"""A game that has what a codec looks at: types of moves and claims, and options."""

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from referee.move_codec import MoveCodec
from referee.rules import Game


@dataclass(frozen=True)
class Move:
    from_: tuple[int, int]
    to: tuple[int, int]
    is_last: bool
    word: str
    times: int = 1


@dataclass(frozen=True)
class Claims:
    taken: tuple[tuple[int, int], ...] | None = None
    board: tuple[str, ...] | None = None
    victory: bool | None = None


@dataclass(frozen=True, kw_only=True)
class Countdown:
    """All of a game that the codec looks at: its types and its options."""

    move_type: ClassVar[type] = Move
    claims_type: ClassVar[type] = Claims

    size: int = 9
    share: float = 0.1
    rows: tuple[str, ...] | None = None


WIRE = {"from": (0, 1), "to": (2, 3), "is_last": False, "word": "up", "times": 3}
MOVE = Move((0, 1), (2, 3), is_last=False, word="up", times=3)


def codec_of(**options: Any) -> MoveCodec:
    return MoveCodec(cast("Game[Any, Any]", Countdown(**options)))
