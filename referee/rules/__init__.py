"""What a game is: the contract, and the boards that several games share."""

from referee.rules.game import (
    FalseClaimError,
    Game,
    IllegalMoveError,
    Interval,
    NotationError,
    OptionError,
    Outcome,
    RuleError,
)

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
